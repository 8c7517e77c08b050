#include "codegen/place/place.h"

#include <algorithm>
#include <bit>

#include "codegen/place/columns.h"
#include "codegen/place/kernel_clauses.h"
#include "codegen/place/tiles.h"
#include "ir/op.h"

namespace reckon::codegen {
namespace {

using ir::NodeId;
using ir::Op;
using ir::ScheduleOp;
using Spread = KernelBody::Spread;

/// Leaves up to which one block does as well as a grid.
constexpr std::int64_t one_block_leaves = 1 << 15;
/// Leaves up to which one pass over the grid is enough.
constexpr std::int64_t one_pass_leaves = 1 << 20;
/// Reductions from which on each of them may have a block, and the chip is full.
constexpr std::int64_t enough_blocks = 512;
constexpr std::int64_t leaves_of_a_thread = 32;
constexpr std::string_view block_name = "a block", grid_name = "the grid";
constexpr Reason items_unknown{"it is not known how many results there are"};
constexpr Reason many_items{"{have} results keep the chip busy, as {need} would"};
constexpr Reason not_side_by_side{"neighbouring results do not read neighbours in memory"};
constexpr Reason across_memory{"neighbouring leaves are no neighbours in memory"};
/// Threads of a block, at most: with two blocks of them on a multiprocessor, what one does at its end is hidden by the
/// other.
constexpr std::int64_t max_threads = 512;

}  // namespace

bool reads_in_order(ir::Module& module, NodeId root, ir::VariableId variable) {
  std::vector<NodeId> pending{root};
  while (!pending.empty()) {
    const ir::Node node = module[pending.back()];
    pending.pop_back();
    if (node.op == Op::reduce || node.op == Op::scan) return false;
    if (node.op == Op::element) {
      for (std::size_t k = 0; k < node.indices.size(); ++k) {
        if (!module.indices().mentions(node.indices[k], variable)) continue;
        if (k + 1 < node.indices.size()) return false;
        const auto affine = module.indices().affine_in(node.indices[k], variable);
        const auto stride = affine ? module.indices().as_constant(affine->stride) : std::nullopt;
        if (stride != 1 && stride != -1) return false;
      }
      if (module[node.operands[0]].op == Op::parameter || module.free_variables(node.operands[0]).empty()) continue;
    }
    pending.insert(pending.end(), node.operands.begin(), node.operands.end());
  }
  return true;
}

namespace {

class Placer {
 public:
  Placer(ir::Module& module, Planned& planned, const Numbers& code) : module_(module), planned_(planned), code_(code) {}

  void run() {
    hoist_reductions(module_, planned_, code_);
    for (KernelBody& body : planned_.bodies) {
      // An element that is nothing but a reduction.
      const bool is_fold = body.kind == KernelBody::Kind::elements && module_[body.node].op == Op::reduce;
      if (is_fold) body.kind = KernelBody::Kind::fold;
      if (body.kind == KernelBody::Kind::fold) body.vector = vector_of(widest_part(body));
    }
    split_into_runs(module_, planned_, code_);
    for (std::size_t k = 0; k < planned_.bodies.size(); ++k) {
      const KernelBody& body = planned_.bodies[k];
      if (body.kind == KernelBody::Kind::fold && !body.nodes) place(k);
    }
    fuse_rows(module_, planned_);
  }

 private:
  void place(std::size_t k) {
    KernelBody& body = planned_.bodies[k];
    const auto refuse = [&](std::string_view strategy, const Reason& reason, std::int64_t have = 0,
                            std::int64_t need = 0) {
      planned_.bodies[k].decision.refuse(strategy, reason, have, need);
    };
    const ir::Node node = module_[body.node];
    const auto length = module_.indices().as_constant(node.indices[0]);
    body.schedule = body.decision.stated = module_.reduction_of(body.node).schedule;
    const auto operations = module_.schedules().operations(body.schedule);
    if (std::any_of(operations.begin(), operations.end(), ir::is_set_of_orders)) return;  // refused elsewhere
    if (is_of_a_thread(module_, body.schedule)) return refuse(block_name, reason::pinned_to_thread);
    const bool is_pinned = !module_.schedules().levels(body.schedule).empty();
    const PlacedOrder order = placed_order(module_, body.node, code_);
    body.schedule = order.schedule;
    body.fused = order.fused;

    const auto items = count(body.space);
    const bool alone = body.space.empty();
    // All threads of a block, and of a warp those of different columns, come to every barrier together.
    if (!module_.indices().variables(node.indices[0]).empty()) return refuse(block_name, reason::length_varies);
    if (is_pinned) refuse(tiles_name, reason::pinned);
    else if (place_tiles(module_, planned_, k, order.any)) return;
    const std::int64_t min_leaves = alone ? warp : min_block_leaves;
    if (!is_pinned && length && *length < min_leaves) {
      return refuse(block_name, reason::few_leaves, *length, min_leaves);
    }
    Kernel& kernel = planned_.plan.kernels[k];
    if (!alone && !reads_in_order(module_, node.operands[0], node.variables[0])) {
      const bool side_by_side = reads_in_order(module_, node.operands[0], body.space.back().variable);
      const auto lanes = lanes_by_tree(module_, body.schedule);
      refuse(block_name, across_memory);
      if (!side_by_side) return refuse(columns_name, not_side_by_side);
      if (is_pinned) return refuse(columns_name, reason::pinned);
      if (!lanes) return refuse(columns_name, reason::not_by_tree);
      place_columns(module_, planned_, k, state_bytes(k), keeps_factors(body));
      return;
    }
    // Where there is nothing else to do, even the leaves of `seq` are better read by many threads.
    const bool reads_ahead = alone && module_.schedules()[body.schedule].op == ScheduleOp::seq;
    const bool parallel = is_parallel(module_, body.schedule);
    if (!parallel) refuse(reads_ahead ? grid_name : block_name, reason::not_shared);
    if (!reads_ahead && !parallel) return;
    body.spread = Spread::blocks;
    kernel.threads = threads_for(body, length);
    const bool few = alone || (items && *items < enough_blocks);
    const bool long_enough = length ? *length > one_block_leaves : !body.follows;
    const ir::MachineLevel pinned = pinned_first(module_, body.schedule);
    const bool by_grid = pinned == ir::MachineLevel::none ? few && long_enough : pinned == ir::MachineLevel::grid;
    if (by_grid && lanes_by_tree(module_, body.schedule)) return over_grid(k, length);
    if (!parallel) return;
    if (pinned != ir::MachineLevel::none && pinned != ir::MachineLevel::grid) {
      refuse(grid_name, reason::pinned_elsewhere);
    } else if (!few && items) {
      refuse(grid_name, many_items, *items, enough_blocks);
    } else if (!few) {
      refuse(grid_name, items_unknown);
    } else if (!long_enough && length) {
      refuse(grid_name, reason::few_leaves, *length, one_block_leaves + 1);
    } else if (long_enough) {
      refuse(grid_name, reason::not_by_tree);
    }
  }

  /// Of a node of the fold, at most: intervals and rings have 16 bytes for a number.
  std::int64_t state_bytes(std::size_t k) const {
    const KernelBody& body = planned_.bodies[k];
    const auto scalars = scalars_of(module_, module_[module_[body.node].operands[0]].type);
    std::int64_t bytes = 0;
    for (ir::Scalar scalar : scalars) bytes += scalar == ir::Scalar::f64 ? 8 : 4;
    const bool two_words = planned_.plan.buffers[planned_.plan.kernels[k].output].endpoints != Endpoints::none;
    return bytes * (two_words ? 4 : 1) * (keeps_factors(body) ? 3 : 1);
  }

  /// As the reduction states its order: body.schedule is what is left of it.
  bool keeps_factors(const KernelBody& body) const {
    return codegen::keeps_factors(module_, module_.reduction_of(body.node).schedule, code_);
  }

  /// Bytes of a register of the fold's state, of the widest.
  std::int64_t widest_part(const KernelBody& body) const {
    std::int64_t bytes = 0;
    for (ir::Scalar scalar : scalars_of(module_, module_[module_[body.node].operands[0]].type)) {
      if (scalar == ir::Scalar::number) continue;  // refused elsewhere
      const auto size = code_.widths().of(scalar, kernel::Form::registers);
      bytes = std::max(bytes, static_cast<std::int64_t>(size));
    }
    return bytes;
  }

  std::optional<std::int64_t> count(const std::vector<Binder>& space) {
    std::int64_t product = 1;
    for (const Binder& binder : space) {
      const auto extent = module_.indices().as_constant(binder.extent);
      if (!extent || __builtin_mul_overflow(product, *extent, &product)) return std::nullopt;
    }
    return product;
  }

  std::uint32_t threads_for(const KernelBody& body, std::optional<std::int64_t> length) const {
    if (const auto threads = threads_of_first_stage(module_, body.schedule, body.vector)) {
      return static_cast<std::uint32_t>(*threads);
    }
    if (!length) return 256;
    std::int64_t threads = 64;
    while (threads < max_threads && threads * leaves_of_a_thread < *length) threads *= 2;
    return static_cast<std::uint32_t>(threads);
  }

  /// One or two passes over the list, and then a block does the rest.
  void over_grid(std::size_t k, std::optional<std::int64_t> length) {
    KernelBody& body = planned_.bodies[k];
    Kernel& kernel = planned_.plan.kernels[k];
    body.spread = Spread::grid;
    body.max_block_rows = max_block_rows(body.vector);
    const bool one_pass = length && *length > one_block_leaves && *length <= one_pass_leaves;
    kernel.threads = max_threads;
    std::vector<ir::IndexId> counters = kernel.items;  // the reduction's space
    kernel.items = add_pass(k, counters, one_pass ? GridRuns::balanced : GridRuns::many);
    std::int64_t groups = 0;
    if (!one_pass) {
      add_pass(k, counters, GridRuns::few);
      groups = default_blocks(GridRuns::few);
    }
    counters.push_back(module_.indices().constant(groups + 1));
    body.counters = add_buffers(planned_, {ir::Scalar::u32}, counters, Endpoints::none, Buffer::Role::counters);
  }

  /// Cuts the list of each point of a space, or what the pass before makes of it, into runs; gives their extents.
  std::vector<ir::IndexId> add_pass(std::size_t k, std::vector<ir::IndexId> extents, GridRuns runs) {
    KernelBody& body = planned_.bodies[k];
    const std::int64_t lanes = *lanes_by_tree(module_, body.schedule);
    ir::IndexStore& indices = module_.indices();
    std::vector<ir::Scalar> parts = scalars_of(module_, module_[module_[body.node].operands[0]].type);
    if (keeps_factors(body)) parts = {parts[0], parts[0], ir::Scalar::boolean};
    ir::IndexId blocks = indices.constant(default_blocks(runs));
    if (runs == GridRuns::many) {
      const std::int64_t block_row = std::max(lanes, warp * body.vector);
      const ir::IndexId run = indices.constant(body.max_block_rows * block_row);
      blocks = indices.maximum(blocks,
                               indices.add(indices.floor_div(module_[body.node].indices[0], run), indices.constant(1)));
    }
    extents.push_back(blocks);
    std::vector<ir::IndexId> kept = extents;
    kept.push_back(indices.constant(lanes));
    const Endpoints endpoints = planned_.plan.buffers[planned_.plan.kernels[k].output].endpoints;
    body.passes.push_back({runs, add_buffers(planned_, parts, kept, endpoints)});
    return extents;
  }

  ir::Module& module_;
  Planned& planned_;
  const Numbers& code_;
};

}  // namespace

void add_join_kernel(ir::Module& module, Planned& planned, std::size_t k, ir::IndexId count, ir::ScheduleId rest) {
  std::vector<Kernel>& kernels = planned.plan.kernels;
  KernelBody whole = planned.bodies[k];
  Kernel last = kernels[k];
  const std::vector<ir::Scalar> parts = scalars_of(module, module[whole.node].type);
  std::vector<ir::IndexId> extents{count};
  extents.insert(extents.end(), last.items.begin(), last.items.end());
  whole.nodes = kernels[k].output = add_buffers(planned, parts, extents, planned.plan.buffers[last.output].endpoints);
  whole.schedule = rest;
  whole.fused = false;
  kernels[k].name += "_runs";
  const auto after = static_cast<std::ptrdiff_t>(k) + 1;
  kernels.insert(kernels.begin() + after, std::move(last));
  planned.bodies.insert(planned.bodies.begin() + after, std::move(whole));
}

std::optional<Diagnostic> place_on_gpu(ir::Module& module, Planned& planned, const Numbers& code) {
  if (auto problem = refused_clause(planned.clauses)) return problem;
  Placer(module, planned, code).run();
  return apply_clauses(module, planned);
}

}  // namespace reckon::codegen
