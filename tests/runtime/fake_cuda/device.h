// The device behind the stand-in driver: what it holds, what is queued on it, and what its kernels do.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fake_cuda {

using Work = std::function<void()>;

struct Object {
  std::string text;
  int attribute = 1024;
  int parameters = 0;  ///< of a kernel, if its module's text declares them
  // A stream.
  int number = 0;
  bool capturing = false;
  std::deque<Work> queue;
  std::size_t begun = 0;  ///< how many of the queue's were begun so far
  // A stream under capture, or a graph.
  std::vector<Work> work;
  // An event.
  Object* stream = nullptr;
  std::size_t place = 0;  ///< in its stream
};

struct Device {
  std::string log;
  std::map<std::string, int> calls;
  std::map<Object*, std::string> live;
  std::map<std::uintptr_t, std::size_t> memory;
  int retained = 0;
  int sticky = 0;
  std::size_t stack = 1024;
  int streams = 0;  ///< made since the last reset
  unsigned threads = 0;  ///< of a block of the last launch
  Object context, default_stream;
  Object* now = nullptr;  ///< the context that is current
  std::map<std::uintptr_t, std::size_t> pinned;
  std::vector<std::uintptr_t> met;  ///< the pieces of memory that launches were given
};

Device& device();

/// Logs a call; the error that it was told to give, or 0.
int call(const char* symbol, const std::string& detail = {});
/// Logs a line.
void note(const std::string& line);
const char* error_name(int error);
/// How many parameters the text of a module declares for a kernel.
int count_parameters(const std::string& text, const std::string& kernel);
/// The value of a kernel's parameter, for the log.
std::string argument_text(std::uint64_t value);

int make(const char* kind, Object** object, const std::string& text = {});
int destroy(Object* object);

Object& stream_of(Object* stream);  ///< null: the default one
std::string on(Object* stream);     ///< ` @1`, for the log
/// On a stream, or in what is being captured there.
void queue(Object* stream, Work work);
/// A stream's work up to a place, until something goes wrong for good: that error, or 0.
int run_until(Object* stream, std::size_t place);
int run_all(Object* stream);

/// Is all of this in one piece of memory that was not released?
bool holds(const std::map<std::uintptr_t, std::size_t>& memory, std::uintptr_t address, std::size_t bytes);
void copy(bool to_device, std::uint64_t at, void* host, std::size_t bytes);
/// The verb and the numbers of a kernel's name.
bool meaning(std::string name, char (&verb)[16], int& first, int& second);
void run_kernel(const std::string& name, const std::vector<std::uint64_t>& values);

}  // namespace fake_cuda
