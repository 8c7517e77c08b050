#include "ir/operation_count.h"

#include <set>

#include "ir/op.h"

namespace reckon::ir {
namespace {

class Counter {
 public:
  explicit Counter(const Module& module) : module_(module) {}

  std::optional<std::map<Op, std::int64_t>> run(NodeId body) {
    visit(body);
    if (failed_) return std::nullopt;
    return counts_;
  }

 private:
  using Axis = int;
  using Axes = std::map<Axis, std::int64_t>;  ///< with their extents
  /// What a variable stands for: an index, its axis; an operand of a join, the joins' axis and those of the reduction.
  using Scope = std::map<VariableId, Axes>;

  void visit(NodeId id) {
    if (failed_) return;
    const Node& node = module_[id];
    // Canonical variables of different binders coincide, so the axes of a node belong to one occurrence of it.
    const Axes axes = axes_of(id);
    if (!seen_.emplace(id, axes).second) return;
    std::int64_t times = 1;
    for (const auto& [axis, extent] : axes) {
      if (__builtin_mul_overflow(times, extent, &times)) return fail();
    }
    switch (node.op) {
      case Op::map: {
        const Scope outer = scope_;
        for (std::size_t k = 0; k < node.variables.size(); ++k) scope_[node.variables[k]] = axis(node.indices[k]);
        visit(node.operands[0]);
        scope_ = outer;
        return;
      }
      case Op::at: {
        const Scope outer = scope_;
        scope_[node.variables[0]] = axes_of(node.operands[1]);
        visit(node.operands[0]);
        scope_ = outer;
        return visit(node.operands[1]);
      }
      case Op::loop: {
        const Scope outer = scope_;
        Axes of_round = axis(node.indices[0]);
        of_round.insert(axes.begin(), axes.end());
        scope_[node.variables[0]] = scope_[node.variables[1]] = of_round;
        visit(node.operands[0]);
        scope_ = outer;
        return visit(node.operands[1]);
      }
      case Op::reduce:
      case Op::scan: return visit_reduction(id, node, axes, times);
      default: break;
    }
    if (is_scalar_operation(node.op)) add(node.op, times);
    for (NodeId operand : node.operands) visit(operand);
  }

  void visit_reduction(NodeId id, const Node& node, const Axes& axes, std::int64_t times) {
    const Reduction& reduction = module_.reduction_of(id);
    const std::int64_t length = extent(node.indices[0]);
    const std::int64_t joins = length > 0 ? length - 1 : 0;
    const Scope outer = scope_;
    scope_[node.variables[0]] = axis(length);
    visit(node.operands[0]);
    scope_ = outer;
    if (reduction.user) {
      Axes of_join = axis(joins);
      of_join.insert(axes.begin(), axes.end());
      scope_[node.variables[1]] = scope_[node.variables[2]] = of_join;
      visit(node.operands[1]);
      scope_ = outer;
    } else {
      std::int64_t all = 0;
      if (__builtin_mul_overflow(times, joins, &all)) return fail();
      add(reduction.operation, all);
    }
    if (reduction.has_otherwise) visit(node.operands.back());
  }

  Axes axes_of(NodeId id) {
    Axes axes;
    for (VariableId variable : module_.free_variables(id)) {
      const auto found = scope_.find(variable);
      if (found == scope_.end()) fail();
      else axes.insert(found->second.begin(), found->second.end());
    }
    return axes;
  }
  Axes axis(std::int64_t extent) { return {{++last_axis_, extent}}; }
  Axes axis(IndexId id) { return axis(extent(id)); }
  std::int64_t extent(IndexId id) {
    const auto value = module_.indices().as_constant(id);
    if (!value) fail();
    return value.value_or(0);
  }

  void add(Op op, std::int64_t times) {
    if (__builtin_add_overflow(counts_[op], times, &counts_[op])) fail();
  }
  void fail() { failed_ = true; }

  const Module& module_;
  Scope scope_;
  Axis last_axis_ = 0;
  std::set<std::pair<NodeId, Axes>> seen_;
  std::map<Op, std::int64_t> counts_;
  bool failed_ = false;
};

}  // namespace

std::optional<std::map<Op, std::int64_t>> operation_counts(const Module& module, const Function& function) {
  return Counter(module).run(function.body);
}

std::int64_t arithmetic_operations(const std::map<Op, std::int64_t>& counts) {
  std::int64_t total = 0;
  for (const auto& [op, count] : counts) {
    const bool is_arithmetic = traits(op).result == ResultRule::same && !is_integer_operation(op);
    if (is_arithmetic) total += op == Op::fma ? 2 * count : count;
  }
  return total;
}

}  // namespace reckon::ir
