#include "codegen/strategies/tensor_cores/hidden_elements.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "ir/passes/literal_arithmetic.h"

namespace reckon::codegen {
namespace {

using ir::IndexId;
using ir::NodeId;
using ir::Op;

class HiddenElements {
 public:
  HiddenElements(ir::Module& module, const Planned& planned, std::uint32_t first, ProductRows& rows)
      : module_(module), planned_(planned), first_(first), rows_(rows) {}

  void find() {
    const IndexId columns = module_[rows_.second.reduce].indices[0];
    rows_.box = {module_.fresh_variable(), module_.fresh_variable(), module_.fresh_variable(), module_.fresh_variable()};
    std::optional<std::size_t> hides;
    for (std::size_t s = 0; s < rows_.steps.size(); ++s) {
      RowStep& step = rows_.steps[s];
      if (step.kind != RowStepKind::element) continue;
      const std::vector<Binder>& space = step.body.space;
      step.mask = row_mask(module_, step.body.node, space[rows_.second.row_binder].variable, space.back().variable,
                           columns, rows_.box);
      const bool leaves_out =
          step.mask && (step.mask->limit != columns || step.mask->begin != module_.indices().constant(0));
      if (leaves_out && !hides) hides = s;
    }
    if (hides && makes_no_difference(*hides)) rows_.skips = hides;
    for (RowStep& step : rows_.steps) {
      const bool is_greatest =
          step.kind == RowStepKind::fold && module_.reduction_of(step.body.node).operation == Op::max;
      const auto of = is_greatest ? step_read(module_[step.body.node].operands[0]) : std::nullopt;
      if (of) step.scaled = scaled_product(*of);
    }
  }

 private:
  /// The elements of the product that step `number` scales by a positive number, if it does nothing else.
  std::optional<RowStep::Scaled> scaled_product(std::size_t number) {
    const RowStep& step = rows_.steps[number];
    const NodeId whole = step.mask ? step.mask->visible : step.body.node;
    const ir::Node node = module_[whole];
    if (node.op != Op::mul && node.op != Op::div) return std::nullopt;
    const std::size_t of = node.op == Op::mul && is_of_first(node.operands[1]) ? 1 : 0;
    if (!is_of_first(node.operands[of]) || !is_positive(node.operands[1 - of])) return std::nullopt;
    RowStep::Scaled out{number, node.operands[of], node.operands[of]};
    if (step.mask) {
      std::vector<NodeId> operands = module_[step.body.node].operands;
      operands[1] = out.visible;
      out.leaf = module_.apply(Op::select, operands);
    }
    return out;
  }

  /// Whether the node is an element of the first product.
  bool is_of_first(NodeId node) const {
    const NodeId kept = module_[node].op == Op::element ? module_[node].operands[0] : node;
    return std::ranges::any_of(planned_.places, [&](const auto& known) {
      return known.first.node == kept && known.second.buffer == first_;
    });
  }

  /// Whether the node is certainly a positive number of moderate size.
  bool is_positive(NodeId id) const {
    const auto value = positive_value(id);
    return value && *value > 0x1p-60 && *value < 0x1p60;
  }
  std::optional<double> positive_value(NodeId id) const {
    const ir::Node& node = module_[id];
    const auto operand = [&](std::size_t k) { return positive_value(node.operands[k]); };
    switch (node.op) {
      case Op::literal: {
        const ir::Literal& literal = module_.literal_of(node);
        // The constants of which a real number is a multiple are between 1/4 and 4.
        const bool has_value = literal.kind == ir::Literal::Kind::rational || literal.kind == ir::Literal::Kind::real;
        return has_value ? std::optional(literal.value.get_d()) : std::nullopt;
      }
      case Op::sqrt:
      case Op::rsqrt: {
        const auto x = operand(0);
        if (!x || *x <= 0) return std::nullopt;
        return node.op == Op::sqrt ? std::sqrt(*x) : 1 / std::sqrt(*x);
      }
      case Op::mul: {
        const auto x = operand(0), y = operand(1);
        return x && y && *x > 0 && *y > 0 ? std::optional(*x * *y) : std::nullopt;
      }
      default: return std::nullopt;
    }
  }

  /// What a value is at hidden places, if it is the same at all of them: the pattern of an f32 or of a word of 32 bits;
  /// of the narrower floats only zero and the infinities, as f32s. Rows with a NaN at a hidden place are left out: all
  /// of their elements are NaNs.
  using Hidden = std::optional<std::uint32_t>;
  static constexpr std::uint32_t zero = 0, minus_infinity = 0xff800000;

  static Hidden of_float(float value) { return std::isnan(value) ? Hidden() : std::bit_cast<std::uint32_t>(value); }

  /// Whether the elements that the mask of step `masked` hides make no difference.
  bool makes_no_difference(std::size_t masked) const {
    std::vector<Hidden> hidden(rows_.steps.size());
    std::vector<bool> is_top(rows_.steps.size());
    hidden[masked] = minus_infinity;
    for (std::size_t s = 0; s < rows_.steps.size(); ++s) {
      const RowStep& step = rows_.steps[s];
      if (step.kind == RowStepKind::element && s != masked) hidden[s] = hidden_value(step.body.node, hidden, is_top);
      if (step.kind != RowStepKind::fold) continue;
      const ir::Op operation = module_.reduction_of(step.body.node).operation;
      const NodeId leaf = module_[step.body.node].operands[0];
      const Hidden value = hidden_value(leaf, hidden, is_top);
      // The maximum of the masked elements themselves.
      is_top[s] = operation == Op::max && step_read(leaf) == masked;
      const bool changes_nothing =
          (operation == Op::max && value == minus_infinity) || (operation == Op::add && value == zero);
      if (!changes_nothing) return false;
    }
    return hidden[rows_.made] == zero;
  }

  /// The step whose value the node reads, if it reads one.
  std::optional<std::size_t> step_read(NodeId node) const {
    const NodeId kept = module_[node].op == Op::element ? module_[node].operands[0] : node;
    for (const auto& [occurrence, place] : planned_.places) {
      if (occurrence.node != kept) continue;
      const auto step = std::ranges::find(rows_.steps, place.buffer, &RowStep::output);
      if (step != rows_.steps.end()) return static_cast<std::size_t>(step - rows_.steps.begin());
    }
    return std::nullopt;
  }

  Hidden hidden_value(NodeId id, const std::vector<Hidden>& hidden, const std::vector<bool>& is_top) const {
    if (const auto step = step_read(id)) return hidden[*step];
    const ir::Node& node = module_[id];
    if (node.op == Op::literal) return literal(id);
    if (!ir::is_scalar_operation(node.op)) return std::nullopt;
    if (node.op == Op::select) {
      const auto holds = hidden_condition(node.operands[0], hidden, is_top);
      return holds ? hidden_value(node.operands[*holds ? 1 : 2], hidden, is_top) : std::nullopt;
    }
    std::vector<Hidden> x;
    for (const NodeId operand : node.operands) x.push_back(hidden_value(operand, hidden, is_top));
    if (std::ranges::all_of(x, [](const Hidden& each) { return each.has_value(); })) return computed(node, x);
    switch (node.op) {
      case Op::sub:
        // If the maximum is -inf or NaN, so are all elements, or NaN, and their differences are NaN.
        return x[0] == minus_infinity && is_scaled_top(node.operands[1], is_top, false) ? x[0] : std::nullopt;
      case Op::mul: {
        const std::size_t k = is_positive(node.operands[0]) ? 1 : 0;
        return is_positive(node.operands[1 - k]) && is_same_when_scaled(x[k]) ? x[k] : std::nullopt;
      }
      case Op::fma: {
        const std::size_t k = is_positive(node.operands[0]) ? 1 : 0;
        const bool is_minus_infinity = is_positive(node.operands[1 - k]) &&
                                       is_scaled_top(node.operands[2], is_top, true) && x[k] == minus_infinity;
        return is_minus_infinity ? x[k] : std::nullopt;
      }
      default: return std::nullopt;
    }
  }

  /// Whether a comparison of f32s holds at hidden places, if that is known.
  std::optional<bool> hidden_condition(NodeId id, const std::vector<Hidden>& hidden,
                                       const std::vector<bool>& is_top) const {
    const ir::Node& node = module_[id];
    if (node.op != Op::less && node.op != Op::less_equal) return std::nullopt;
    if (module_.type(node.operands[0]).scalar != ir::Scalar::f32) return std::nullopt;
    const Hidden x = hidden_value(node.operands[0], hidden, is_top), y = hidden_value(node.operands[1], hidden, is_top);
    if (!x || !y) return std::nullopt;
    const auto left = std::bit_cast<float>(*x), right = std::bit_cast<float>(*y);
    return node.op == Op::less ? left < right : left <= right;
  }

  static bool is_same_when_scaled(const Hidden& value) { return value == minus_infinity || value == zero; }

  Hidden literal(NodeId id) const {
    const ir::Scalar scalar = module_.type(id).scalar;
    const ir::Literal& literal = module_.literal_of(id);
    if (scalar == ir::Scalar::f32) {
      const auto value = ir::rounded_literal(module_, id);
      return value ? of_float(static_cast<float>(value->get_d())) : std::nullopt;
    }
    if (scalar != ir::Scalar::u32 || literal.kind != ir::Literal::Kind::rational) return std::nullopt;
    return static_cast<std::uint32_t>(literal.value.get_num().get_ui());
  }

  /// The operation of operands that are known.
  Hidden computed(const ir::Node& node, const std::vector<Hidden>& x) const {
    const ir::Scalar scalar = module_.types()[node.type].scalar;
    if (node.op == Op::convert) return ir::is_float(scalar) && is_same_when_scaled(x[0]) ? x[0] : std::nullopt;
    if (node.op == Op::exp || node.op == Op::exp2) return x[0] == minus_infinity ? Hidden(zero) : std::nullopt;
    if (scalar == ir::Scalar::u32) {
      switch (node.op) {
        case Op::bits: return x[0];
        case Op::add: return *x[0] + *x[1];
        case Op::shift_left: return *x[1] < 32 ? Hidden(*x[0] << *x[1]) : std::nullopt;
        default: return std::nullopt;
      }
    }
    if (scalar != ir::Scalar::f32) return std::nullopt;
    if (node.op == Op::from_bits) return of_float(std::bit_cast<float>(*x[0]));
    const auto operand = [&](std::size_t k) { return std::bit_cast<float>(*x[k]); };
    switch (node.op) {
      case Op::add: return of_float(operand(0) + operand(1));
      case Op::sub: return of_float(operand(0) - operand(1));
      case Op::mul: return of_float(operand(0) * operand(1));
      case Op::fma: return of_float(std::fma(operand(0), operand(1), operand(2)));
      // Of zeros of both signs the operations of the language choose one, which these may not.
      case Op::maxnum:
      case Op::max: return operand(0) == operand(1) ? Hidden() : of_float(std::max(operand(0), operand(1)));
      case Op::minnum:
      case Op::min: return operand(0) == operand(1) ? Hidden() : of_float(std::min(operand(0), operand(1)));
      case Op::clamp:
        if (operand(0) < operand(1) && operand(1) < operand(2)) return x[1];
        return operand(2) < operand(0) && operand(1) < operand(2) ? x[2] : std::nullopt;
      default: return std::nullopt;
    }
  }

  /// Whether the node is the maximum of the masked elements times a positive number, or the negative of that. The number
  /// is at most 1, so that this is infinite only if the maximum is.
  bool is_scaled_top(NodeId id, const std::vector<bool>& is_top, bool negated) const {
    if (const auto step = step_read(id)) {
      if (is_top[*step]) return !negated;
      return rows_.steps[*step].kind == RowStepKind::row && is_scaled_top(rows_.steps[*step].body.node, is_top, negated);
    }
    const ir::Node& node = module_[id];
    if (node.op == Op::neg) return is_scaled_top(node.operands[0], is_top, !negated);
    if (node.op != Op::mul) return false;
    const std::size_t k = is_positive(node.operands[0]) ? 1 : 0;
    return is_positive(node.operands[1 - k]) && *positive_value(node.operands[1 - k]) <= 1 &&
           is_scaled_top(node.operands[k], is_top, negated);
  }

  ir::Module& module_;
  const Planned& planned_;
  std::uint32_t first_;  ///< the first product's buffer
  ProductRows& rows_;
};

}  // namespace

void find_masks(ir::Module& module, const Planned& planned, std::uint32_t first, ProductRows& rows) {
  HiddenElements(module, planned, first, rows).find();
}

}  // namespace reckon::codegen
