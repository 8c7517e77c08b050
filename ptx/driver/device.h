// The one device of the emulated CUDA driver, and what its handles point to.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "numerics/chips/chip.h"
#include "ptx/emulate/program.h"
#include "ptx/shadow/values.h"

namespace reckon::ptx::driver {

/// CUresult: those that are given, and two of the emulator's own: a kernel did what it should not do, and a kernel
/// cannot be emulated.
namespace result {
inline constexpr int success = 0, invalid_value = 1, out_of_memory = 2, no_binary_for_device = 209, invalid_ptx = 218,
                     not_found = 500, not_supported = 801, kernel_fault = 5001, kernel_refused = 5002;
}

/// A launch with everything that it needs, so that it can be carried out again.
struct Launch {
  Program* program = nullptr;
  const Kernel* kernel = nullptr;
  LaunchOptions options;
  std::vector<std::uint8_t> parameters;
};

struct Stream {
  bool captures = false;
  std::vector<Launch> captured;
};
struct Graph {
  std::vector<Launch> launches;
};
struct Function {
  Program* program = nullptr;
  std::string name;
  int dynamic_shared_bytes = 48 * 1024;
};
struct LoadedModule {
  std::unique_ptr<Program> program;
  std::map<std::string, Function> functions;
};
struct Event {
  double seconds = 0;
};

/// Everything that a process does with the device. The launch of a kernel that does what it should not do gives an
/// error, whose text says what was found.
class Device {
 public:
  Device();
  int load(LoadedModule*& out, const char* text, std::string& log);
  int launch(Function& function, const LaunchOptions& options, void** parameters, Stream* stream);
  int carry_out(const Launch& launch);
  int copy_in(std::uint64_t to, const void* from, std::size_t bytes);
  int copy_out(void* to, std::uint64_t from, std::size_t bytes);
  int copy(std::uint64_t to, std::uint64_t from, std::size_t bytes);
  int set(std::uint64_t to, unsigned char value, std::size_t bytes);

  Memory memory;
  std::mutex mutex;
  std::string trouble;  ///< what the last launch that failed did
  std::size_t stack_bytes = 1024;
  bool approximates_nearest = false;

 private:
  std::uint8_t* reach(std::uint64_t address, std::size_t bytes, Allocation*& allocation);
  std::uint64_t seed_ = 0, most_instructions_ = LaunchOptions{}.most_instructions;
  bool summarises_ = false;
  std::shared_ptr<const numerics::Chip> chip_;  ///< what approximate instructions give
  std::unique_ptr<Values> values_;  ///< what floats are; null: floats
};

Device& device();

}  // namespace reckon::ptx::driver
