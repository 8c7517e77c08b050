#include "codegen/place/candidate.h"

#include <algorithm>

#include "ir/op.h"
#include "ir/visit.h"

namespace reckon::codegen {

using ir::NodeId;
using ir::Op;

namespace {

/// The number of the element in its tensor.
ir::IndexId offset_of(ir::Module& module, const ir::Node& element) {
  ir::IndexStore& indices = module.indices();
  const std::vector<ir::IndexId> extents = module.type(element.operands[0]).extents;
  ir::IndexId offset = indices.constant(0);
  for (std::size_t k = 0; k < element.indices.size(); ++k) {
    offset = indices.rejoined(indices.add(indices.multiply(offset, extents[k]), element.indices[k]));
  }
  return offset;
}

/// Whether the index is a multiple of the width for all values of its variables and dimensions, as its terms show.
bool is_multiple(const ir::IndexStore& indices, ir::IndexId id, std::int64_t width) {
  if (const auto value = indices.as_constant(id)) return *value % width == 0;
  const ir::IndexNode& node = indices[id];
  return node.op == ir::IndexOp::sum && node.value % width == 0 &&
         std::ranges::all_of(node.coefficients, [&](std::int64_t each) { return each % width == 0; });
}

/// Does the element lie one further, or one before, where the variable is one greater? A view of a tensor that is read
/// through has subscripts that are the digits of a number, which are joined again. Not dependent on it: yes.
bool is_in_order(ir::Module& module, const ir::Node& element, ir::VariableId variable) {
  ir::IndexStore& indices = module.indices();
  const std::span<const ir::IndexId> outer(element.indices.data(), element.indices.size() - 1);
  const bool is_last = std::ranges::none_of(outer, [&](ir::IndexId each) { return indices.mentions(each, variable); });
  const ir::IndexId place = is_last ? element.indices.back() : offset_of(module, element);
  if (!indices.mentions(place, variable)) return is_last;
  const auto affine = indices.affine_in(place, variable);
  const auto stride = affine ? indices.as_constant(affine->stride) : std::nullopt;
  return stride == 1 || stride == -1;
}

}  // namespace

bool reads_in_order(ir::Module& module, NodeId root, ir::VariableId variable) {
  std::vector<NodeId> pending{root};
  while (!pending.empty()) {
    const ir::Node node = module[pending.back()];
    pending.pop_back();
    if (node.op == Op::reduce || node.op == Op::scan) return false;
    if (node.op == Op::element) {
      if (!is_in_order(module, node, variable)) return false;
      if (module[node.operands[0]].op == Op::parameter || module.free_variables(node.operands[0]).empty()) continue;
    }
    pending.insert(pending.end(), node.operands.begin(), node.operands.end());
  }
  return true;
}

bool reads_aligned(ir::Module& module, const std::vector<NodeId>& roots, ir::VariableId variable, std::int64_t width) {
  bool all = true;
  ir::walk(module, roots, [&](NodeId id) {
    const ir::Node& node = module[id];
    if (node.op != Op::element || !module.depends_on(id, variable)) return ir::Walk::below;
    const auto affine = module.indices().affine_in(offset_of(module, node), variable);
    all = all && (!affine || is_multiple(module.indices(), affine->base, width));
    return ir::Walk::beside;
  });
  return all;
}

bool Candidate::joins_by_place() const {
  if (!module().reduction_of(body().node).user) return false;
  const NodeId join = node().operands[1];
  return std::ranges::any_of(body().space,
                             [&](const Binder& binder) { return module().depends_on(join, binder.variable); });
}

Candidate::Candidate(const Placing& placing, std::size_t number) : placing_(placing), number_(number) {
  const ir::IndexId extent = node().indices[0];
  length_ = module().indices().as_constant(extent);
  length_varies_ = !module().indices().variables(extent).empty();
  body().schedule = body().decision.stated;
  is_of_a_thread_ = codegen::is_of_a_thread(module(), body().schedule);
  if (is_of_a_thread_) return;
  is_pinned_ = !module().schedules().levels(body().schedule).empty();
  const PlacedOrder order = placed_order(module(), body().node, placing.code);
  body().schedule = order.schedule;
  body().fused = order.fused;
  any_order_ = order.any;
}

void Candidate::add_before(std::string_view suffix, std::uint32_t output, KernelBody before) {
  add_kernel_before(planned(), number_++, suffix, output, 1, std::move(before));
}

std::optional<std::int64_t> Candidate::items() const { return known_product(module(), extents_of(body().space)); }

bool Candidate::is_parallel() const { return codegen::is_parallel(module(), body().schedule); }

bool Candidate::reads_ahead() const {
  return is_alone() && module().schedules()[body().schedule].op == ir::ScheduleOp::seq;
}

bool Candidate::is_across_memory() {
  if (is_alone()) return false;
  if (!in_order_) in_order_ = reads_in_order(module(), node().operands[0], node().variables[0]);
  return !*in_order_;
}

bool Candidate::is_side_by_side() const {
  return reads_in_order(module(), node().operands[0], body().space.back().variable);
}

std::int64_t Candidate::state_bytes() const {
  const auto scalars = scalars_of(module(), module()[node().operands[0]].type);
  std::int64_t bytes = 0;
  for (ir::Scalar scalar : scalars) bytes += ir::byte_width(scalar) == 8 ? 8 : 4;
  return bytes * (words() ? 4 : 1) * (keeps_factors() ? 3 : 1);
}

bool Candidate::keeps_factors() const {
  return codegen::keeps_factors(module(), module().reduction_of(body().node).schedule, placing_.code);
}

bool Candidate::length_is_of_round() const {
  std::vector<ir::SymbolId> dimensions;
  module().indices().dimensions(node().indices[0], dimensions);
  return std::ranges::any_of(planned().plan.loops, [&](const Loop& loop) {
    return std::ranges::find(dimensions, loop.round) != dimensions.end();
  });
}

}  // namespace reckon::codegen
