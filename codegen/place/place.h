// Which part of a GPU does which part of a plan: threads, blocks, or the grid. It changes no bit.
#pragma once

#include "codegen/lower/numbers.h"
#include "codegen/plan.h"
#include "kernel/gpu.h"

namespace reckon::codegen {

/// Leaves from which on a block does better than a thread: from there on a warp has work for each of its lanes.
constexpr std::int64_t min_block_leaves = 32;
/// Leaves from which on a reduction within the elements of a tensor has a kernel of its own, and those from which on
/// threads share a column.
constexpr std::int64_t min_inner_leaves = 256, min_column_leaves = 256;
using kernel::max_block_threads, kernel::max_registers, kernel::max_resident_blocks, kernel::max_resident_threads;
constexpr std::int64_t warp = kernel::threads_of_a_warp;
/// Bytes of shared memory that a block may have without an opt-in at the launch.
constexpr std::int64_t max_shared_bytes = kernel::max_static_shared_bytes;
/// The most lanes of a schedule whose nodes a block keeps in shared memory.
constexpr std::int64_t max_lanes_by_tree = 4096;

/// Neighbouring leaves that a thread reads at a time, if the widest part of a leaf has so many bytes in registers.
constexpr std::int64_t vector_of(std::int64_t bytes) { return bytes >= 16 ? 1 : bytes >= 8 ? 2 : 4; }

/// What placement works on.
struct Placing {
  ir::Module& module;
  Planned& planned;
  const Numbers& code;
  int chip = 0;  ///< its number: 90 for sm_90
  const kernel::Gpu& gpu() const { return *planned.gpu; }
};

/// Places every reduction of the plan; for a large one it adds buffers for the nodes that blocks make. Pins are
/// checked where a schedule is lowered (lower/pins.cpp). An error if the clauses of a `kernel` item cannot be
/// applied.
std::optional<Diagnostic> place_on_gpu(ir::Module& module, Planned& planned, const Numbers& code, int chip);

/// Adds a kernel before kernel k, in the same loop: its name is that of kernel k with the suffix, again and again until
/// no other kernel has it, and its items are the points of the body's space. It fills `outputs` buffers from `output`
/// on.
void add_kernel_before(Planned& planned, std::size_t k, std::string_view suffix, std::uint32_t output,
                       std::size_t outputs, KernelBody body);

/// The product of extents, if it is known.
std::optional<std::int64_t> known_product(const ir::Module& module, const std::vector<ir::IndexId>& extents);

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

/// Whether aligned runs of `width` values of the variable certainly read aligned runs of elements, wherever the
/// expressions read elements in that order: then a thread reads the run at once.
bool reads_aligned(ir::Module& module, const std::vector<ir::NodeId>& roots, ir::VariableId variable,
                   std::int64_t width);

/// The level to which the stage (or the order) that distributes the leaves is pinned.
ir::MachineLevel pinned_first(const ir::Module& module, ir::ScheduleId schedule);

/// Are there pins, all of them `@thread`? Then one thread carries everything out.
bool is_of_a_thread(const ir::Module& module, ir::ScheduleId schedule);

/// Whether the threads of a block can do any part of the order side by side.
bool is_parallel(const ir::Module& module, ir::ScheduleId schedule);

/// How many threads of a block the first stage of a schedule keeps busy. The stage distributes the leaves over as many
/// lists, or a few times as many, that are folded in order; one read of a thread may serve `vector` neighbouring lists.
std::optional<std::int64_t> threads_of_first_stage(const ir::Module& module, ir::ScheduleId schedule,
                                                   std::int64_t vector);

/// Adds buffers for what kernels hand on, after all others but the buffer of faults; returns the first one's number.
std::uint32_t add_buffers(Planned& planned, const std::vector<ir::Scalar>& scalars,
                          const std::vector<ir::IndexId>& extents, std::optional<Words> words,
                          Buffer::Role role = Buffer::Role::intermediate);

/// Makes kernel k, a fold, compute `count` nodes for each item, one whole result after the other, and adds a kernel
/// after it that joins them by `rest`, each item in one thread.
void add_join_kernel(ir::Module& module, Planned& planned, std::size_t k, ir::IndexId count, ir::ScheduleId rest);

/// Adds kernels for the reductions within the elements of tensors (a row's mean, divided by its length).
void hoist_reductions(const Placing& placing);

/// L, a power of two, if the schedule is `lanes(L, tree) then ...`; 1 if it is `tree`.
std::optional<std::int64_t> lanes_by_tree(const ir::Module& module, ir::ScheduleId schedule);
/// Whether a node of a fold in this order may be a product that is not rounded yet, so that it is kept as two factors
/// and a flag: where `fused` stands anywhere in the order, and sums are not exact.
bool keeps_factors(const ir::Module& module, ir::ScheduleId schedule, const Numbers& code);

}  // namespace reckon::codegen
