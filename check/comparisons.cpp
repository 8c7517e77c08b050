#include "check/comparisons.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "driver/prepare.h"
#include "ir/function_of.h"
#include "ir/integer.h"

namespace reckon::check {
namespace {

using ir::NodeId;
using ir::Op;

constexpr std::int64_t choices_of_indices = 5;
constexpr std::size_t max_nodes = 20000;
constexpr std::size_t max_comparisons = 64;

/// Visits a circuit with a constant in place of every index, so that all nodes that it reaches are closed.
class ComparisonFinder {
 public:
  ComparisonFinder(ir::Module& module, std::int64_t seed) : module_(module), seed_(static_cast<std::uint64_t>(seed)) {}

  void run(NodeId body) {
    for (choice_ = 0; choice_ < choices_of_indices; ++choice_) {
      seen_.clear();
      visit(body);
    }
  }
  std::vector<Comparison> comparisons() { return std::move(found_); }
  std::vector<Selection> selections() { return std::move(selections_); }

 private:
  void visit(NodeId id) {
    if (seen_.size() > max_nodes || !seen_.insert(id).second) return;
    const ir::Node node = module_[id];
    switch (node.op) {
      case Op::map: {
        ir::Module::Substitution place;
        for (std::size_t k = 0; k < node.variables.size(); ++k) {
          const auto index = some_index(node.indices[k], 0);
          if (!index) return;
          place.indices.variables[node.variables[k]] = *index;
        }
        return visit(module_.substitute(node.operands[0], place));
      }
      case Op::element:
        if (const auto body = element_of_map(node)) return visit(*body);
        break;
      case Op::at:
        if (const auto index = some_index(node.indices[0], 0)) {
          visit(module_.substitute(node.operands[0], {{{}, {{node.variables[0], *index}}}, {}, {}}));
        }
        return visit(node.operands[1]);
      case Op::reduce:
      case Op::scan: return fold(node);
      case Op::loop: {  // the first round
        const auto round = some_index(node.indices[0], 0);
        if (round) {
          visit(module_.substitute(node.operands[0],
                                   {{{}, {{node.variables[0], *round}}}, {{node.variables[1], node.operands[1]}}, {}}));
        }
        return visit(node.operands[1]);
      }
      case Op::call:
        for (NodeId argument : node.operands) visit(argument);
        if (const auto body = body_of_call(node)) visit(*body);
        return;
      default: compare(node);
    }
    for (NodeId operand : node.operands) visit(operand);
  }

  std::optional<NodeId> element_of_map(const ir::Node& element) {
    const ir::Node tensor = module_[element.operands[0]];
    if (tensor.op != Op::map) return std::nullopt;
    ir::Module::Substitution place;
    for (std::size_t k = 0; k < tensor.variables.size(); ++k) {
      place.indices.variables[tensor.variables[k]] = element.indices[k];
    }
    return module_.substitute(tensor.operands[0], place);
  }

  void fold(const ir::Node& node) {
    const ir::Reduction reduction = module_.reduction_of(node);
    const auto leaf = [&](std::uint64_t which) -> std::optional<NodeId> {
      const auto index = some_index(node.indices[0], which);
      if (!index) return std::nullopt;
      return module_.substitute(node.operands[0], {{{}, {{node.variables[0], *index}}}, {}, {}});
    };
    const auto first = leaf(0), second = leaf(1);
    if (first && second) {
      visit(*first);
      visit(*second);
      if (reduction.user) {
        visit(module_.substitute(node.operands[1],
                                 {{}, {{node.variables[1], *first}, {node.variables[2], *second}}, {}}));
      } else if (reduction.operation == Op::max || reduction.operation == Op::min) {
        add(*first, *second);
      }
    }
    if (reduction.has_otherwise) visit(node.operands.back());
  }

  std::optional<NodeId> body_of_call(const ir::Node& call) {
    const ir::Function callee = module_.callee_of(call);
    std::vector<std::vector<std::int64_t>> shapes;
    for (NodeId argument : call.operands) {
      std::vector<std::int64_t> shape;
      for (ir::IndexId extent : module_.type(argument).extents) {
        const auto value = module_.indices().as_constant(extent);
        if (!value) return std::nullopt;
        shape.push_back(*value);
      }
      shapes.push_back(std::move(shape));
    }
    const auto sized = driver::at_shapes(module_, callee, shapes);
    if (!sized) return std::nullopt;
    return module_.substitute(sized->body, {{}, {}, call.operands});
  }

  void compare(const ir::Node& node) {
    switch (node.op) {
      case Op::less:
      case Op::less_equal:
      case Op::equal:
      case Op::not_equal:
      case Op::min:
      case Op::max:
      case Op::minnum:
      case Op::maxnum: return add(node.operands[0], node.operands[1]);
      case Op::select:
        if (selections_.size() < max_comparisons && module_[node.operands[0]].op != Op::index_condition &&
            conditions_.insert(node.operands[0]).second) {
          selections_.push_back({node.operands[0], module_.span(node.operands[0])});
        }
        return;
      case Op::clamp: add(node.operands[0], node.operands[1]); return add(node.operands[0], node.operands[2]);
      case Op::abs:
      case Op::sign: return add(node.operands[0], number(0, node.operands[0]));
      case Op::copysign: return add(node.operands[1], number(0, node.operands[1]));
      case Op::floor:
      case Op::ceil:
      case Op::trunc: return add(node.operands[0], module_.apply(Op::round, {node.operands[0]}));
      case Op::round: {
        const NodeId whole = module_.apply(Op::floor, {node.operands[0]});
        return add(node.operands[0], module_.apply(Op::add, {whole, number(mpq_class(1, 2), whole)}));
      }
      case Op::rem: {
        const NodeId quotient = module_.apply(Op::div, {node.operands[0], node.operands[1]});
        add(node.operands[1], number(0, node.operands[1]));
        return add(quotient, module_.apply(Op::round, {quotient}));
      }
      case Op::atan2:
        add(node.operands[0], number(0, node.operands[0]));
        return add(node.operands[1], number(0, node.operands[1]));
      case Op::convert: {  // an integer takes what its type has
        const ir::Scalar to = module_.types()[node.type].scalar;
        if (!ir::is_float(module_.type(node.operands[0]).scalar) || !ir::is_integer(to)) return;
        add(node.operands[0], number(ir::least_integer(to), node.operands[0]));
        return add(node.operands[0], number(ir::greatest_integer(to) + 1, node.operands[0]));
      }
      case Op::div: return add(node.operands[1], number(0, node.operands[1]));
      case Op::rootn:
      case Op::pow: return add(node.operands[0], number(0, node.operands[0]));
      default: break;
    }
    // The endpoints of a function's domain.
    const auto function = ir::function_of(node.op);
    if (!function) return;
    const numerics::Domain& domain = numerics::traits(*function).domain;
    for (const float end : {domain.low, domain.high}) {
      if (std::isfinite(end)) add(node.operands[0], number(mpq_class(end), node.operands[0]));
    }
  }

  NodeId number(const mpq_class& value, NodeId of_its_type) {
    return module_.rational(value, module_.type(of_its_type).scalar);
  }

  void add(NodeId left, NodeId right) {
    if (left == right || found_.size() == max_comparisons || module_.type(left).kind != ir::TypeKind::scalar) return;
    if (ir::has_pattern(module_.type(left).scalar) && pairs_.insert({left, right}).second)
      found_.push_back({left, right});
  }

  /// An index of a range; with `which` 1, another one if the range has two or more. Nothing for an empty range.
  std::optional<ir::IndexId> some_index(ir::IndexId extent, std::uint64_t which) {
    const auto size = module_.indices().as_constant(extent);
    if (!size || *size < 1) return std::nullopt;
    const auto count = static_cast<std::uint64_t>(*size);
    std::uint64_t value = 0;
    if (choice_ == 1) value = count - 1;
    if (choice_ > 1) value = (++drawn_ + seed_) * 0x9e3779b97f4a7c15ull >> 20;
    return module_.indices().constant(static_cast<std::int64_t>((value + which) % count));
  }

  ir::Module& module_;
  std::uint64_t seed_, drawn_ = 0;
  std::int64_t choice_ = 0;
  std::set<NodeId> seen_;
  std::set<std::pair<NodeId, NodeId>> pairs_;
  std::set<NodeId> conditions_;
  std::vector<Comparison> found_;
  std::vector<Selection> selections_;
};

}  // namespace

std::vector<Comparison> comparisons_of(ir::Module& module, NodeId body, std::int64_t seed) {
  ComparisonFinder finder(module, seed);
  finder.run(body);
  return finder.comparisons();
}

std::vector<Selection> selections_of(ir::Module& module, NodeId body, std::int64_t seed) {
  ComparisonFinder finder(module, seed);
  finder.run(body);
  return finder.selections();
}

}  // namespace reckon::check
