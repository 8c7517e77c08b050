// Everything about an instantiated circuit that depends on sizes alone.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <unordered_set>

#include "diagnostics/codes/dimension_value.h"
#include "diagnostics/codes/empty_reduction.h"
#include "diagnostics/codes/index_out_of_range.h"
#include "ir/bind.h"
#include "ir/op.h"

namespace reckon::ir {
namespace {

constexpr std::int64_t max_visits = 100'000'000;
constexpr std::size_t max_diagnostics = 8;

struct Loop {
  VariableId variable;
  IndexId extent;
  bool prefix = false;  ///< a scan's loop: every length up to the extent occurs
};

class BoundsChecker {
 public:
  BoundsChecker(Module& module, bool sets_of_orders, std::vector<Diagnostic>& out)
      : module_(module), sets_of_orders_(sets_of_orders), out_(out) {}

  void visit(NodeId id) {
    // A node is checked once for the loops that it depends on: under other binders it has other canonical variables. A
    // node that depends on no loop is checked only once: layers of closed maps would else be visited 2^layers times.
    auto& done = module_.free_variables(id).empty() ? closed_ : done_;
    if (out_.size() >= max_diagnostics || !done.insert(id).second) return;
    const Node node = module_[id];
    switch (node.op) {
      case Op::element: check_element(id, node); break;
      case Op::map:
        for (std::size_t k = 0; k < node.variables.size(); ++k) {
          check_extent(id, node.indices[k], 0);
          push({node.variables[k], node.indices[k]});
        }
        visit_inside(node.operands[0], node.variables);
        loops_.resize(loops_.size() - node.variables.size());
        return;
      case Op::at:
        push({node.variables[0], node.indices[0]});
        visit_inside(node.operands[0], node.variables);
        loops_.pop_back();
        visit(node.operands[1]);
        return;
      case Op::reduce:
      case Op::scan: {
        const Reduction reduction = module_.reduction_of(node);
        check_extent(id, node.indices[0], node.op == Op::scan || reduction.has_otherwise ? 0 : 1);
        check_schedule(id, node, reduction);
        push({node.variables[0], node.indices[0]});
        visit_inside(node.operands[0], node.variables);
        loops_.pop_back();
        for (std::size_t k = 1; k < node.operands.size(); ++k) visit(node.operands[k]);
        return;
      }
      case Op::loop:
        check_extent(id, node.indices[0], 0);
        push({node.variables[0], node.indices[0]});
        visit_inside(node.operands[0], node.variables);
        loops_.pop_back();
        visit(node.operands[1]);
        return;
      case Op::source: {
        for (IndexId extent : module_.types()[node.type].extents) check_extent(id, extent, 0);
        break;
      }
      default: break;
    }
    for (NodeId operand : node.operands) visit(operand);
  }

 private:
  void push(Loop loop) { loops_.push_back(loop); }

  // Canonical variables of different binders coincide, so what was seen under one must be looked at again under
  // another.
  void visit_inside(NodeId body, const std::vector<VariableId>&) {
    std::unordered_set<NodeId> outer;
    outer.swap(done_);
    visit(body);
    done_.swap(outer);
  }

  const Loop* loop_of(VariableId variable) const {
    for (auto loop = loops_.rbegin(); loop != loops_.rend(); ++loop) {
      if (loop->variable == variable) return &*loop;
    }
    return nullptr;
  }

  /// Ranges of the variables that occur, by their extents' ranges; nothing if an extent is not bounded.
  bool ranges_of(const std::vector<VariableId>& variables, std::map<VariableId, IndexRange>& ranges) const {
    for (VariableId variable : variables) {
      if (ranges.contains(variable)) continue;
      const Loop* loop = loop_of(variable);
      if (!loop || !ranges_of(module_.indices().variables(loop->extent), ranges)) return false;
      const auto extent = module_.indices().range(loop->extent, ranges, {});
      if (!extent) return false;
      ranges[variable] = {0, std::max<std::int64_t>(extent->high - 1, 0)};
    }
    return true;
  }

  /// Calls `test` with every value of `index` that occurs, until it returns false. Gives false if there are too many.
  /// `other`, if valid, is evaluated by `test`, and its variables are in the environment too.
  bool enumerate(IndexId index, const std::function<bool(std::optional<std::int64_t>, const IndexEnvironment&)>& test,
                 IndexId other = {}) {
    // The loops that `index` depends on, outermost first: its own variables, and those that their extents mention.
    std::set<VariableId> needed;
    std::function<void(IndexId)> need = [&](IndexId of) {
      for (VariableId variable : module_.indices().variables(of)) {
        const Loop* loop = loop_of(variable);
        if (loop && needed.insert(variable).second) need(loop->extent);
      }
    };
    need(index);
    if (other.valid()) need(other);
    std::vector<Loop> loops;
    for (const Loop& loop : loops_) {
      if (needed.contains(loop.variable) && loop_of(loop.variable) == &loop) loops.push_back(loop);
    }
    IndexEnvironment environment;
    std::int64_t visits = 0;
    bool going_on = true, complete = true;
    std::function<void(std::size_t)> nest = [&](std::size_t depth) {
      if (!going_on || !complete) return;
      if (depth == loops.size()) {
        complete = ++visits <= max_visits;
        going_on = test(module_.indices().evaluate(index, environment), environment);
        return;
      }
      const auto extent = module_.indices().evaluate(loops[depth].extent, environment);
      for (std::int64_t i = 0; extent && i < *extent && going_on && complete; ++i) {
        environment.variables[loops[depth].variable] = i;
        nest(depth + 1);
      }
    };
    nest(0);
    return complete;
  }

  std::string where(const IndexEnvironment& environment) const {
    std::string out;
    for (const auto& [variable, value] : environment.variables) {
      out += (out.empty() ? "" : ", ") + std::to_string(value);
    }
    return out.empty() ? "" : fmt::format(" (at index {})", out);
  }

  void check_element(NodeId id, const Node& node) {
    const Type type = module_.type(node.operands[0]);
    for (std::size_t d = 0; d < node.indices.size(); ++d) {
      const IndexId subscript = node.indices[d];
      std::map<VariableId, IndexRange> ranges;
      if (!ranges_of(module_.indices().variables(type.extents[d]), ranges) ||
          !ranges_of(module_.indices().variables(subscript), ranges)) {
        continue;
      }
      const auto extent = module_.indices().range(type.extents[d], ranges, {});
      const auto values = module_.indices().range(subscript, ranges, {});
      if (extent && values && values->low >= 0 && values->high < extent->low) continue;
      const IndexId excess = type.extents[d];
      bool found = false;
      auto report = [&](std::optional<std::int64_t> value, const IndexEnvironment& environment) {
        const auto size = module_.indices().evaluate(excess, environment);
        if (value && size && *value >= 0 && *value < *size) return true;
        found = true;
        out_.push_back(Diagnostic(code::index_out_of_range, module_.span(id),
                                  fmt::format("index {} is out of range: dimension {} has {} elements{}",
                                              value ? std::to_string(*value) : "too large", d + 1,
                                              size ? std::to_string(*size) : "unknown many", where(environment)),
                                  fmt::format("subscript {} goes past the end", d + 1))
                           .help("keep it in range: `x[min(i, n - 1)]`; `select` evaluates both of its sides"));
        return false;
      };
      if (!enumerate(subscript, report, excess) && !found) {
        out_.push_back(Diagnostic(code::index_out_of_range, module_.span(id),
                                  fmt::format("it cannot be decided whether subscript {} stays in range", d + 1)));
      }
    }
  }

  void check_extent(NodeId id, IndexId extent, std::int64_t least) {
    std::map<VariableId, IndexRange> ranges;
    if (!ranges_of(module_.indices().variables(extent), ranges)) return;
    const auto range = module_.indices().range(extent, ranges, {});
    if (range && range->low >= least) return;
    bool found = false;
    auto report = [&](std::optional<std::int64_t> value, const IndexEnvironment& environment) {
      if (value && *value >= least) return true;
      found = true;
      if (value && *value == 0) {
        out_.push_back(Diagnostic(code::empty_reduction, module_.span(id),
                                  fmt::format("this reduction has no elements{}", where(environment)),
                                  "nothing to reduce")
                           .help("say what an empty one gives: `sum i: x[i] else 0`"));
      } else {
        out_.push_back(Diagnostic(code::dimension_value, module_.span(id),
                                  value
                                      ? fmt::format("an extent is {}, which is negative{}", *value, where(environment))
                                      : std::string("an extent has no value that fits")));
      }
      return false;
    };
    if (!enumerate(extent, report) && !found) {
      out_.push_back(Diagnostic(code::dimension_value, module_.span(id), "it cannot be decided whether this is empty"));
    }
  }

  void check_schedule(NodeId id, const Node& node, const Reduction& reduction) {
    std::set<std::int64_t> seen;
    auto try_length = [&](std::int64_t n) {
      if (n < 1 || !seen.insert(n).second) return true;
      auto problem = fold_problem(reduction.schedule, n);
      if (!problem) return true;
      const bool set = problem->kind == ScheduleProblem::Kind::no_single_order;
      if (set && sets_of_orders_ && node.op == Op::reduce && !reduction.user) return true;
      out_.push_back(schedule_diagnostic(module_, reduction.schedule, *problem, module_.span(id)));
      return false;
    };
    std::map<VariableId, IndexRange> ranges;
    if (!ranges_of(module_.indices().variables(node.indices[0]), ranges)) return;
    const auto range = module_.indices().range(node.indices[0], ranges, {});
    if (!range) return;
    // For a scan every prefix is reduced; lengths of plain combinators need one look only.
    if (!depends_on_length(reduction.schedule)) {
      try_length(std::max<std::int64_t>(range->high, 1));
    } else if (node.op == Op::scan) {
      for (std::int64_t n = 1; n <= std::min<std::int64_t>(range->high, 4096); ++n) {
        if (!try_length(n)) return;
      }
      try_length(range->high);
    } else if (range->low == range->high) {
      try_length(range->low);
    } else {
      enumerate(node.indices[0], [&](std::optional<std::int64_t> value, const IndexEnvironment&) {
        return !value || try_length(*value);
      });
    }
  }

  bool depends_on_length(ScheduleId id) const {
    const ScheduleNode& node = module_.schedules()[id];
    if (node.op == ScheduleOp::quoted || node.op == ScheduleOp::length || node.op == ScheduleOp::reference) return true;
    return std::any_of(node.operands.begin(), node.operands.end(),
                       [&](ScheduleId operand) { return depends_on_length(operand); });
  }

  /// Why the schedule has no tree for n nodes, found without writing the tree out. Each pair of a schedule and a length
  /// is examined once. A schedule that refers to itself with the same number of nodes would never end, which is a
  /// problem, too.
  std::optional<ScheduleProblem> fold_problem(ScheduleId id, std::int64_t n) {
    const auto [seen, first_time] = folds_.try_emplace({id, n}, true);
    if (!first_time) return seen->second ? std::optional(ScheduleProblem{ScheduleProblem::Kind::endless}) : std::nullopt;
    auto problem = new_fold_problem(id, n);
    seen->second = false;
    return problem;
  }

  std::optional<ScheduleProblem> new_fold_problem(ScheduleId id, std::int64_t n) {
    auto [head, problem] = module_.schedules().head(id, n);
    if (problem) return problem;
    const ScheduleNode node = module_.schedules()[head];
    switch (node.op) {
      case ScheduleOp::split: {
        const std::int64_t first = module_.schedules().parameter(head);
        if (n <= first) return fold_problem(node.operands[0], n);
        if (auto left = fold_problem(node.operands[0], first)) return left;
        return fold_problem(node.operands[1], n - first);
      }
      case ScheduleOp::then: {
        std::int64_t left_over = n;
        if (auto inner = stage_problem(node.operands[0], left_over)) return inner;
        return fold_problem(node.operands[1], left_over);
      }
      case ScheduleOp::fused:
      case ScheduleOp::neumaier: return fold_problem(node.operands[0], n);
      default: return std::nullopt;
    }
  }

  /// The same for a stage; `n` becomes the number of nodes that it leaves.
  std::optional<ScheduleProblem> stage_problem(ScheduleId id, std::int64_t& n) {
    auto [head, problem] = module_.schedules().head(id, n);
    if (problem) return problem;
    const ScheduleNode node = module_.schedules()[head];
    if (node.op == ScheduleOp::stage_then) {
      if (auto first = stage_problem(node.operands[0], n)) return first;
      return stage_problem(node.operands[1], n);
    }
    // The runs of an arrangement have the lengths of a tile's runs.
    const bool arranged = node.op == ScheduleOp::arrange;
    const std::int64_t k =
        arranged ? module_.schedules().arrangement_of(node).run_length() : module_.schedules().parameter(head);
    std::int64_t longest, shortest, count;
    if (node.op == ScheduleOp::tile || arranged) {
      longest = std::min(n, k);
      shortest = n % k ? n % k : longest;
      count = n / k + (n % k != 0);
    } else {
      count = std::min(n, k);
      longest = n / count + (n % count != 0);
      shortest = n / count;
    }
    n = count;
    if (auto inner = fold_problem(node.operands[0], longest)) return inner;
    return fold_problem(node.operands[0], shortest);
  }

  Module& module_;
  bool sets_of_orders_;
  std::vector<Diagnostic>& out_;
  std::vector<Loop> loops_;
  std::unordered_set<NodeId> done_;
  std::unordered_set<NodeId> closed_;
  std::map<std::pair<ScheduleId, std::int64_t>, bool> folds_;  ///< whether the pair is still being examined
};

}  // namespace

std::vector<Diagnostic> check_bounds(Module& module, const Function& function, bool sets_of_orders) {
  const PlacesGuard placing(module, function.places);
  std::vector<Diagnostic> out;
  BoundsChecker(module, sets_of_orders, out).visit(function.body);
  return out;
}

}  // namespace reckon::ir
