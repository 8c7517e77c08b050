#include "semantics/bound/function.h"

#include "interp/algebra/interval_rules.h"

namespace reckon::interp {

using numerics::Function;

namespace {

using directed::add_down, directed::add_up;

double below(Function function, double x) { return numerics::mpfr_unary_directed(function, x, false); }
double above(Function function, double x) { return numerics::mpfr_unary_directed(function, x, true); }

ErrorInterval around(Function function, double x) { return {below(function, x), above(function, x)}; }

using Box = IntervalOf<double>;
constexpr IntervalFunctions<F64Endpoints> intervals{};

ErrorInterval as_error(const Box& box) { return {box.low, box.high}; }

/// The range of f over [low, high], which is inside the domain.
Box image(Function function, double low, double high) {
  Box out = intervals.everything();
  (void)intervals.of(function, out, {low, high});
  return out;
}

/// The arithmetic for a derivative's formula: a quotient by 0 or a root of a negative number may be anything.
struct Derivatives {
  using Value = Box;

  static Box number(float value) { return {value, value}; }
  static Box real(numerics::RealConstant which) {
    const auto [low, high] = numerics::enclose_real(1, which);
    return {low, high};
  }
  static Box apply(Function f, const Box& a) { return intervals.of(f, a); }
  static Box digamma(const Box& a) { return F64Endpoints::digamma_range(a); }
  static Box neg(const Box& a) { return intervals.neg(a); }
  static Box square(const Box& a) {
    const Box magnitude = intervals.abs(a);
    return intervals.mul(magnitude, magnitude);
  }
  static Box root(const Box& a) {
    Box out = intervals.everything();
    (void)intervals.sqrt(out, a);
    return out;
  }
  static Box add(const Box& a, const Box& b) { return intervals.add(a, b); }
  static Box sub(const Box& a, const Box& b) { return intervals.sub(a, b); }
  static Box mul(const Box& a, const Box& b) { return intervals.mul(a, b); }
  static Box div(const Box& a, const Box& b) {
    Box out = intervals.everything();
    (void)intervals.div(out, a, b);
    return out;
  }
  /// Uses directed arithmetic, which is faster than the function.
  static Box hypot(const Box& a, const Box& b) { return root(add(square(a), square(b))); }
};

/// The range of f' over [low, high], which is inside the domain.
ErrorInterval derivative(Function function, double low, double high) {
  const numerics::FunctionTraits& row = numerics::traits(function);
  const auto slope = [&](const Box& x) {
    const bool of_value = row.derivative.uses(numerics::Formula::Kind::value);
    return as_error(evaluate(row.derivative, Derivatives{}, x, of_value ? image(function, x.low, x.high) : Box{}));
  };
  if (row.shape != numerics::Shape::sinusoid || row.half_turns) return slope({low, high});
  // Expand around the middle: f'' lies in [-1, 1], as f does. If the caller's interval is not narrow, the answer is
  // [-1, 1].
  const double middle = low / 2 + high / 2;
  const double radius = std::max(add_up(middle, -low), add_up(high, -middle));
  return intersection(slope({middle, middle}) + ErrorInterval{-radius, radius}, {-1, 1});
}

}  // namespace

std::optional<ErrorInterval> function_error(Function function, double x, const ErrorInterval& error, double result,
                                            numerics::Format format) {
  const ErrorInterval value = around(function, x);
  const double half = half_ulp(result, format);
  const ErrorInterval local{std::max(add_down(value.low, -result), -half), std::min(add_up(value.high, -result), half)};
  if (error.is_zero()) return local;
  const double low = add_down(x, std::min(error.low, 0.0)), high = add_up(x, std::max(error.high, 0.0));
  if (!std::isfinite(low) || !std::isfinite(high) || !numerics::defined_on(function, low, high)) return std::nullopt;
  if (function == Function::sqrt && low == 0) {  // the slope is infinite there; the values at the ends are enough
    return local + ErrorInterval{-value.high, add_up(above(function, high), -value.low)};
  }
  const ErrorInterval by_slope = local + product(error, derivative(function, low, high));
  if (numerics::traits(function).shape == numerics::Shape::sinusoid || by_slope.is_finite()) return by_slope;
  const ErrorInterval values = as_error(image(function, low, high));  // no bound on the slope at asin(1), cbrt(0), ...
  return ErrorInterval{add_down(values.low, -result), add_up(values.high, -result)};
}

std::optional<ErrorInterval> values_of(numerics::BinaryFunction function, const ErrorInterval& x, const ErrorInterval& y) {
  if (!x.is_finite() || !y.is_finite()) return std::nullopt;
  const Box a{x.low, x.high}, b{y.low, y.high};
  const bool integer = y.low == y.high && std::trunc(y.low) == y.low;
  Box out;
  switch (function) {
    case numerics::BinaryFunction::hypot: return as_error(intervals.hypot(a, b));
    case numerics::BinaryFunction::atan2:
      if (x.low <= 0 && x.high >= 0 && y.low <= 0 && y.high >= 0) return std::nullopt;
      break;
    case numerics::BinaryFunction::pow:
      if (!(x.low > 0 || (x.low >= 0 && y.low > 0) || (integer && (y.low >= 0 || x.high < 0)))) return std::nullopt;
      break;
    case numerics::BinaryFunction::rootn: {
      const bool odd = integer && F64Endpoints::is_odd(y.low);
      if (!integer || y.low == 0 || !(x.low > 0 || (odd && (x.high < 0 || y.low > 0)) || (x.low >= 0 && y.low > 0)))
        return std::nullopt;
      break;
    }
  }
  const auto fault = [&] {
    switch (function) {
      case numerics::BinaryFunction::pow: return intervals.pow(out, a, b);
      case numerics::BinaryFunction::rootn: return intervals.rootn(out, a, b);
      default: return intervals.atan2(out, a, b);
    }
  };
  if (fault()) return std::nullopt;
  return as_error(out);
}

std::optional<double> max_slope(Function function, double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high) || !numerics::defined_on(function, low, high)) return std::nullopt;
  const ErrorInterval steep = derivative(function, low, high);
  return std::max(std::fabs(steep.low), std::fabs(steep.high));
}

}  // namespace reckon::interp
