#include "codegen/strategies/columns/long_columns.h"

#include "codegen/place/fold_parts.h"
#include "ir/op.h"

namespace reckon::codegen {
namespace {

using ir::IndexId;
using ir::NodeId;
using ir::VariableId;

constexpr std::int64_t max_columns = 512;  ///< with more of them, blocks that share columns keep the chip busy
constexpr std::int64_t leaves_of_run = 32;
constexpr std::int64_t least_runs = 4;            ///< of each lane
constexpr std::int64_t least_leaves = 1ll << 16;  ///< of all columns: with fewer, the kernels more take longer

struct LaneRuns {
  std::int64_t lanes = 1, length = 0;
  ir::ScheduleId order;
};

std::optional<LaneRuns> lane_runs_of(ir::Module& module, const KernelBody& body, const Numbers& code) {
  const ir::Node& node = module[body.node];
  if (body.kind != KernelBody::Kind::fold || body.nodes || body.placed || body.space.empty()) return std::nullopt;
  if (module.type(body.node).kind != ir::TypeKind::scalar) return std::nullopt;
  const ir::ScheduleId stated = module.reduction_of(body.node).schedule;
  if (!module.schedules().levels(stated).empty() || module.schedules().has_arithmetic(stated)) return std::nullopt;
  const PlacedOrder order = placed_order(module, body.node, code);
  const auto lanes = lanes_by_tree(module, order.schedule);
  const auto length = module.indices().as_constant(node.indices[0]);
  if (!lanes || !length || *length < least_runs * leaves_of_run * *lanes) return std::nullopt;
  const auto columns = known_product(module, extents_of(body.space));
  if (!columns || *columns < 1 || *columns > max_columns || *length < least_leaves / *columns) return std::nullopt;
  const NodeId leaf = node.operands[0];
  if (reads_in_order(module, leaf, node.variables[0])) return std::nullopt;
  if (!reads_in_order(module, leaf, body.space.back().variable)) return std::nullopt;
  return LaneRuns{*lanes, *length, order.schedule};
}

/// Returns the number of the kernel that joins the nodes.
std::size_t split_column(ir::Module& module, Planned& planned, std::size_t k, const LaneRuns& runs) {
  FoldParts parts(module, planned, k);
  ir::IndexStore& indices = module.indices();
  const std::vector<Binder> columns = planned.bodies[k].space;
  const ir::ScheduleId tree = module.schedules().plain(ir::ScheduleOp::tree);
  const IndexId lanes = indices.constant(runs.lanes), of_run = indices.constant(leaves_of_run);
  const std::int64_t in_row = leaves_of_run * runs.lanes, whole = runs.length / in_row * runs.lanes;
  const std::int64_t left = runs.length % in_row, others = std::min(runs.lanes, left);

  /// A tensor of `count` nodes for each column, which a kernel of its own computes; leaf t of node q is
  /// `leaf(q, t)`, of `length(q)`.
  const auto nodes = [&](const char* suffix, std::int64_t count, auto&& leaf, auto&& length) {
    const VariableId q = module.fresh_variable(), t = module.fresh_variable();
    const IndexId node = indices.variable(q);
    const NodeId one = parts.part(t, leaf(node, indices.variable(t)), length(node), tree);
    std::vector<Binder> space{{q, indices.constant(count)}};
    space.insert(space.end(), columns.begin(), columns.end());
    std::vector<VariableId> variables;
    std::vector<IndexId> extents;
    for (const Binder& binder : space) variables.push_back(binder.variable), extents.push_back(binder.extent);
    const NodeId kept = module.map(variables, extents, one);
    parts.kernel_before(suffix, kept, one, space);
    return kept;
  };
  const auto element = [&](NodeId tensor, IndexId node) {
    std::vector<IndexId> subscripts{node};
    for (const Binder& binder : columns) subscripts.push_back(indices.variable(binder.variable));
    return module.element(tensor, subscripts);
  };
  const auto row = [&](IndexId node) { return indices.floor_div(node, lanes); };
  const auto lane = [&](IndexId node) { return indices.floor_mod(node, lanes); };

  const VariableId number = module.fresh_variable();
  const IndexId node = indices.variable(number);
  const NodeId of_runs = nodes(
      "_parts", whole,
      [&](IndexId q, IndexId t) {
        return indices.add(indices.multiply(indices.add(indices.multiply(row(q), of_run), t), lanes), lane(q));
      },
      [&](IndexId) { return of_run; });
  NodeId leaf = element(of_runs, node);
  if (left > 0) {
    // The lanes of the last row of runs, which is incomplete.
    const IndexId begin = indices.constant(runs.length - left);
    const NodeId rest = nodes(
        "_rest", others,
        [&](IndexId q, IndexId t) { return indices.add(begin, indices.add(indices.multiply(t, lanes), q)); },
        [&](IndexId q) {
          return indices.floor_div(indices.subtract(indices.constant(left + runs.lanes - 1), q), lanes);
        });
    const IndexId end = indices.constant(whole), none = indices.constant(0);
    const NodeId is_run = module.index_condition(indices.less(node, end));
    leaf = module.apply(ir::Op::select, {is_run, element(of_runs, indices.minimum(node, indices.constant(whole - 1))),
                                         element(rest, indices.maximum(indices.subtract(node, end), none))});
  }
  ir::Module::Fold fold = parts.like_whole();
  fold.variable = number;
  fold.extent = indices.constant(whole + others);
  fold.body = leaf;
  fold.schedule = runs.order;
  parts.join(fold);
  return parts.number();
}

}  // namespace

void split_long_columns(const Placing& placing) {
  ir::Module& module = placing.module;
  Planned& planned = placing.planned;
  for (std::size_t k = 0; k < planned.bodies.size(); ++k) {
    while (const auto runs = lane_runs_of(module, planned.bodies[k], placing.code))
      k = split_column(module, planned, k, *runs);
  }
}

}  // namespace reckon::codegen
