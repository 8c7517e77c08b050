// Selections: which branch is taken, and what taking the other one costs.
#include "interp/kleene.h"
#include "worst/box_bound.h"

namespace reckon::worst {

using interp::Truth;
namespace kleene = interp::kleene;
using ir::Op;

namespace {

Truth compared(Op op, const Interval& a, const Interval& b) {
  const IntervalArithmetic rules{};
  switch (op) {
    case Op::less: return rules.less(a, b);
    case Op::less_equal: return rules.less_equal(a, b);
    case Op::equal: return rules.equal(a, b);
    case Op::not_equal: return rules.not_equal(a, b);
    default: return Truth::unknown;
  }
}

}  // namespace

BoxBounds::Decided BoxBounds::decided(std::uint32_t number) const {
  const Condition& condition = circuit_.condition_of(number);
  if (condition.compares()) {
    const Facts &a = facts_of(condition.left), &b = facts_of(condition.right);
    Decided out{compared(condition.op, a.value, b.value), compared(condition.op, a.floats, b.floats), false};
    out.agree = (a.drift == 0 && b.drift == 0) || (out.reals == out.floats && out.reals != Truth::unknown);
    return out;
  }
  const Decided a = decided(condition.left);
  if (condition.op == Op::logical_not) return {kleene::negation(a.reals), kleene::negation(a.floats), a.agree};
  const Decided b = decided(condition.right);
  const auto joined = [&](Truth x, Truth y) {
    return condition.op == Op::logical_and ? kleene::conjunction(x, y) : kleene::disjunction(x, y);
  };
  Decided out{joined(a.reals, b.reals), joined(a.floats, b.floats), a.agree && b.agree};
  out.agree |= out.reals == out.floats && out.reals != Truth::unknown;
  return out;
}

/// Whether nothing is known of an operand that reaches this node. Of a selection, a branch that neither the real nor
/// the float takes does not matter.
bool BoxBounds::inherits_cause(NodeNumber number) {
  const Node& node = circuit_[number];
  const NodeNumber operands[] = {node.first, node.second, node.third};
  NodeNumber& cause = facts_of(number).cause;
  cause = 0;
  const auto take = [&](NodeNumber operand) {
    if (cause == 0) cause = facts_of(operand).cause;
  };
  if (node.kind == Kind::operation && node.op == Op::select) {
    circuit_.visit_compared(node.third, take);
    if (cause != 0) return true;
    const Decided which = decided(node.third);
    if (which.reals != Truth::no || which.floats != Truth::no) take(node.first);
    if (which.reals != Truth::yes || which.floats != Truth::yes) take(node.second);
    return cause != 0;
  }
  for (int k = 0; k < arity(node); ++k) take(operands[k]);
  return cause != 0;
}

/// Where the float and the real take the same branch, the error is that branch's. Where they may take different ones,
/// it is more by no more than the two branches differ, in reals.
void BoxBounds::selection(NodeNumber number) {
  const Node& node = circuit_[number];
  const Decided which = decided(node.third);
  const Facts &a = facts_of(node.first), &b = facts_of(node.second);
  Found out;
  const auto chosen = [&](Truth truth, const Interval& x, const Interval& y) {
    return truth == Truth::yes ? x : truth == Truth::no ? y : hull(x, y);
  };
  out.value = chosen(which.reals, a.value, b.value);
  out.floats = chosen(which.floats, a.floats, b.floats);
  const bool one = which.agree && which.reals != Truth::unknown && which.floats != Truth::unknown;
  out.slope = !one ? Interval{0, 1} : which.reals == Truth::yes ? Interval{1, 1} : Interval{0, 0};
  if (one) {
    const Facts& taken = which.reals == Truth::yes ? a : b;
    out.drift = taken.drift;
    out.place = taken.place;
    if (with_forms_) forms_.copy(form(number), form(which.reals == Truth::yes ? node.first : node.second));
    keep(number, out);
    return;
  }
  out.place = std::min(a.place, b.place);
  if (!which.agree) {
    Interval apart = rules_.sub(a.value, b.value);
    if (with_forms_) {
      forms_.sub(scratch_.data(), form(node.first), form(node.second));
      apart = narrowed(apart, scratch_.data());
    }
    out.made = magnitude(apart);
    out.cut_by = out.made;
  }
  out.drift = add_up(std::max(a.drift, b.drift), out.made);
  if (with_forms_) forms_.set(form(number), out.value.low, out.value.high);
  keep(number, out);
}

}  // namespace reckon::worst
