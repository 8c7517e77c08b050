// Elementary functions, and operations that jump.
#include "worst/box_bound.h"
#include "worst/functions.h"
#include "worst/functions_of_two.h"

namespace reckon::worst {

using ir::Op;
using numerics::Function;

/// The float may be so far from the real that no derivative says where it is.
void BoxBounds::moves_by(double distance, Found& out, double& carried) {
  carried = out.made = out.cut_by = distance;
  out.slope = out.second_slope = {0, 0};
  out.flat = true;
}

std::optional<Reason> BoxBounds::function(NodeNumber number, Function f, Found& out, double& carried) {
  const Node& node = circuit_[number];
  const Facts& a = facts_of(node.first);
  if (!is_defined(f, a.value)) return Reason::outside_domain;
  out.value = value(f, a.value);
  if (!is_bounded(out.value)) return Reason::overflow;
  if (a.drift > 0) {
    const Interval met = between(node.first);
    if (!is_defined(f, met)) return Reason::outside_domain;
    const Interval values = value(f, met), slopes = derivative(f, met, values);
    const double bends = magnitude(second_derivative(f, met, values));
    out.slope = derivative(f, a.value, out.value);
    carried = mul_up(magnitude(slopes), a.drift);
    out.made = mul_up(mul_up(bends, 0.5), mul_up(a.drift, a.drift));
    if (!std::isfinite(out.made)) {
      out.slope = slopes;  // the mean value of the derivative between the real and the float
      out.made = 0;
      if (!is_bounded(slopes)) {
        // Two roots differ by no more than the root of the difference.
        double apart = width(values);
        if (f == Function::sqrt) apart = std::min(apart, rules_.Rules::sqrt({a.drift, a.drift}).high);
        if (!std::isfinite(apart)) return Reason::unbounded;
        moves_by(apart, out, carried);
      }
    }
  }
  if (!with_forms_) return std::nullopt;
  const double* x = form(node.first);
  double* value_form = form(number);
  double* slope_of = slope_form(number);
  forms_.set(slope_of, out.slope.low, out.slope.high);
  forms_.set(value_form, out.value.low, out.value.high);
  if (!forms_.known(x) || is_point(a.value)) return std::nullopt;
  const Interval bend = second_derivative(f, a.value, out.value);
  if (!is_bounded(bend)) return std::nullopt;
  const double at = std::clamp(x[0], a.value.low, a.value.high);
  const Interval here = value(f, {at, at}), steep = derivative(f, {at, at}, here);
  const double reach = std::max(add_up(a.value.high, -at), add_up(at, -a.value.low));
  const double square = mul_up(mul_up(reach, reach), 0.5);
  const double low = bend.low < 0 ? -mul_up(-bend.low, square) : 0,
               high = bend.high > 0 ? mul_up(bend.high, square) : 0;
  const double slope = steep.low / 2 + steep.high / 2, middle = here.low / 2 + here.high / 2;
  const double slope_error = mul_up(add_up(steep.high, -steep.low), reach);
  forms_.linear(value_form, x, at, middle, add_up(slope_error, add_up(here.high, -here.low)), slope, low, high);
  if (out.flat || out.made == 0) return std::nullopt;
  const double bent = bend.low / 2 + bend.high / 2;
  const double off = mul_up(add_up(bend.high, -bend.low), reach);
  forms_.linear(slope_of, x, at, slope, add_up(off, add_up(steep.high, -steep.low)), bent, 0, 0);
  return std::nullopt;
}

std::optional<Reason> BoxBounds::function_of_two(NodeNumber number, BinaryFunction f, Found& out, double& carried) {
  const Node& node = circuit_[number];
  const Facts &a = facts_of(node.first), &b = facts_of(node.second);
  if (!is_defined(f, a.value, b.value)) return Reason::outside_domain;
  out.value = value(f, a.value, b.value);
  if (!is_bounded(out.value)) return Reason::overflow;
  const bool jumps = touches_cut(f, a.value, b.value);
  if (a.drift > 0 || b.drift > 0 || jumps) {
    const Interval x = between(node.first), y = between(node.second);
    if (!is_defined(f, x, y)) return Reason::outside_domain;
    const Interval values = value(f, x, y);
    const Gradient slopes = gradient(f, x, y, values);
    const auto moved = [](double drift, const Interval& slope) {
      return drift == 0 ? 0 : mul_up(drift, magnitude(slope));
    };
    carried = add_up(moved(a.drift, slopes.first), moved(b.drift, slopes.second));
    out.made = second_order(f, x, y, values, a.drift, b.drift);
    const Gradient at_reals = gradient(f, a.value, b.value, out.value);
    out.slope = at_reals.first;
    out.second_slope = at_reals.second;
    if (jumps || touches_cut(f, x, y)) {
      // A float may be a zero of the other sign. The angle turns once at most.
      moves_by(add_up(numerics::enclose_real(2, numerics::RealConstant::pi).second, 0), out, carried);
    } else if (!std::isfinite(out.made) || !std::isfinite(carried)) {
      double apart = width(values);
      // The triangle's inequality.
      if (f == BinaryFunction::hypot) apart = std::min(apart, add_up(a.drift, b.drift));
      if (!std::isfinite(apart)) return Reason::unbounded;
      moves_by(apart, out, carried);
    }
  }
  if (with_forms_) value_form_of_two(number, f, out);
  return std::nullopt;
}

/// The function at a point of the box, and the mean values of its derivatives.
void BoxBounds::value_form_of_two(NodeNumber number, BinaryFunction f, const Found& facts) {
  const Node& node = circuit_[number];
  const Interval &a = facts_of(node.first).value, &b = facts_of(node.second).value;
  double* out = form(number);
  forms_.set(out, facts.value.low, facts.value.high);
  forms_.set(slope_form(number), facts.slope.low, facts.slope.high);
  const double *x = form(node.first), *y = form(node.second);
  if (!forms_.known(x) || !forms_.known(y) || touches_cut(f, a, b)) return;
  const Gradient slopes = gradient(f, a, b, facts.value);
  const double x0 = std::clamp(x[0], a.low, a.high), y0 = std::clamp(y[0], b.low, b.high);
  const Interval here = value(f, {x0, x0}, {y0, y0});
  const auto add = [&](double* to, const double* of, const Interval& range, double at, const Interval& slope,
                       const Interval& start) {
    const double steep = slope.low / 2 + slope.high / 2, middle = start.low / 2 + start.high / 2;
    const double off = std::max(add_up(slope.high, -steep), add_up(steep, -slope.low));
    const double reach = mul_up(off, std::max(add_up(range.high, -at), add_up(at, -range.low)));
    forms_.linear(to, of, at, middle, width(start), steep, -reach, reach);
  };
  if (is_point(a) && is_point(b)) return;
  if ((!is_point(a) && !is_bounded(slopes.first)) || (!is_point(b) && !is_bounded(slopes.second))) return;
  double *part = scratch_.data(), *other = part + forms_.stride();
  add(part, x, a, x0, is_point(a) ? Interval{0, 0} : slopes.first, here);
  add(other, y, b, y0, is_point(b) ? Interval{0, 0} : slopes.second, {0, 0});
  forms_.add(part, part, other);
  if (forms_.known(part)) forms_.copy(out, part);
}

bool BoxBounds::is_step(Op op) {
  return op == Op::floor || op == Op::ceil || op == Op::trunc || op == Op::round || op == Op::sign;
}

/// Constant between jumps of 1, or of 2 in all.
void BoxBounds::step(NodeNumber number, Found& out, double& carried) {
  const Node& node = circuit_[number];
  const Facts& a = facts_of(node.first);
  const auto values = [&](const Interval& x) {
    switch (node.op) {
      case Op::floor: return rules_.floor(x);
      case Op::ceil: return rules_.ceil(x);
      case Op::trunc: return rules_.trunc(x);
      case Op::round: return rules_.round(x);
      default: return rules_.sign(x);
    }
  };
  out.value = values(a.value);
  double jump = a.drift == 0 ? 0 : width(values(between(node.first)));
  if (node.op != Op::sign) jump = std::min(jump, std::ceil(a.drift));
  moves_by(jump, out, carried);
  if (with_forms_) forms_.set(form(number), out.value.low, out.value.high);
}

void BoxBounds::with_sign(NodeNumber number, Found& out, double& carried) {
  const Node& node = circuit_[number];
  const Facts &a = facts_of(node.first), &b = facts_of(node.second);
  const Interval sign = between(node.second), size = rules_.abs(a.value);
  if (holds_zero(sign)) {  // zeros have signs that reals do not have
    out.value = {-size.high, size.high};
    if (b.value.low > 0) out.value = size;
    if (b.value.high < 0) out.value = rules_.neg(size);
    moves_by(mul_up(2, add_up(size.high, a.drift)), out, carried);
    if (with_forms_) forms_.set(form(number), out.value.low, out.value.high);
    return;
  }
  const Interval x = between(node.first);
  const bool keeps = (x.low >= 0) == (sign.low > 0);
  out.value = sign.low > 0 ? size : rules_.neg(size);
  out.slope = x.low < 0 && x.high > 0 ? Interval{-1, 1} : keeps ? Interval{1, 1} : Interval{-1, -1};
  carried = a.drift;
  if (!with_forms_) return;
  if (!is_point(out.slope)) forms_.set(form(number), out.value.low, out.value.high);
  else if (out.slope.low < 0) forms_.negate(form(number), form(node.first));
  else forms_.copy(form(number), form(node.first));
}

/// a - n b, where one quotient n holds for all reals and floats; nothing is rounded.
std::optional<Reason> BoxBounds::remainder(NodeNumber number, Found& out, double& carried) {
  const Node& node = circuit_[number];
  const Facts &a = facts_of(node.first), &b = facts_of(node.second);
  const Interval x = between(node.first), y = between(node.second);
  if (holds_zero(y)) return Reason::division_by_zero;
  out.value = rules_.Rules::rem(a.value, b.value);
  const Interval quotient = rules_.trunc(rules_.Rules::div(x, y));
  const double apart = a.drift == 0 && b.drift == 0 ? 0 : width(rules_.Rules::rem(x, y));
  carried = add_up(a.drift, mul_up(std::fabs(quotient.low), b.drift));
  if (!is_point(quotient) || !(std::fabs(quotient.low) < 0x1p53) || carried > apart) {
    moves_by(apart, out, carried);
    if (with_forms_) forms_.set(form(number), out.value.low, out.value.high);
    return std::nullopt;
  }
  out.slope = {1, 1};
  out.second_slope = {-quotient.low, -quotient.low};
  if (with_forms_) forms_.combine(form(number), form(node.first), 1, form(node.second), -quotient.low);
  return std::nullopt;
}

}  // namespace reckon::worst
