// Which part of a GPU does which part of a plan: threads, blocks, or the grid. It changes no bit.
#pragma once

#include "codegen/lower/numbers.h"
#include "codegen/plan.h"
#include "kernel/gpu.h"

namespace reckon::codegen {

/// Leaves from which on a block does better than a thread.
constexpr std::int64_t min_block_leaves = 256;
using kernel::max_block_threads, kernel::max_registers, kernel::max_resident_blocks, kernel::max_resident_threads;
constexpr std::int64_t warp = kernel::threads_of_a_warp;
/// Of shared memory, that a block may have without asking for more at the launch.
constexpr std::int64_t max_shared_bytes = kernel::max_static_shared_bytes;
/// Lanes of a schedule, at most, whose nodes a block keeps in shared memory.
constexpr std::int64_t max_lanes_by_tree = 4096;

/// Neighbouring leaves that a thread reads at a time, where the widest part of one has so many bytes in registers.
constexpr std::int64_t vector_of(std::int64_t bytes) { return bytes >= 16 ? 1 : bytes >= 8 ? 2 : 4; }

/// What placement works on.
struct Placing {
  ir::Module& module;
  Planned& planned;
  const Numbers& code;
};

/// Decides for every reduction of the plan; of a large one, the nodes that blocks make are in buffers of their own.
/// Pins are compared with who carries out what where that is lowered (lower/pins.cpp). An error if what a kernel states
/// cannot be obeyed.
std::optional<Diagnostic> place_on_gpu(ir::Module& module, Planned& planned, const Numbers& code);

/// The order in which a reduction is carried out on a GPU: that of its schedule for its length, or another that gives
/// the same bits.
struct PlacedOrder {
  ir::ScheduleId schedule;
  bool fused = false;  ///< it stands within `fused`
  bool any = false;    ///< every order gives the same bits
};
PlacedOrder placed_order(ir::Module& module, ir::NodeId reduce, const Numbers& code);

/// Are the elements that follow each other in the fold neighbours in memory, wherever it reads any?
bool reads_in_order(ir::Module& module, ir::NodeId root, ir::VariableId variable);

/// To which level the stage or order is pinned that deals out the leaves.
ir::MachineLevel pinned_first(const ir::Module& module, ir::ScheduleId schedule);

/// Are there pins, all of them `@thread`? Then one thread carries everything out.
bool is_of_a_thread(const ir::Module& module, ir::ScheduleId schedule);

/// Is there anything in it that the threads of a block can do side by side?
bool is_parallel(const ir::Module& module, ir::ScheduleId schedule);

/// Threads of a block that the first stage of a schedule keeps busy: it deals the leaves out to as many, or to a few
/// times as many, lists that are folded in order. Of `vector` neighbouring lists each thread may have one read.
std::optional<std::int64_t> threads_of_first_stage(const ir::Module& module, ir::ScheduleId schedule,
                                                   std::int64_t vector);

/// Buffers for what kernels hand on, behind all others but that of faults; the first one's number.
std::uint32_t add_buffers(Planned& planned, const std::vector<ir::Scalar>& scalars,
                          const std::vector<ir::IndexId>& extents, const std::optional<Words>& words,
                          Buffer::Role role = Buffer::Role::intermediate);

/// Kernel k, a fold, makes `count` nodes of each item, one whole result after the other; a kernel after it, an item of
/// which is a thread's, joins them by `rest`.
void add_join_kernel(ir::Module& module, Planned& planned, std::size_t k, ir::IndexId count, ir::ScheduleId rest);

/// Kernels of their own for the reductions within the elements of tensors (a row's mean, divided by its length).
void hoist_reductions(const Placing& placing);

/// L, a power of two, if the schedule is `lanes(L, tree) then ...`; 1 if it is `tree`.
std::optional<std::int64_t> lanes_by_tree(const ir::Module& module, ir::ScheduleId schedule);
/// Whether a node of a fold in this order may be a product that is not rounded yet, so that it is kept as two factors
/// and a flag: where `fused` stands anywhere in the order, and sums are not exact.
bool keeps_factors(const ir::Module& module, ir::ScheduleId schedule, const Numbers& code);

}  // namespace reckon::codegen
