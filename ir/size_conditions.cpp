#include "ir/size_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <set>
#include <unordered_set>

#include "diagnostics/codes/not_compilable.h"
#include "ir/bind.h"
#include "ir/op.h"

namespace reckon::ir {
namespace {

/// The lengths for which an order that depends on the length is tried.
constexpr std::array<std::int64_t, 16> tried_lengths{1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 33, 100, 255, 1000, 1025, 4096};

struct Loop {
  VariableId variable;
  IndexId extent;
};

/// The least and the greatest value that an expression may have while its variables run.
struct Bounds {
  IndexId low, high;
  bool exact = true;  ///< some values of the variables give them
};

class Conditions {
 public:
  explicit Conditions(Module& module) : module_(module), indices_(module.indices()) {}

  Expected<std::vector<SizeCondition>> of(const Function& function) {
    const PlacesGuard placing(module_, function.places);
    for (const SymbolId dimension : function.dimensions) {
      require(indices_.less_equal(zero(), indices_.dimension(dimension)), function.span);
    }
    for (const Requirement& requirement : function.requirements) {
      require(indices_.equal(requirement.left, requirement.right), requirement.diagnostic.primary.span);
    }
    for (const Parameter& parameter : function.parameters) {
      visit_storage(parameter.storage, parameter.span);
      for (const IndexId extent : module_.types()[parameter.type].extents) {
        require(indices_.less_equal(zero(), extent), parameter.span);
      }
    }
    for (const auto& storage : function.result_storage) visit_storage(storage, function.span);
    visit(function.body);
    if (!problem_) try_bounds(function);
    if (problem_) return *problem_;
    for (const SymbolId dimension : function.dimensions) {
      const IndexId size = indices_.dimension(dimension);
      if (!seen_.contains(indices_.less_equal(one(), size).index)) continue;
      const IndexId implied = indices_.less_equal(zero(), size);
      std::erase_if(conditions_, [&](const SizeCondition& condition) { return condition.holds == implied; });
    }
    return std::move(conditions_);
  }

 private:
  IndexId zero() { return indices_.constant(0); }
  IndexId one() { return indices_.constant(1); }

  void refuse(SourceSpan place, std::string message) {
    if (problem_) return;
    problem_ = Diagnostic(code::not_compilable, place, std::move(message)).help("give the sizes: `-D NAME=SIZE`");
  }

  /// From now on, conditions are for expressions with the variables of these.
  void begin(std::initializer_list<IndexId> expressions) {
    over_.clear();
    std::vector<IndexId> pending(expressions);
    while (!pending.empty()) {
      const IndexId next = pending.back();
      pending.pop_back();
      for (const VariableId variable : indices_.variables(next)) {
        const Loop* loop = loop_of(variable);
        if (loop != nullptr && over_.insert(variable).second) pending.push_back(loop->extent);
      }
    }
  }

  /// The condition need hold only where the loops over these variables have a round, as for check_bounds.
  void require(IndexId holds, SourceSpan place) {
    if (seen_.contains(holds.index)) return;
    for (const Loop& loop : loops_) {
      if (!over_.contains(loop.variable) || !indices_.variables(loop.extent).empty()) continue;
      const IndexId no_round = indices_.less(loop.extent, one());
      if (indices_.logical_not(no_round) == holds) return;
      holds = indices_.logical_or(no_round, holds);
    }
    if (const auto known = indices_.as_constant(holds)) {
      if (*known == 0) refuse(place, "no bound shows for all sizes that this subscript or extent is in range");
      return;
    }
    if (seen_.insert(holds.index).second) conditions_.push_back({holds, place});
  }

  /// The same, of values of which only a bound is known.
  void require(IndexId holds, SourceSpan place, const Bounds& of) {
    const std::size_t before = conditions_.size();
    require(holds, place);
    if (!of.exact)
      bounded_.insert(bounded_.end(), conditions_.begin() + static_cast<std::ptrdiff_t>(before), conditions_.end());
  }

  /// Refuses a bound that is too wide for some small sizes, which the circuit itself allows.
  void try_bounds(const Function& function) {
    if (bounded_.empty()) return;
    for (const std::int64_t size : {1, 2, 3, 4, 6, 9}) {
      for (const std::int64_t step : {0, 1}) {
        Dimensions sizes;
        std::int64_t next = size;
        for (const SymbolId dimension : function.dimensions) {
          sizes[dimension] = next;
          next += step;
        }
        const auto met = [&](const SizeCondition& condition) {
          return indices_.evaluate(condition.holds, {sizes, {}}).value_or(0) != 0;
        };
        const auto unmet = std::find_if_not(bounded_.begin(), bounded_.end(), met);
        if (unmet == bounded_.end() || size_problem(module_, function, sizes)) continue;
        const Function small = instantiate(module_, function, sizes);
        if (!check_bounds(module_, small, true).empty()) continue;
        return refuse(unmet->place, "which sizes keep this subscript or extent in range cannot be stated");
      }
    }
  }

  void visit_storage(const std::optional<Storage>& storage, SourceSpan place) {
    if (!storage) return;
    bool symbolic = false;
    static_cast<void>(with_leaves(*storage, [&](IndexId leaf) {
      symbolic = symbolic || !indices_.as_constant(leaf);
      return leaf;
    }));
    if (!symbolic) return;
    refuse(storage->span.known() ? storage->span : place,
           "whether this layout stores every element in a place of its own depends on the sizes");
  }

  void visit(NodeId id) {
    auto& done = module_.free_variables(id).empty() ? closed_ : done_;
    if (problem_ || !done.insert(id).second) return;
    const Node node = module_[id];
    const SourceSpan place = module_.span(id);
    switch (node.op) {
      case Op::element: visit_element(node, place); break;
      case Op::map: {
        const std::size_t before = loops_.size();
        for (std::size_t k = 0; k < node.variables.size(); ++k) {
          visit_extent(node.indices[k], 0, place);
          loops_.push_back({node.variables[k], node.indices[k]});
        }
        visit_inside(node.operands[0]);
        loops_.resize(before);
        return;
      }
      case Op::at:
        loops_.push_back({node.variables[0], node.indices[0]});
        visit_inside(node.operands[0]);
        loops_.pop_back();
        visit(node.operands[1]);
        return;
      case Op::reduce:
      case Op::scan: {
        const Reduction reduction = module_.reduction_of(node);
        visit_extent(node.indices[0], node.op == Op::scan || reduction.has_otherwise ? 0 : 1, place);
        visit_schedule(reduction.schedule, node.indices[0], place);
        loops_.push_back({node.variables[0], node.indices[0]});
        visit_inside(node.operands[0]);
        loops_.pop_back();
        for (std::size_t k = 1; k < node.operands.size(); ++k) visit(node.operands[k]);
        return;
      }
      case Op::loop:
        visit_extent(node.indices[0], 0, place);
        loops_.push_back({node.variables[0], node.indices[0]});
        visit_inside(node.operands[0]);
        loops_.pop_back();
        visit(node.operands[1]);
        return;
      case Op::source:
        for (const IndexId extent : module_.types()[node.type].extents) visit_extent(extent, 0, place);
        break;
      default: break;
    }
    for (const NodeId operand : node.operands) visit(operand);
  }

  // Under another binder a node of the same id has other variables, so it is looked at again.
  void visit_inside(NodeId body) {
    std::unordered_set<NodeId> outer;
    outer.swap(done_);
    visit(body);
    done_.swap(outer);
  }

  void visit_extent(IndexId extent, std::int64_t least, SourceSpan place) {
    begin({extent});
    const auto bounds = bounds_of(extent, place);
    if (!bounds) return refuse(place, "no bound shows for all sizes how long this is");
    require(indices_.less_equal(indices_.constant(least), bounds->low), place, *bounds);
  }

  void visit_element(const Node& node, SourceSpan place) {
    const Type type = module_.type(node.operands[0]);
    for (std::size_t d = 0; d < node.indices.size(); ++d) {
      begin({node.indices[d], type.extents[d]});
      const auto values = bounds_of(node.indices[d], place);
      const auto extent = bounds_of(type.extents[d], place);
      if (!values || !extent) {
        return refuse(place, fmt::format("no bound shows for all sizes that subscript {} stays in range", d + 1));
      }
      require(indices_.less_equal(zero(), values->low), place, *values);
      require(indices_.less_equal(indices_.add(values->high, one()), extent->low), place, *values);
    }
  }

  void visit_schedule(ScheduleId id, IndexId extent, SourceSpan place) {
    ScheduleStore& schedules = module_.schedules();
    begin({});
    bool by_length = false, by_dimension = false;
    for (const ScheduleId term : schedules.terms(id)) {
      const ScheduleNode& node = schedules[term];
      by_length = by_length || node.op == ScheduleOp::length || node.op == ScheduleOp::reference ||
                  node.op == ScheduleOp::quoted || node.op == ScheduleOp::arrange;
      if (!node.parameter.valid()) continue;
      std::vector<SymbolId> dimensions;
      indices_.dimensions(node.parameter, dimensions);
      if (dimensions.empty()) continue;
      by_dimension = true;
      if (indices_.variables(node.parameter).empty()) require(indices_.less_equal(one(), node.parameter), place);
    }
    if (!by_length) return;
    if (by_dimension) return refuse(place, "whether this order has a tree depends on the sizes");
    const auto known = indices_.as_constant(extent);
    for (const std::int64_t length : tried_lengths) {
      const std::int64_t leaves = known.value_or(length);
      if (leaves < 1) return;
      const auto problem = schedules.expand(id, leaves).problem;
      const bool is_treeless = problem && (problem->kind == ScheduleProblem::Kind::no_tree ||
                                           problem->kind == ScheduleProblem::Kind::many_operands);
      if (problem && !is_treeless) {
        Diagnostic diagnostic = schedule_diagnostic(module_, id, *problem, place);
        diagnostic.notes.push_back(fmt::format("of {} leaves", leaves));
        if (!known) diagnostic.helps.push_back("give the sizes: `-D NAME=SIZE`");
        if (!problem_) problem_ = std::move(diagnostic);
        return;
      }
      if (known) return;
    }
  }

  const Loop* loop_of(VariableId variable) const {
    const auto found =
        std::find_if(loops_.rbegin(), loops_.rend(), [&](const Loop& loop) { return loop.variable == variable; });
    return found == loops_.rend() ? nullptr : &*found;
  }

  /// Whether no value of the expression is negative, as far as its form shows.
  bool is_natural(IndexId id) const {
    const IndexNode& node = indices_[id];
    const auto all = [&] {
      return std::all_of(node.operands.begin(), node.operands.end(), [&](IndexId part) { return is_natural(part); });
    };
    switch (node.op) {
      case IndexOp::constant: return node.value >= 0;
      case IndexOp::sum:
        return node.value >= 0 && all() &&
               std::all_of(node.coefficients.begin(), node.coefficients.end(),
                           [](std::int64_t coefficient) { return coefficient > 0; });
      case IndexOp::floor_mod: return is_natural(node.operands[1]);
      case IndexOp::maximum: return is_natural(node.operands[0]) || is_natural(node.operands[1]);
      case IndexOp::product:
      case IndexOp::floor_div:
      case IndexOp::minimum: return all();
      default: return true;  // dimensions, variables, conditions
    }
  }

  std::optional<Bounds> bounds_of(IndexId id, SourceSpan place) {
    const auto low = end_of(id, false), high = end_of(id, true);
    if (low && high) return Bounds{*low, *high};
    auto out = bounds_by_parts(id, place);
    if (out) out->exact = false;
    return out;
  }

  /// The least or the greatest value of a sum of multiples of variables: the variables of the innermost loop go first,
  /// so that the others may occur in its extent.
  std::optional<IndexId> end_of(IndexId id, bool greatest) {
    for (auto loop = loops_.rbegin(); loop != loops_.rend() && !indices_.variables(id).empty(); ++loop) {
      if (!indices_.mentions(id, loop->variable)) continue;
      const auto parts = indices_.affine_in(id, loop->variable);
      if (!parts) return std::nullopt;
      const bool rises = is_natural(parts->stride);
      if (!rises && !is_natural(indices_.negate(parts->stride))) return std::nullopt;
      const IndexId last = indices_.subtract(loop->extent, one());
      id = rises == greatest ? indices_.add(parts->base, indices_.multiply(parts->stride, last)) : parts->base;
    }
    return id;
  }

  std::optional<Bounds> bounds_by_parts(IndexId id, SourceSpan place) {
    if (indices_.variables(id).empty()) return Bounds{id, id};
    const IndexNode node = indices_[id];
    if (node.op == IndexOp::variable) {
      const Loop* loop = loop_of(node.variable);
      if (loop == nullptr) return std::nullopt;
      const auto extent = bounds_of(loop->extent, place);
      if (!extent) return std::nullopt;
      return Bounds{zero(), indices_.subtract(extent->high, one())};
    }
    std::vector<Bounds> parts;
    for (const IndexId operand : node.operands) {
      const auto part = bounds_of(operand, place);
      if (!part) return std::nullopt;
      parts.push_back(*part);
    }
    switch (node.op) {
      case IndexOp::sum: return bounds_of_sum(node, parts);
      case IndexOp::product: return bounds_of_product(node, parts);
      case IndexOp::floor_div:
      case IndexOp::floor_mod: return bounds_of_quotient(node, parts, place);
      case IndexOp::minimum:
        return Bounds{indices_.minimum(parts[0].low, parts[1].low), indices_.minimum(parts[0].high, parts[1].high)};
      case IndexOp::maximum:
        return Bounds{indices_.maximum(parts[0].low, parts[1].low), indices_.maximum(parts[0].high, parts[1].high)};
      default: return Bounds{zero(), one()};  // conditions
    }
  }

  Bounds bounds_of_sum(const IndexNode& node, const std::vector<Bounds>& parts) {
    Bounds out{indices_.constant(node.value), indices_.constant(node.value)};
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const IndexId coefficient = indices_.constant(node.coefficients[k]);
      const bool rising = node.coefficients[k] > 0;
      out.low = indices_.add(out.low, indices_.multiply(coefficient, rising ? parts[k].low : parts[k].high));
      out.high = indices_.add(out.high, indices_.multiply(coefficient, rising ? parts[k].high : parts[k].low));
    }
    return out;
  }

  std::optional<Bounds> bounds_of_product(const IndexNode& node, const std::vector<Bounds>& parts) {
    Bounds out{one(), one()};
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (!is_natural(node.operands[k])) return std::nullopt;
      out.low = indices_.multiply(out.low, parts[k].low);
      out.high = indices_.multiply(out.high, parts[k].high);
    }
    return out;
  }

  std::optional<Bounds> bounds_of_quotient(const IndexNode& node, const std::vector<Bounds>& parts, SourceSpan place) {
    const Bounds& divisor = parts[1];
    if (!indices_.variables(divisor.low).empty() || !indices_.variables(divisor.high).empty()) return std::nullopt;
    if (const auto known = indices_.as_constant(divisor.low); known && *known < 1) return std::nullopt;
    require(indices_.less_equal(one(), divisor.low), place);
    if (node.op == IndexOp::floor_mod) return Bounds{zero(), indices_.subtract(divisor.high, one())};
    if (divisor.low != divisor.high && !is_natural(node.operands[0])) return std::nullopt;
    return Bounds{indices_.floor_div(parts[0].low, divisor.high), indices_.floor_div(parts[0].high, divisor.low)};
  }

  Module& module_;
  IndexStore& indices_;
  std::vector<Loop> loops_;
  std::set<VariableId> over_;  ///< the loops that the present conditions are about
  std::unordered_set<NodeId> done_, closed_;
  std::set<std::uint32_t> seen_;
  std::vector<SizeCondition> conditions_;
  std::vector<SizeCondition> bounded_;  ///< those of bounds that are not exact
  std::optional<Diagnostic> problem_;
};

}  // namespace

Expected<std::vector<SizeCondition>> size_conditions(Module& module, const Function& function) {
  if (function.dimensions.empty()) return std::vector<SizeCondition>{};
  return Conditions(module).of(function);
}

}  // namespace reckon::ir
