// Compiling a circuit: IR -> LLVM IR once, for every compiled semantics, then to the host (ORC) or to PTX (NVPTX).
// No LLVM type appears in this header and in compiled_semantics.h, which others include. Compiled code is run by
// runtime/.
//
// A compiled program is a plan: a list of kernels, run in order, each of which computes one buffer (a tensor, or a
// scalar) from the parameters and from earlier buffers; some kernels are run again and again in a loop. Host and GPU
// share the plan and the lowering; only how a kernel's elements are spread over threads differs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/choices.h"
#include "codegen/compiled_semantics.h"
#include "ir/module.h"
#include "kernel/cost.h"
#include "kernel/gpu.h"

namespace reckon::codegen {

/// Where compiled kernels are kept from one process to the next.
class KernelStore {
 public:
  virtual ~KernelStore() = default;
  virtual std::optional<std::string> find(const std::string& name) = 0;
  virtual void keep(const std::string& name, const std::string& contents) = 0;
};

/// A place in a source text, as line tables have it.
struct SourceLine {
  std::string file;
  std::uint32_t line = 0, column = 0;
};

struct CompileOptions {
  const CompiledSemantics* semantics = nullptr;  ///< must be set (driver::Traits::compiled)
  Target target = Target::host;
  std::string arch = "sm_90";    ///< ptx
  std::string cpu = "native";    ///< host: a processor, as LLVM names it; `native`: this machine's
  bool optimise = true;          ///< bits do not depend on it
  KernelStore* store = nullptr;  ///< ptx: kernels are taken from it if it has them, and kept in it otherwise
  bool keep_llvm_ir = false;     ///< keep LLVM IR as text, which takes a while to write
  /// ptx: ways that placement is to take; E0603 if it does not come to such a choice.
  StatedChoices choices = {};
  /// Where a place of the circuit is; with it, code has line tables, and `store`, which holds no places, is not used.
  std::function<std::optional<SourceLine>(SourceSpan)> lines = {};
};

/// One buffer of a plan: a parameter, an intermediate, or a result. `extents` are index expressions over the function's
/// dimensions. Elements are bit patterns of the scalar type, row-major. With `words`, an element is a value of the
/// evaluator: two endpoints, the lower one first, or an element of a ring; a bool is 0, 1, or 2 for "unknown". A buffer
/// of role `faults` has a bit for each of Plan::faults, from the lowest bit of the first 64-bit word on; kernels set
/// the bit of a fault that happens. `counters` must be zero before the first launch, and are zero again after each.
/// A buffer of role `state` is one of the two of a part of a loop's state (Loop::exchanged).
struct Buffer {
  enum class Role : std::uint8_t { parameter, constant, intermediate, result, faults, counters, state } role{};
  ir::Scalar scalar{};
  std::vector<ir::IndexId> extents;
  std::uint32_t position = 0;  ///< parameter, result: its position (tuples flattened)
  ir::NodeId source;           ///< constant: a source or an array of literals, filled before the launch
  std::optional<Words> words = std::nullopt;
  /// parameter, result: how its elements are stored, in units of elements; without it they are row-major. The buffer
  /// has the layout's cosize, and kernels write no place that belongs to no element.
  std::optional<ir::Storage> storage = std::nullopt;

  /// An element is several words.
  bool in_words() const { return words && scalar != ir::Scalar::boolean; }
};

/// One kernel: computes buffer `output`, reading parameters, constants and buffers of earlier kernels.
/// Its work items are the points of `items`, row-major: mostly the elements of the output, but a whole scan is one
/// item. ABI: pointers to every buffer of the plan in order, then every dimension as i64 in the function's order, then
/// the number of the round of every loop of the plan as i64; on PTX the tensor maps of the plan follow by value. Host:
/// `void name(void** buffers, const int64_t* dimensions, int64_t begin, int64_t end)` computes items begin..end-1. PTX:
/// `.entry name(buffer pointers..., dimensions...)`. Pointers are aligned to 16 bytes, and the last 16 bytes must be
/// readable even if the elements end before. The grid and its blocks are one-dimensional, and the loop is grid-stride:
/// unless `one_item` is set, every grid gives the same result. No buffer that is written may overlap another one.
struct Kernel {
  std::string name;
  std::uint32_t output = 0;
  std::uint32_t outputs = 1;       ///< a tuple-valued reduction fills `outputs` buffers, from `output` on
  std::vector<ir::IndexId> items;  ///< extents; none: one item
  std::optional<std::uint32_t> loop = std::nullopt;  ///< the innermost loop that it is in
  bool whole = false;  ///< host: one pass over the leaves serves all items, so that one thread computes them
  // PTX only.
  std::uint32_t threads = 256;     ///< threads of a block: a good number; if a block has whole items, the only one
  std::uint32_t block_items = 0;   ///< items that a block's threads compute together; 0: each item is one thread's
  std::uint32_t resident = 0;      ///< blocks of a multiprocessor that the grid has at most; 0: there is no such limit
  bool one_item = false;           ///< a block computes a single item, so the grid needs one block for each item
  std::uint32_t shared_bytes = 0;  ///< of a block
  /// What the launch must state of them: all if they are more than a block has without an opt-in
  /// (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), else none, because the kernel itself states them.
  std::uint32_t dynamic_shared_bytes() const {
    return shared_bytes > kernel::max_static_shared_bytes ? shared_bytes : 0;
  }
  /// The kernel may be launched with programmatic stream serialization: it waits for the kernel before it by itself.
  bool overlaps = false;
  bool recursive = false;  ///< calls itself: raise the device's stack limit (CU_LIMIT_STACK_SIZE)

  /// If a block computes an item together, a new block replaces one that ends early, which balances better than a loop.
  static constexpr std::uint32_t usual_most_blocks = 4096;
  /// Blocks of a multiprocessor that the grid has at most, if `block_items` is not 0; 0: one for each of its items.
  std::uint32_t most_blocks() const { return one_item ? 0 : resident > 0 ? resident : usual_most_blocks; }
};

/// A tensor map (CUtensorMap) of a buffer: how the copy engine of a GPU finds boxes of its elements, which it puts into
/// shared memory with the swizzle of 128 bytes, and zeros where a box goes beyond the tensor. It is encoded for each
/// launch (cuTensorMapEncodeTiled) with the elements as unsigned integers of their width, the interleave none, the
/// promotion to 256 bytes of the second-level cache, and element strides of 1.
struct TensorMap {
  static constexpr std::size_t bytes = 128, alignment = 64;
  std::uint32_t buffer = 0;
  /// The buffer that is described instead, where this expression is not 0 for the sizes.
  std::optional<std::uint32_t> copy = std::nullopt;
  ir::IndexId copied = {};
  std::vector<ir::IndexId> extents;  ///< elements, the innermost dimension first; an extent of 0 counts as 1
  std::vector<ir::IndexId> strides;  ///< bytes, from the second dimension on; multiples of 16
  std::vector<std::uint32_t> box;    ///< elements
};

/// Kernels that are run in order, again and again; they stand together in the plan. Each round reads the present state
/// and writes the next one. Then the two exchange their memory.
struct Loop {
  std::optional<std::uint32_t> around;  ///< the loop that it is in
  ir::IndexId rounds;                   ///< over the dimensions; none if it is not positive
  ir::SymbolId round;                   ///< the number of the round in index expressions of its kernels
  std::vector<std::pair<std::uint32_t, std::uint32_t>> exchanged = {};  ///< buffers
};

struct Plan {
  std::vector<Buffer> buffers;
  std::vector<Kernel> kernels;
  std::vector<ir::SymbolId> dimensions;
  std::vector<Loop> loops;
  std::vector<TensorMap> tensor_maps;  ///< PTX
  std::vector<Diagnostic> faults;  ///< what may go wrong while kernels run, in the order of evaluation

  /// What kernels take after the buffers: the dimensions, and the rounds of the loops.
  std::vector<ir::SymbolId> sizes() const {
    std::vector<ir::SymbolId> out = dimensions;
    for (const Loop& loop : loops) out.push_back(loop.round);
    return out;
  }

  /// ptxas's -O for these kernels; none: its own choice. From -O2 on, ptxas 13.0 fails to set a uniform register that
  /// holds part of stack addresses in functions that call themselves (seen in the machine code of 4 of 6,000 random
  /// programs, which accessed memory far from the stack).
  std::optional<int> assembler_level() const {
    const bool any_recursive = std::any_of(kernels.begin(), kernels.end(), [](const Kernel& k) { return k.recursive; });
    return any_recursive ? std::optional(1) : std::nullopt;
  }
};

/// The launch of a PTX kernel with so many work items, one for each thread, in a grid-stride loop. Small kernels get
/// smaller blocks than they ask for, so that all multiprocessors have work. Large kernels get a limited number of
/// blocks, so that the loop over the items pays off. `max_threads` is what the kernel's registers allow. Without items
/// there are no blocks.
kernel::LaunchShape launch_shape(const Kernel& kernel, std::int64_t items, int multiprocessors, int max_threads);

class HostProgram;  ///< owns the ORC session

struct Compiled {
  const CompiledSemantics* semantics = nullptr;
  Plan plan;
  std::string llvm_ir;   ///< after optimisation, if it is to be kept; empty if the kernels were found in a store
  std::string assembly;  ///< ptx: the PTX; host: empty unless asked for by assembly_text
  std::shared_ptr<HostProgram> host;  ///< target host
};

/// What the PTX of a plan is for, if `arch` was asked for: tensor maps are of `sm_90a`, which no later chip runs.
std::string arch_of(const std::string& arch, const Plan& plan);

/// Compiles a function; its dimensions may still be symbolic. Errors are E0700 at the operation's place (what the
/// target cannot do yet), or E0999 with the offending line if LLVM or the audit objects.
Expected<Compiled> compile(ir::Module& module, const ir::Function& function, const CompileOptions& options);

/// An error (E0701) at the clause that no GPU can follow for any circuit; nothing if a GPU can follow all of them. The
/// clauses do not contradict each other (ir::contradiction).
std::optional<Diagnostic> refused_clause(const ir::KernelClauses& clauses);

/// The kernels of the function before code is generated for them (docs/kernel_ir.md), and their text; `plan`, if it is
/// not null, gets what they are launched with. Errors of placement and lowering are those of `compile`.
Expected<kernel::Program> kernels_of(ir::Module& module, const ir::Function& function, const CompileOptions& options,
                                     Plan* plan = nullptr);
Expected<std::string> kernels_text(ir::Module& module, const ir::Function& function, const CompileOptions& options);

/// The choices that placement makes for the function, in their order, and what comes of them. Errors are those of
/// `kernels_of`.
struct ModelledChoices {
  std::vector<Choice> choices;
  std::optional<double> seconds;  ///< the least that the kernels take by the model of costs (codegen/launch_cost.h)
  std::string kernels;            ///< of equal kernels with equal launches: equal
};
Expected<ModelledChoices> modelled_choices(ir::Module& module, const ir::Function& function,
                                           const CompileOptions& options);

/// What became of each reduction of the function, why, and what bounds its kernel, in words (codegen/report.h). `place`
/// says where something stands in the sources. Errors are those of `kernels_of`.
Expected<std::string> report_text(ir::Module& module, const ir::Function& function, const CompileOptions& options,
                                  const std::function<std::string(SourceSpan)>& place);

/// What a function that computes the whole circuit is made of, besides the kernels (standalone/entry.h).
struct EntryOptions {
  std::string symbol;                             ///< its name
  std::vector<ir::IndexId> conditions;            ///< on the dimensions (ir/size_conditions.h)
  /// What a buffer of role `constant` holds.
  std::function<Expected<std::vector<std::uint8_t>>(const ir::Function&, const Buffer&)> constant;
};

/// An object file of the host with one symbol that others see, the function `entry.symbol`. It refers to no function
/// but those of the C library. E0700 if the semantics' code needs functions of this program.
Expected<std::string> host_object(ir::Module& module, const ir::Function& function, const CompileOptions& options,
                                  const EntryOptions& entry);

/// Host assembly of a compiled host program.
Expected<std::string> host_assembly(ir::Module& module, const ir::Function& function, const CompileOptions& options);

/// The address of a host kernel.
using HostKernel = void (*)(void** buffers, const std::int64_t* dimensions, std::int64_t begin, std::int64_t end);
HostKernel host_kernel(const Compiled& compiled, const std::string& name);

/// Runs ptxas where it is installed: its first message if it rejects the PTX; otherwise its warnings, register spills
/// among them, and the cubin. `missing`: there is no ptxas; `no_file`: no temporary file can be made.
struct PtxasResult {
  enum class Status : std::uint8_t { accepted, rejected, missing, no_file } status{};
  std::string message;
  std::string cubin = {};
};
PtxasResult check_with_ptxas(const std::string& ptx, const std::string& arch, std::optional<int> level = {});

}  // namespace reckon::codegen
