// Many lists in order whose leaves are made of elements that follow each other in memory: a thread for each list, and
// the block brings the elements. Long lists in runs, `tile(k, seq) then S`, become lists of runs, and a kernel joins
// these.
#include "codegen/strategies/strategy.h"

#include <fmt/format.h>

#include "codegen/place/fold_parts.h"
#include "codegen/strategies/staged/choice.h"
#include "ir/op.h"

namespace reckon::codegen {
namespace {

using ir::IndexId;
using ir::NodeId;

constexpr std::string_view staged_name = "leaves through shared memory";

constexpr std::int64_t least_run = 128;  ///< leaves of a run that is worth a list of its own
/// Threads of a multiprocessor for which registers are provided: more of them find no room in shared memory.
constexpr std::uint32_t staged_threads = 768;

class StagedKernel : public FoldKernel {
 public:
  explicit StagedKernel(StagedShape shape) : shape_(std::move(shape)) {}

  void write(KernelParts& parts, const KernelBody& body, Kernel& kernel) const override {
    const auto write = [&](BlockReducer& reducer) {
      StagedLists(parts, *this, fold_of(body), shape_, kernel, reducer).write();
    };
    parts.write_blocks(fold_of(body), kernel, write, staged_threads);
  }

  std::string who(const KernelBody&, const Kernel& kernel) const override {
    const std::string shared = fmt::format("{} results that are made of the same elements", shape_.side_extent);
    const std::string takes = !shape_.side ? "A thread takes each list of leaves"
                              : shape_.threads_of_list() == 1
                                  ? "A thread takes the " + shared
                                  : fmt::format("{} threads share the {}", shape_.threads_of_list(), shared);
    return fmt::format(
        "{}; the {} threads of a block bring what {} lists are made of into shared memory, {} leaves of each at a "
        "time.",
        takes, kernel.threads, shape_.lists, shape_.columns);
  }

 private:
  std::shared_ptr<FoldKernel> copy() const override { return std::make_shared<StagedKernel>(*this); }

  StagedShape shape_;
};

/// A fold by `tile(k, seq) then S`, or `tile(k, fused(seq)) then S`.
struct InRuns {
  std::int64_t leaves = 0;  ///< of a run
  bool fused = false;
  ir::ScheduleId of_run, of_nodes;
};

std::optional<InRuns> order_in_runs(ir::Module& module, const KernelBody& body, const Numbers& code) {
  const bool is_fold = body.kind == KernelBody::Kind::fold && !body.nodes && !body.placed && !body.space.empty();
  if (!is_fold || module.type(body.node).kind != ir::TypeKind::scalar) return std::nullopt;
  if (placed_order(module, body.node, code).any) return std::nullopt;
  const ir::ScheduleStore& schedules = module.schedules();
  const ir::ScheduleId stated = module.reduction_of(body.node).schedule;
  const ir::ScheduleNode& both = schedules[stated];
  if (both.op != ir::ScheduleOp::then || !schedules.levels(stated).empty()) return std::nullopt;
  const ir::ScheduleNode& stage = schedules[both.operands[0]];
  if (stage.op != ir::ScheduleOp::tile || schedules.has_arithmetic(both.operands[1])) return std::nullopt;
  const ir::ScheduleNode& of_run = schedules[stage.operands[0]];
  const bool fused = of_run.op == ir::ScheduleOp::fused;
  if ((fused ? schedules[of_run.operands[0]] : of_run).op != ir::ScheduleOp::seq) return std::nullopt;
  const auto leaves = module.indices().as_constant(stage.parameter);
  const auto length = module.indices().as_constant(module[body.node].indices[0]);
  if (!leaves || *leaves < least_run || !length || *length <= *leaves) return std::nullopt;
  return InRuns{*leaves, fused, stage.operands[0], both.operands[1]};
}

/// Makes the runs of fold k lists of a kernel before it, if this strategy takes these. Returns the number of the kernel
/// that was k.
std::size_t with_lists_of_runs(const Placing& placing, std::size_t k, const InRuns& runs) {
  ir::Module& module = placing.module;
  ir::IndexStore& indices = module.indices();
  const std::vector<Binder> results = placing.planned.bodies[k].space;
  const std::int64_t length = *indices.as_constant(module[placing.planned.bodies[k].node].indices[0]);
  const std::int64_t left = length % runs.leaves;
  const IndexId count = indices.constant(length / runs.leaves), leaves = indices.constant(runs.leaves);
  FoldParts parts(module, placing.planned, k);
  const auto part = [&](IndexId first, IndexId of_part) {
    const ir::VariableId leaf = module.fresh_variable();
    return parts.part(leaf, indices.add(first, indices.variable(leaf)), of_part, runs.of_run);
  };
  const auto over = [&](const std::vector<Binder>& space, NodeId value) {
    std::vector<ir::VariableId> variables;
    for (const Binder& binder : space) variables.push_back(binder.variable);
    return module.map(variables, extents_of(space), value);
  };
  const auto own = [&](NodeId tensor, std::optional<IndexId> run) {
    std::vector<IndexId> subscripts;
    for (const Binder& binder : results) subscripts.push_back(indices.variable(binder.variable));
    if (run) subscripts.push_back(*run);
    return module.element(tensor, subscripts);
  };
  // The runs of a result follow each other in memory, as their leaves do.
  std::vector<Binder> space = results;
  space.push_back({module.fresh_variable(), count});
  const NodeId of_run = part(indices.multiply(indices.variable(space.back().variable), leaves), leaves);
  KernelBody lists{KernelBody::Kind::fold, of_run, space, false};
  lists.schedule = module.schedules().simple(ir::ScheduleOp::seq);
  lists.fused = runs.fused;
  const auto shape = staged_shape(module, placing.planned, lists, placing.code);
  if (!shape || shape->is_product) return k;
  const NodeId nodes = over(space, of_run);
  parts.kernel_before("_runs", nodes, of_run, space);
  const IndexId node = indices.variable(module.fresh_variable());
  NodeId leaf = own(nodes, node);
  if (left > 0) {
    const NodeId rest = part(indices.multiply(count, leaves), indices.constant(left));
    const NodeId kept = over(results, rest);
    parts.kernel_before("_rest", kept, rest, results);
    const IndexId last = indices.subtract(count, indices.constant(1));
    leaf = module.apply(ir::Op::select, {module.index_condition(indices.less(node, count)),
                                         own(nodes, indices.minimum(node, last)), own(kept, std::nullopt)});
  }
  ir::Module::Fold fold = parts.like_whole();
  fold.variable = indices[node].variable;
  fold.extent = indices.constant((length + runs.leaves - 1) / runs.leaves);
  fold.body = leaf;
  fold.schedule = runs.of_nodes;
  parts.join(fold);
  return parts.number();
}

class Staged : public Strategy {
 public:
  std::string_view name() const override { return staged_name; }

  void before_folds(const Placing& placing) const override {
    for (std::size_t k = 0; k < placing.planned.bodies.size(); ++k) {
      if (const auto runs = order_in_runs(placing.module, placing.planned.bodies[k], placing.code))
        k = with_lists_of_runs(placing, k, *runs);
    }
  }

  bool take(Candidate& fold) const override {
    if (fold.is_alone() || fold.length_varies() || fold.is_pinned() || fold.is_of_a_thread() || fold.words() ||
        fold.joins_by_place())
      return false;
    KernelBody& body = fold.body();
    auto shape = staged_shape(fold.module(), fold.planned(), body, fold.numbers());
    if (!shape || (shape->by_tree && !is_apart(fold))) return false;
    shape = shape_of_choices(fold, *shape);
    Kernel& kernel = fold.kernel();
    if (shape->side) kernel.items.erase(kernel.items.begin() + static_cast<std::ptrdiff_t>(*shape->side));
    kernel.threads = StagedShape::threads;
    body.placed = std::make_shared<StagedKernel>(std::move(*shape));
    return true;
  }

  bool wants_kernel(const InnerCandidate& inner, Decision&) const override {
    if (inner.in_words) return false;
    const auto shape = staged_shape(inner.module, inner.planned, inner.fold, inner.numbers);
    if (!shape || !shape->by_tree) return shape.has_value();
    return inner.clauses.empty() && inner.elements.space.size() == inner.fold.space.size();
  }

 private:
  /// The usual shape, or one with another number of lists.
  static StagedShape shape_of_choices(Candidate& fold, const StagedShape& usual) {
    Ways<StagedShape> ways(usual, std::to_string(usual.lists));
    for (const std::int64_t lists : {16, 32, 64, 128}) {
      const auto shape = staged_shape(fold.module(), fold.planned(), fold.body(), fold.numbers(), lists);
      const bool is_like = shape && shape->side == usual.side && shape->by_tree == usual.by_tree;
      if (is_like) ways.add(*shape, std::to_string(shape->lists));
    }
    return ways.take(fold.planned().choices, fold.kernel().name + ".lists");
  }

  /// Whether the results are what the circuit gives, or elements of their own place are made of them. Else the kernels
  /// over the same rows may become one. Clauses are for blocks that share lists.
  static bool is_apart(const Candidate& fold) {
    const Planned& planned = fold.planned();
    if (!planned.clauses.empty()) return false;
    return planned.plan.buffers[fold.kernel().output].role == Buffer::Role::result ||
           elements_of_results(fold.module(), planned, fold.number()).has_value();
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_staged() { return std::make_unique<Staged>(); }

}  // namespace reckon::codegen
