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

/// One argument: a number in the parameter's type (decimal, or `0x` and hexadecimal digits), a struct (`bytes:` and two
/// hexadecimal digits for each byte), or memory whose address the kernel gets.
struct PtxArgument {
  std::string number;            ///< where there is no memory
  std::optional<Tensor> memory;  ///< its contents before the launch
  bool unwritten = false;        ///< nobody has written the memory: the contents are of no matter
  bool zeros = false;            ///< the memory is of zeros, which are no inputs of the kernel
  std::string name = {};         ///< of a traced circuit's parameter; empty: `a` and the argument's number
};

struct PtxLaunch {
  std::string kernel;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t shared_bytes = 0;                 ///< dynamic shared memory
  std::vector<PtxArgument> arguments;             ///< for each parameter
  std::uint64_t seed = 0;                         ///< of the order of blocks and warps; 0: they go in order
  std::uint64_t budget = std::uint64_t{1} << 40;  ///< instructions of threads, after which the launch is ended
  bool races = true;                              ///< looks for races and for memory that is read before it is written
  bool profile = false;                           ///< PtxRun::lines
  /// `.approx` instructions give the nearest number, which no chip promises; else kernels that have them are refused.
  bool nearest = false;
  /// Where not empty: a file of tables of what approximate instructions give on a chip (docs/ptx.md, "What is exact"),
  /// which they give then. Those that it does not know are refused, or `nearest`.
  std::string tables;
  /// What floats are: `float`, or `fpsan` and its generations (docs/ptx.md, "Other semantics").
  std::string semantics = usual_semantics();
};

/// What a line of the kernel costs: of the user's source where the compiler says which (`.loc`), else of the PTX.
/// Counted are instructions of PTX, each by a warp.
struct PtxLine {
  std::string place;  ///< `k.cu:12`, or `line 40`
  /// By the unit that carries them out: integer, f32, f64, half, special, convert, tensor, memory, exchange, control.
  std::map<std::string, std::uint64_t> units;
  std::uint64_t instructions = 0;  ///< of warps
  std::uint64_t threads = 0;       ///< that took part in them: 32 times as many if all did
  std::uint64_t divergent = 0;     ///< branches at which the threads of a warp parted
  // Requests of global memory by warps; the bytes that threads asked for, each counted; the sectors of 32 bytes
  // touched.
  std::uint64_t global_requests = 0, global_bytes = 0, global_sectors = 0;
  // Requests of shared memory, the wavefronts that conflicts of banks make of them, and those without conflicts.
  std::uint64_t shared_requests = 0, shared_wavefronts = 0, least_wavefronts = 0;
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
  std::string printed;        ///< by `printf`
  std::vector<PtxLine> lines;  ///< if the launch was profiled: those that were carried out, by file and line
};

/// The kernels of a text. `name` is what messages call the file.
RECKON_API Result<std::vector<PtxKernel>> ptx_kernels(const std::string& text, const std::string& name);

/// The lines of a profiled run as a table, or as a picture: bars of instructions by unit, figures beside them. `title`
/// names the kernel.
RECKON_API std::string ptx_report(const PtxRun& run, const std::string& title, PictureForm form = PictureForm::text);

/// Whether run_ptx knows the semantics. Others have the values of a kernel's circuit (values_of_ptx in reckon/trace.h).
RECKON_API bool ptx_emulates(const std::string& semantics);

RECKON_API PtxRun run_ptx(const std::string& text, const std::string& name, const PtxLaunch& launch);

}  // namespace reckon
