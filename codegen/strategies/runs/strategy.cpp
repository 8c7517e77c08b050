// A long reduction by `tile(k, S) then T` that stands alone: a block folds each run of k leaves, as if it were a row,
// and a kernel of its own joins the nodes of the runs by T.
#include "codegen/strategies/strategy.h"
#include "codegen/place/fold_parts.h"
#include "ir/op.h"

namespace reckon::codegen {
namespace {

using ir::IndexId;
using ir::NodeId;
using ir::ScheduleId;
using ir::ScheduleOp;

constexpr std::int64_t min_leaves = 1024;  ///< of a run that is worth a block,
constexpr std::int64_t min_runs = 16;      ///< runs that are worth kernels of their own, if their number is known

constexpr std::string_view runs_name = "blocks for runs";

constexpr Reason short_runs{.text = "a run has {have} leaves, and {need} are worth it", .is_short = true};
constexpr Reason few_runs{"there are {have} runs, and {need} are worth it"};

struct Runs {
  std::int64_t leaves = 0;
  IndexId count, rest;  ///< whole runs, and the leaves after them
  ScheduleId of_run, of_nodes;
};

/// If the order has runs that do not become kernels, the decision says why.
std::optional<Runs> runs_of(ir::Module& module, const KernelBody& body, const Numbers& code, Decision& decision) {
  const ir::Node& node = module[body.node];
  const IndexId extent = node.indices[0];
  const auto length = module.indices().as_constant(extent);
  if (!body.space.empty() || module.type(body.node).kind != ir::TypeKind::scalar) return std::nullopt;
  const PlacedOrder order = placed_order(module, body.node, code);
  const ir::ScheduleStore& schedules = module.schedules();
  if (order.any || order.fused || schedules.has_arithmetic(order.schedule)) return std::nullopt;
  if (is_of_a_thread(module, order.schedule)) return std::nullopt;
  const ir::ScheduleNode& both = schedules[order.schedule];
  if (both.op != ScheduleOp::then) return std::nullopt;
  const ir::ScheduleNode& stage = schedules[both.operands[0]];
  if (stage.op != ScheduleOp::tile) return std::nullopt;
  const auto leaves = module.indices().as_constant(stage.parameter);
  if (!leaves) return std::nullopt;
  const auto refuse = [&](const Reason& reason, std::int64_t have = 0, std::int64_t need = 0) {
    decision.refuse(runs_name, reason, have, need);
    return std::nullopt;
  };
  const bool are_few = length && *length / *leaves < min_runs;
  if (!is_parallel(module, stage.operands[0])) return refuse(reason::not_shared);
  const bool pinned =
      stage.level == ir::MachineLevel::block && reads_in_order(module, node.operands[0], node.variables[0]);
  if (stage.level != ir::MachineLevel::none) {
    if (!pinned) return refuse(reason::pinned_elsewhere);
  } else if (*leaves < min_leaves) {
    return refuse(short_runs, *leaves, min_leaves);
  } else if (are_few) {
    return refuse(few_runs, *length / *leaves, min_runs);
  }
  const IndexId size = module.indices().constant(*leaves);
  return Runs{*leaves, module.indices().floor_div(extent, size), module.indices().floor_mod(extent, size),
              stage.operands[0], both.operands[1]};
}

/// Writes the kernels of one reduction. Returns the number of the one that joins the nodes: it was k, and has one or
/// two kernels before it now.
std::size_t split(ir::Module& module, Planned& planned, std::size_t k, const Runs& runs) {
  FoldParts parts(module, planned, k);
  ir::IndexStore& indices = module.indices();
  const IndexId none = indices.constant(0), one = indices.constant(1), leaves = indices.constant(runs.leaves);
  const auto part = [&](IndexId first, IndexId length) {
    const ir::VariableId leaf = module.fresh_variable();
    return parts.part(leaf, indices.add(first, indices.variable(leaf)), length, runs.of_run);
  };
  const ir::VariableId run = module.fresh_variable(), node = module.fresh_variable();
  const NodeId of_run = part(indices.multiply(indices.variable(run), leaves), leaves);
  // Even if there is no whole run, an element of this array is read, so it has at least one.
  const NodeId nodes = module.map({run}, {indices.maximum(runs.count, one)}, of_run);
  parts.kernel_before("_runs", nodes, of_run, {{run, runs.count}});
  NodeId leaf = module.element(nodes, {indices.variable(node)});
  const bool is_whole = indices.as_constant(runs.rest) == 0;
  if (!is_whole) {
    const NodeId rest = part(indices.multiply(runs.count, leaves), runs.rest);
    parts.kernel_before("_rest", rest, rest, {}).follows = true;
    const IndexId last = indices.maximum(indices.subtract(runs.count, one), none);
    const NodeId is_run = module.index_condition(indices.less(indices.variable(node), runs.count));
    leaf = module.apply(ir::Op::select,
                        {is_run, module.element(nodes, {indices.minimum(indices.variable(node), last)}), rest});
  }
  ir::Module::Fold fold = parts.like_whole();
  fold.variable = node;
  fold.extent = is_whole ? runs.count : indices.add(runs.count, indices.minimum(runs.rest, one));
  fold.body = leaf;
  fold.schedule = runs.of_nodes;
  parts.join(fold);
  return parts.number();
}

class RunKernels : public Strategy {
 public:
  std::string_view name() const override { return runs_name; }

  void before_folds(const Placing& placing) const override {
    ir::Module& module = placing.module;
    Planned& planned = placing.planned;
    for (std::size_t k = 0; k < planned.bodies.size(); ++k) {
      KernelBody& body = planned.bodies[k];
      if (body.kind != KernelBody::Kind::fold || body.nodes) continue;
      if (const auto runs = runs_of(module, body, placing.code, body.decision)) k = split(module, planned, k, *runs);
    }
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_runs() { return std::make_unique<RunKernels>(); }

}  // namespace reckon::codegen
