// Kernels of PTX, whoever wrote them, in an emulator of a GPU (docs/ptx.md).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reckon.h"

namespace reckon {

/// A kernel of a file, and what it takes.
struct PtxKernel {
  struct Parameter {
    std::string name;
    std::string type;  ///< of PTX: `u64`, `f32`; `b8` for a struct
    std::uint64_t bytes = 0;
  };
  std::string name;
  std::vector<Parameter> parameters;
};

/// One argument: a number in the parameter's type (decimal, or `0x` and hexadecimal digits), or memory whose address
/// the kernel gets.
struct PtxArgument {
  std::string number;            ///< where there is no memory
  std::optional<Tensor> memory;  ///< its contents before the launch
  bool unwritten = false;        ///< nobody has written the memory: the contents are of no matter
  bool zeros = false;            ///< the memory is of zeros, which are no inputs of the kernel
};

struct PtxLaunch {
  std::string kernel;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t shared_bytes = 0;                 ///< dynamic shared memory
  std::vector<PtxArgument> arguments;             ///< for each parameter
  std::uint64_t seed = 0;                         ///< of the order of blocks and warps; 0: they go in order
  std::uint64_t budget = std::uint64_t{1} << 40;  ///< instructions of threads, after which the launch is ended
  bool races = true;                              ///< looks for races and for memory that is read before it is written
  /// `.approx` instructions give the nearest number, which no chip promises; else kernels that have them are refused.
  bool nearest = false;
  /// What floats are: `float`, or `fpsan` and its generations (docs/ptx.md, "Other semantics").
  std::string semantics = usual_semantics();
};

struct PtxRun {
  /// What was wrong: E0630 if the text cannot be read or the kernel not run, E0631 for each thing that the kernel does
  /// and should not do.
  std::vector<Message> messages;
  /// The arguments' memory after the launch, in their order; nothing if the launch was ended, and for numbers.
  std::vector<std::optional<Tensor>> memory;
  /// What was counted, by name: instructions of threads and of warps, divergent branches, requests of memory.
  std::vector<std::pair<std::string, std::uint64_t>> counts;
  bool approximated = false;  ///< the kernel has instructions for which `nearest` stood in
};

/// The kernels of a text. `name` is what messages call the file.
RECKON_API Result<std::vector<PtxKernel>> ptx_kernels(const std::string& text, const std::string& name);

/// Whether run_ptx knows the semantics. Others have the values of a kernel's circuit (values_of_ptx in reckon/trace.h).
RECKON_API bool ptx_emulates(const std::string& semantics);

RECKON_API PtxRun run_ptx(const std::string& text, const std::string& name, const PtxLaunch& launch);

}  // namespace reckon
