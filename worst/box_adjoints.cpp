// From the result to the inputs: the derivative of the result with respect to each node, at the reals.
#include "ir/function_of.h"
#include "worst/box_bound.h"

namespace reckon::worst {

using ir::Op;

void BoxBounds::differentiate() {
  std::fill(reached_.begin(), reached_.end(), std::uint8_t{0});
  adjoints_[output_] = {1, 1};
  if (with_forms_) forms_.set(adjoint_form(output_), 1, 1);
  reached_[output_] = facts_of(output_).drift > 0 ? 1 : 0;
  for (NodeNumber number = output_ + 1; number-- > 0;) {
    if (reached_[number] != 0) spread(number);
  }
  for (NodeNumber number = 0; number <= output_; ++number) {
    if (reached_[number] != 0 && circuit_[number].kind == Kind::residual) take_back(number);
  }
}

/// The residual of a sum is its rounding's error with the other sign: what the error does to the result by both ways is
/// one derivative. It is for the sum's own error alone, and the operands have theirs already.
void BoxBounds::take_back(NodeNumber residual) {
  const NodeNumber sum = circuit_[residual].first;
  const Interval back = rules_.neg(adjoints_[residual]);
  if (reached_[sum] == 0) {
    reached_[sum] = 1;
    adjoints_[sum] = back;
    if (with_forms_) forms_.negate(adjoint_form(sum), adjoint_form(residual));
    return;
  }
  adjoints_[sum] = rules_.add(adjoints_[sum], back);
  if (!with_forms_) return;
  forms_.accumulate(adjoint_form(sum), adjoint_form(residual), -1);
  adjoints_[sum] = narrowed(adjoints_[sum], adjoint_form(sum));
}

/// The derivative of a node reaches its operands. An operand without an error needs none.
void BoxBounds::spread(NodeNumber number) {
  const Node& node = circuit_[number];
  if (node.kind == Kind::input || node.kind == Kind::constant || node.kind == Kind::residual) return;
  const double* own = with_forms_ ? adjoint_form(number) : nullptr;
  adjoints_[number] = narrowed(adjoints_[number], own);
  const Interval a = adjoints_[number];
  const auto value_form = [&](NodeNumber of) { return with_forms_ ? form(of) : nullptr; };
  const auto slopes = [&] { return with_forms_ ? slope_form(number) : nullptr; };
  const Facts& facts = facts_of(number);
  if (facts.flat) return;
  if (node.kind == Kind::block || node.kind == Kind::flushed) return add_adjoint(node.first, a, own, 1);
  const Op op = node.kind == Kind::difference ? Op::sub : node.op;
  switch (op) {
    case Op::neg: return add_adjoint(node.first, a, own, -1);
    case Op::convert: return add_adjoint(node.first, a, own, 1);
    case Op::add:
    case Op::sub:
      if (op == Op::sub && node.first == node.second) return;
      add_adjoint(node.first, a, own, 1);
      return add_adjoint(node.second, a, own, op == Op::add ? 1 : -1);
    case Op::mul:
    case Op::fma:
      add_scaled(number, node.first, facts_of(node.second).value, value_form(node.second), 1);
      add_scaled(number, node.second, facts_of(node.first).value, value_form(node.first), 1);
      if (op == Op::fma) add_adjoint(node.third, a, own, 1);
      return;
    case Op::div: {
      add_scaled(number, node.first, more_of(number).slope, slopes(), 1);
      if (facts_of(node.second).drift == 0) return;
      const Interval by = rules_.mul(more_of(number).slope, facts.value);
      double* by_form = nullptr;
      if (with_forms_) {
        by_form = scratch_.data() + forms_.stride();
        forms_.mul(by_form, slope_form(number), form(number));
      }
      return add_scaled(number, node.second, by, by_form, -1);
    }
    case Op::min:
    case Op::max:
    case Op::minnum:
    case Op::maxnum:
    case Op::select: {
      const auto part = [&](NodeNumber to, const Interval& of) {
        if (of.high == 0) return;
        if (of.low == 1) return add_adjoint(to, a, own, 1);
        add_scaled(number, to, of, form_of(of), 1);
      };
      part(node.first, more_of(number).slope);
      return part(node.second, {1 - more_of(number).slope.high, 1 - more_of(number).slope.low});
    }
    case Op::rem:
      add_adjoint(node.first, a, own, 1);
      return add_scaled(number, node.second, more_of(number).second_slope, form_of(more_of(number).second_slope), 1);
    case Op::abs:
    case Op::copysign: {
      if (is_point(more_of(number).slope)) return add_adjoint(node.first, a, own, more_of(number).slope.low);
      return add_scaled(number, node.first, more_of(number).slope, form_of({-1, 1}), 1);
    }
    default:  // a function
      add_scaled(number, node.first, more_of(number).slope, slopes(), 1);
      if (ir::binary_function_of(op))
        add_scaled(number, node.second, more_of(number).second_slope, form_of(more_of(number).second_slope), 1);
      return;
  }
}

void BoxBounds::add_adjoint(NodeNumber to, const Interval& range, const double* own, double sign) {
  if (facts_of(to).drift == 0) return;
  const Interval signed_range = sign < 0 ? rules_.neg(range) : range;
  if (reached_[to] == 0) {
    reached_[to] = 1;
    adjoints_[to] = signed_range;
    if (!with_forms_) return;
    if (sign < 0) forms_.negate(adjoint_form(to), own);
    else forms_.copy(adjoint_form(to), own);
    return;
  }
  adjoints_[to] = rules_.add(adjoints_[to], signed_range);
  if (with_forms_) forms_.accumulate(adjoint_form(to), own, sign);
}

void BoxBounds::add_scaled(NodeNumber from, NodeNumber to, const Interval& by, const double* by_form, double sign) {
  if (facts_of(to).drift == 0) return;
  Interval range = rules_.mul(adjoints_[from], by);
  double* product = nullptr;
  if (with_forms_) {
    product = scratch_.data();
    forms_.mul(product, adjoint_form(from), by_form);
    if (forms_.known(product)) range = intersection(range, {forms_.lower(product), forms_.upper(product)});
    else forms_.set(product, range.low, range.high);
  }
  add_adjoint(to, range, product, sign);
}

}  // namespace reckon::worst
