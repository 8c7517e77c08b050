// Runs of this program as processes of their own, several at a time. A run that crashes, hangs or takes all memory ends
// by itself, and with it goes everything that it held; threads of one process would end together.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace reckon::golden {

/// What one process is to do: the words after the program's name, and the folder in which it runs.
struct Command {
  std::vector<std::string> words;
  std::string folder;
};

/// How a process ended.
struct Ended {
  enum class How { exited, signalled, timed_out, wrote_too_much, not_started };
  How how = How::not_started;
  int number = 0;             ///< the exit status, the signal, or the number of the error
  std::string out, messages;  ///< its standard output, its standard error
  double seconds = 0;
};

struct ChildrenOptions {
  std::size_t at_once = 1;
  std::chrono::duration<double> timeout{60};       ///< of one process
  std::size_t most_bytes = std::size_t{16} << 20;  ///< that one process may write
  std::string program = "/proc/self/exe";
};

/// Starts the commands in order, and calls `ended` with the index of each one that ends, in the order in which they
/// end. They have no standard input. When `stop` becomes true, those that run are ended, and no further one starts.
void run_children(const std::vector<Command>& commands, const ChildrenOptions& options, const std::atomic<bool>& stop,
                  const std::function<void(std::size_t, Ended)>& ended);

}  // namespace reckon::golden
