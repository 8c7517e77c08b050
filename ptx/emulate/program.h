// A module in the memory of an emulated device, and launches of its kernels.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/emulate/decode_options.h"
#include "ptx/emulate/memory.h"
#include "ptx/emulate/report.h"
#include "ptx/module.h"

namespace reckon::ptx {

struct Kernel;

/// What a kernel takes, in the order of its parameters.
struct ParameterInfo {
  std::string name;
  Type type{};  ///< of a parameter that is one number
  std::uint32_t offset = 0, bytes = 0;
};

/// Why a kernel cannot be launched: at a line of the PTX text, or 0.
struct Refused {
  std::uint32_t line = 0;
  std::string message;
  bool approximate = false;  ///< for an instruction whose result only the chip knows
};

/// The most shared memory that a block may have (CUDA C++ Programming Guide, "Compute Capabilities", 9.0).
inline constexpr std::uint32_t most_shared_of_block = 227 * 1024;

class Program {
 public:
  /// Gives the module's variables their places in memory, which must live as long as the program.
  Program(Module module, Memory& memory);
  Program(Program&&) noexcept;
  ~Program();

  const Module& module() const { return *module_; }
  /// Decoded at the first call. Null, with the reason in `refused`, if there is no such entry, or if the emulator lacks
  /// an instruction of it.
  const Kernel* kernel(std::string_view entry, const DecodeOptions& options, Refused& refused);
  /// Of an entry that can be decoded.
  static std::vector<ParameterInfo> parameters(const Kernel& kernel);
  /// Instructions whose results only the chip knows.
  static std::uint32_t approximate(const Kernel& kernel);
  /// Lines of the kernel, and of what it calls, whose sums an assembler may fuse with a product (ptx/emulate/joined.h).
  std::vector<std::uint32_t> lines_that_may_be_joined(const Kernel& kernel) const;
  /// The address of a variable in global or constant memory; nothing if there is none.
  std::optional<std::uint64_t> variable(std::string_view name, std::uint64_t& bytes) const;

  /// Runs the kernel to its end, or to its first fault. `parameters`: their bytes, each at its offset. Nothing, with
  /// the reason in `refused`, if the kernel cannot be launched so.
  std::optional<LaunchReport> launch(const Kernel& kernel, const LaunchOptions& options,
                                     std::vector<std::uint8_t> parameters, Refused& refused);

 private:
  std::unique_ptr<Module> module_;
  Memory* memory_;
  std::vector<std::uint64_t> globals_;
  std::map<std::pair<std::string, DecodeOptions>, std::unique_ptr<Kernel>> kernels_;
};

}  // namespace reckon::ptx
