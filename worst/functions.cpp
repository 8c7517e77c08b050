#include "worst/functions.h"

#include "numerics/functions/table.h"

namespace reckon::worst {

using numerics::Function;

namespace {

/// Arithmetic in which nothing fails: what has no value is everything.
struct Plain {
  using Value = Interval;
  IntervalArithmetic rules{};

  static Value number(float value) { return {value, value}; }
  static Value real(numerics::RealConstant constant) {
    const auto [low, high] = numerics::enclose_real(1, constant);
    return {low, high};
  }
  Value apply(Function f, const Value& a) const { return is_defined(f, a) ? rules.Rules::of(f, a) : everything(); }
  static Value digamma(const Value&) { return everything(); }
  Value neg(const Value& a) const { return rules.neg(a); }
  Value square(const Value& a) const {
    const Value size = rules.abs(a);
    return rules.mul(size, size);
  }
  Value root(const Value& a) const { return a.low < 0 ? everything() : rules.Rules::sqrt(a); }
  Value add(const Value& a, const Value& b) const { return rules.add(a, b); }
  Value sub(const Value& a, const Value& b) const { return rules.sub(a, b); }
  Value mul(const Value& a, const Value& b) const { return rules.mul(a, b); }
  Value div(const Value& a, const Value& b) const {
    return b.low == 0 && b.high == 0 ? everything() : rules.Rules::div(a, b);
  }
  Value hypot(const Value& a, const Value& b) const { return rules.hypot(a, b); }
};

/// A number and its derivative.
struct Jet {
  Interval value{}, slope{};
};

struct Jets {
  using Value = Jet;
  Plain plain{};

  static Jet constant(const Interval& value) { return {value, {0, 0}}; }
  static Jet number(float value) { return constant(Plain::number(value)); }
  static Jet real(numerics::RealConstant value) { return constant(Plain::real(value)); }
  Jet apply(Function f, const Jet& a) const {
    const Interval v = plain.apply(f, a.value);
    return {v, plain.mul(numerics::evaluate(numerics::traits(f).derivative, plain, a.value, v), a.slope)};
  }
  static Jet digamma(const Jet&) { return {everything(), everything()}; }
  Jet neg(const Jet& a) const { return {plain.neg(a.value), plain.neg(a.slope)}; }
  Jet square(const Jet& a) const { return {plain.square(a.value), plain.mul({2, 2}, plain.mul(a.value, a.slope))}; }
  Jet root(const Jet& a) const {
    const Interval v = plain.root(a.value);
    return {v, plain.div(a.slope, plain.mul({2, 2}, v))};
  }
  Jet add(const Jet& a, const Jet& b) const { return {plain.add(a.value, b.value), plain.add(a.slope, b.slope)}; }
  Jet sub(const Jet& a, const Jet& b) const { return {plain.sub(a.value, b.value), plain.sub(a.slope, b.slope)}; }
  Jet mul(const Jet& a, const Jet& b) const {
    return {plain.mul(a.value, b.value), plain.add(plain.mul(a.value, b.slope), plain.mul(a.slope, b.value))};
  }
  Jet div(const Jet& a, const Jet& b) const {
    const Interval v = plain.div(a.value, b.value);
    return {v, plain.div(plain.sub(a.slope, plain.mul(v, b.slope)), b.value)};
  }
  Jet hypot(const Jet& a, const Jet& b) const {
    const Interval v = plain.hypot(a.value, b.value);
    const Interval slope = plain.add(plain.mul(a.value, a.slope), plain.mul(b.value, b.slope));
    return {v, plain.div(slope, v)};
  }
};

}  // namespace

bool is_defined(Function f, const Interval& x) { return is_bounded(x) && numerics::defined_on(f, x.low, x.high); }

Interval value(Function f, const Interval& x) { return Plain{}.apply(f, x); }

Interval derivative(Function f, const Interval& x, const Interval& value) {
  return numerics::evaluate(numerics::traits(f).derivative, Plain{}, x, value);
}

Interval second_derivative(Function f, const Interval& x, const Interval& value) {
  const Jet at{x, {1, 1}}, of{value, derivative(f, x, value)};
  return numerics::evaluate(numerics::traits(f).derivative, Jets{}, at, of).slope;
}

}  // namespace reckon::worst
