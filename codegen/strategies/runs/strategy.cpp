// A long reduction by `tile(k, S) then T` that stands alone: a block folds each run of k leaves, as if it were a row,
// and a kernel of its own joins the nodes of the runs by T.
#include "codegen/strategies/strategy.h"

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

/// Writes the kernels of one reduction.
class Splitter {
 public:
  Splitter(ir::Module& module, Planned& planned, std::size_t k, const Runs& runs)
      : module_(module), planned_(planned), k_(k), runs_(runs), whole_(module[planned.bodies[k].node]) {
    reduction_ = module_.reduction_of(whole_);
    module_.open(whole_);
  }

  /// Returns the number of the kernel that joins the nodes: it was k, and has one or two kernels before it now.
  std::size_t split() {
    ir::IndexStore& indices = module_.indices();
    const IndexId none = indices.constant(0), one = indices.constant(1), leaves = indices.constant(runs_.leaves);
    const ir::VariableId run = module_.fresh_variable(), node = module_.fresh_variable();
    const NodeId of_run = part(indices.multiply(indices.variable(run), leaves), leaves);
    // Even if there is no whole run, an element of this array is read, so it has at least one.
    const NodeId nodes = module_.map({run}, {indices.maximum(runs_.count, one)}, of_run);
    kernel_before("_runs", nodes, of_run, {{run, runs_.count}});
    NodeId leaf = module_.element(nodes, {indices.variable(node)});
    const bool is_whole = indices.as_constant(runs_.rest) == 0;
    if (!is_whole) {
      const NodeId rest = part(indices.multiply(runs_.count, leaves), runs_.rest);
      kernel_before("_rest", rest, rest, {}).follows = true;
      const IndexId last = indices.maximum(indices.subtract(runs_.count, one), none);
      const NodeId is_run = module_.index_condition(indices.less(indices.variable(node), runs_.count));
      leaf = module_.apply(ir::Op::select,
                           {is_run, module_.element(nodes, {indices.minimum(indices.variable(node), last)}), rest});
    }
    ir::Module::Fold fold = like_whole();
    fold.variable = node;
    fold.extent = is_whole ? runs_.count : indices.add(runs_.count, indices.minimum(runs_.rest, one));
    fold.body = leaf;
    fold.schedule = runs_.of_nodes;
    if (reduction_.has_otherwise) fold.otherwise = whole_.operands.back();
    planned_.bodies[k_].node = spanned(module_.reduce(fold));
    planned_.bodies[k_].follows = true;
    return k_;
  }

 private:
  ir::Module::Fold like_whole() const {
    ir::Module::Fold fold;
    fold.operation = reduction_.operation;
    if (reduction_.user) {
      fold.user_operation = whole_.operands[1];
      fold.left = whole_.variables[1];
      fold.right = whole_.variables[2];
    }
    return fold;
  }

  /// The reduction of the leaves from `first` on.
  NodeId part(IndexId first, IndexId length) {
    ir::Module::Fold fold = like_whole();
    fold.variable = module_.fresh_variable();
    fold.extent = length;
    const IndexId leaf = module_.indices().add(first, module_.indices().variable(fold.variable));
    fold.body = module_.substitute(whole_.operands[0], {{.variables = {{whole_.variables[0], leaf}}}, {}, {}});
    fold.schedule = runs_.of_run;
    return spanned(module_.reduce(fold));
  }

  NodeId spanned(NodeId reduce) {
    module_.places().put(reduce, module_.span(planned_.bodies[k_].node));
    return reduce;
  }

  /// Adds a kernel for `reduce` at every point of `space`; its results are read where the node `kept` stands.
  KernelBody& kernel_before(const char* suffix, NodeId kept, NodeId reduce, std::vector<Binder> space) {
    Plan& plan = planned_.plan;
    std::vector<IndexId> extents, kept_extents = module_[kept].indices;
    for (const Binder& binder : space) extents.push_back(binder.extent);
    if (space.empty()) kept_extents.clear();
    const std::vector<ir::Scalar> scalars = scalars_of(module_, module_[reduce].type);
    const std::uint32_t buffer =
        add_buffers(planned_, scalars, kept_extents, plan.buffers[plan.kernels[k_].output].words);
    planned_.places[{kept, {}}] = {buffer, {}};
    Kernel kernel;
    kernel.name = plan.kernels[k_].name + suffix;
    kernel.output = buffer;
    kernel.items = std::move(extents);
    kernel.loop = plan.kernels[k_].loop;
    KernelBody body{KernelBody::Kind::fold, reduce, std::move(space), false};
    body.vector = planned_.bodies[k_].vector;
    const auto before = static_cast<std::ptrdiff_t>(k_++);
    plan.kernels.insert(plan.kernels.begin() + before, std::move(kernel));
    return *planned_.bodies.insert(planned_.bodies.begin() + before, std::move(body));
  }

  ir::Module& module_;
  Planned& planned_;
  std::size_t k_;
  Runs runs_;
  ir::Node whole_;  ///< the reduction, with its binder opened
  ir::Reduction reduction_;
};

class RunKernels : public Strategy {
 public:
  std::string_view name() const override { return runs_name; }

  void before_folds(const Placing& placing) const override {
    const auto& [module, planned, code] = placing;
    for (std::size_t k = 0; k < planned.bodies.size(); ++k) {
      KernelBody& body = planned.bodies[k];
      if (body.kind != KernelBody::Kind::fold || body.nodes) continue;
      if (const auto runs = runs_of(module, body, code, body.decision)) k = Splitter(module, planned, k, *runs).split();
    }
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_runs() { return std::make_unique<RunKernels>(); }

}  // namespace reckon::codegen
