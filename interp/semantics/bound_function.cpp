#include "interp/semantics/bound_function.h"

#include "interp/semantics/interval_functions.h"

namespace reckon::interp {

using numerics::Function;

namespace {

using directed::add_down, directed::add_up, directed::div_down, directed::div_up, directed::mul_down, directed::mul_up;

double below(Function function, double x) { return numerics::mpfr_unary_directed(function, x, false); }
double above(Function function, double x) { return numerics::mpfr_unary_directed(function, x, true); }

ErrorInterval around(Function function, double x) { return {below(function, x), above(function, x)}; }

ErrorInterval constant(numerics::RealConstant which) {
  const auto [low, high] = numerics::enclose_real(1, which);
  return {low, high};
}

/// Whether f is defined on [low, high].
bool defined(Function function, double low, double high) {
  switch (function) {
    case Function::sqrt: return low >= 0;
    case Function::rsqrt:
    case Function::log:
    case Function::log2: return low > 0;
    case Function::log1p: return low > -1;
    case Function::asin:
    case Function::acos: return low >= -1 && high <= 1;
    case Function::acosh: return low >= 1;
    case Function::atanh: return low > -1 && high < 1;
    default: return true;
  }
}

using Box = IntervalOf<double>;
constexpr IntervalFunctions<F64Ends> intervals{};

ErrorInterval as_error(const Box& box) { return {box.low, box.high}; }

/// f over [low, high], inside the domain.
ErrorInterval image(Function function, double low, double high) {
  const Box x{low, high};
  Box out;
  switch (function) {
    case Function::tan: return as_error(intervals.tan(x));
    case Function::atan: return as_error(intervals.atan(x));
    case Function::sinh: return as_error(intervals.sinh(x));
    case Function::cosh: return as_error(intervals.cosh(x));
    case Function::tanh: return as_error(intervals.tanh(x));
    case Function::asinh: return as_error(intervals.asinh(x));
    case Function::erf: return as_error(intervals.erf(x));
    case Function::expm1: return as_error(intervals.expm1(x));
    case Function::cbrt: return as_error(intervals.cbrt(x));
    case Function::asin: return intervals.asin(out, x), as_error(out);
    case Function::acos: return intervals.acos(out, x), as_error(out);
    case Function::acosh: return intervals.acosh(out, x), as_error(out);
    case Function::atanh: return intervals.atanh(out, x), as_error(out);
    case Function::log1p: return intervals.log1p(out, x), as_error(out);
    default: return as_error(intervals.everything());  // the others' slopes say enough
  }
}

/// 1 / x; x does not go below 0.
Box inverse(const Box& x) {
  Box out = intervals.everything();
  if (x.high > 0) intervals.div(out, {1, 1}, x);
  return out;
}
Box root(const Box& x) {
  Box out;
  intervals.sqrt(out, x);
  return out;
}

/// f' where it is an expression of other functions.
Box slope(Function function, const Box& x) {
  const Box one{1, 1}, magnitude = intervals.abs(x), square = intervals.mul(magnitude, magnitude);
  switch (function) {
    case Function::tan: {
      const Box t = intervals.abs(intervals.tan(x));
      return intervals.add(one, intervals.mul(t, t));
    }
    case Function::asin: return inverse(root(intervals.max(intervals.sub(one, square), {0, 0})));
    case Function::acos: return intervals.neg(slope(Function::asin, x));
    case Function::atan: return inverse(intervals.add(one, square));
    case Function::sinh: return intervals.cosh(x);
    case Function::cosh: return intervals.sinh(x);
    case Function::tanh: {
      const Box c = intervals.cosh(x);
      return inverse(intervals.mul(c, c));
    }
    case Function::asinh: return inverse(root(intervals.add(one, square)));
    case Function::acosh: return inverse(root(intervals.max(intervals.sub(square, one), {0, 0})));
    case Function::atanh: return inverse(intervals.max(intervals.sub(one, square), {0, 0}));
    case Function::erf:  // 2 / sqrt(pi) exp(-x^2)
      return intervals.mul({0x1.20dd750429b6dp+0, 0x1.20dd750429b6ep+0}, intervals.exp(intervals.neg(square)));
    case Function::expm1: return intervals.exp(x);
    case Function::log1p: return inverse(intervals.max(intervals.add(one, x), {0, 0}));
    case Function::cbrt: {
      const Box c = intervals.cbrt(magnitude);
      return inverse(intervals.mul({3, 3}, intervals.mul(c, c)));
    }
    default: return intervals.everything();
  }
}

/// f' over [low, high], inside the domain.
ErrorInterval derivative(Function function, double low, double high) {
  switch (function) {
    case Function::exp: return {below(function, low), above(function, high)};
    case Function::exp2:
      return product({below(function, low), above(function, high)}, constant(numerics::RealConstant::ln2));
    case Function::log: return {div_down(1, high), div_up(1, low)};
    case Function::log2: return product({div_down(1, high), div_up(1, low)}, constant(numerics::RealConstant::log2e));
    case Function::sqrt:
      return {div_down(0.5, above(function, high)), low == 0 ? directed::infinity : div_up(0.5, below(function, low))};
    case Function::rsqrt:  // -x^(-3/2) / 2
      return {-div_up(above(function, low), mul_down(2, low)), -div_down(below(function, high), mul_up(2, high))};
    case Function::sin:
    case Function::cos: break;
    default: return as_error(slope(function, {low, high}));
  }
  // Around the middle; the caller's interval is narrow, or the answer is the trivial one.
  const double middle = low / 2 + high / 2;
  const double reach = std::max(add_up(middle, -low), add_up(high, -middle));
  const ErrorInterval at_middle =
      function == Function::sin ? around(Function::cos, middle) : -around(Function::sin, middle);
  return intersection(at_middle + ErrorInterval{-reach, reach}, {-1, 1});
}

}  // namespace

std::optional<ErrorInterval> function_error(Function function, double x, const ErrorInterval& error, double result,
                                            numerics::Format format) {
  const ErrorInterval value = around(function, x);
  const double half = half_ulp(result, format);
  const ErrorInterval local{std::max(add_down(value.low, -result), -half), std::min(add_up(value.high, -result), half)};
  if (error.is_zero()) return local;
  const double low = add_down(x, std::min(error.low, 0.0)), high = add_up(x, std::max(error.high, 0.0));
  if (!std::isfinite(low) || !std::isfinite(high) || !defined(function, low, high)) return std::nullopt;
  if (function == Function::sqrt && low == 0) {  // the slope is infinite there; the ends say enough
    return local + ErrorInterval{-value.high, add_up(above(function, high), -value.low)};
  }
  const ErrorInterval by_slope = local + product(error, derivative(function, low, high));
  if (function == Function::sin || function == Function::cos || by_slope.is_finite()) return by_slope;
  const ErrorInterval values = image(function, low, high);  // the slope has no bound at asin(1), cbrt(0), ...
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
  }
  const FaultText* fault = function == numerics::BinaryFunction::pow ? intervals.pow(out, a, b) : intervals.atan2(out, a, b);
  if (fault) return std::nullopt;
  return as_error(out);
}

std::optional<double> steepest(Function function, double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high) || !defined(function, low, high)) return std::nullopt;
  const ErrorInterval steep = derivative(function, low, high);
  return std::max(std::fabs(steep.low), std::fabs(steep.high));
}

}  // namespace reckon::interp
