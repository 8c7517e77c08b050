#include "interp/semantics/bound_function.h"

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

/// Whether f is defined at and above `low`.
bool defined(Function function, double low) {
  switch (function) {
    case Function::sqrt: return low >= 0;
    case Function::rsqrt:
    case Function::log:
    case Function::log2: return low > 0;
    default: return true;
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
    default: break;  // sin and cos; the others have no bound yet
  }
  // Around the middle; the caller's interval is narrow, or the answer is the trivial one.
  const double middle = low / 2 + high / 2;
  const double reach = std::max(add_up(middle, -low), add_up(high, -middle));
  const ErrorInterval slope =
      function == Function::sin ? around(Function::cos, middle) : -around(Function::sin, middle);
  return intersection(slope + ErrorInterval{-reach, reach}, {-1, 1});
}

}  // namespace

std::optional<ErrorInterval> function_error(Function function, double x, const ErrorInterval& error, double result,
                                            numerics::Format format) {
  const ErrorInterval value = around(function, x);
  const double half = half_ulp(result, format);
  const ErrorInterval local{std::max(add_down(value.low, -result), -half), std::min(add_up(value.high, -result), half)};
  if (error.is_zero()) return local;
  const double low = add_down(x, std::min(error.low, 0.0)), high = add_up(x, std::max(error.high, 0.0));
  if (!std::isfinite(low) || !std::isfinite(high) || !defined(function, low)) return std::nullopt;
  if (function == Function::sqrt && low == 0) {  // the slope is infinite there; the ends say enough
    return local + ErrorInterval{-value.high, add_up(above(function, high), -value.low)};
  }
  return local + product(error, derivative(function, low, high));
}

std::optional<double> steepest(Function function, double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high) || !defined(function, low)) return std::nullopt;
  const ErrorInterval slope = derivative(function, low, high);
  return std::max(std::fabs(slope.low), std::fabs(slope.high));
}

}  // namespace reckon::interp
