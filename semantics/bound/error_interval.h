// An enclosure of real - result: an interval with f64 endpoints, rounded outward at every step, so that it is sound
// whatever the arithmetic on the bound itself loses. It keeps signs, so that errors that cancel do cancel.
//
// The errors of single float operations are computed, not estimated: by TwoSum, or by an FMA's residual, if these are
// exact; otherwise half an ulp of the result is used.
// Sources: Knuth, TAOCP 2, 4.2.2 (TwoSum; immune to overflow but in one case: Boldo, Graillat, Muller, "On the
// robustness of the 2Sum and Fast2Sum algorithms", ACM TOMS 44(1), 2017); Boldo and Daumas, ARITH 2003 (when residuals
// are representable); Boldo and Muller, ARITH 2005 (the error of an FMA is the sum of two floats).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "interp/algebra/directed.h"
#include "numerics/format.h"

namespace reckon::interp {

struct ErrorInterval {
  double low = 0, high = 0;

  bool is_zero() const { return low == 0 && high == 0; }
  bool is_finite() const { return std::isfinite(low) && std::isfinite(high); }
  /// The largest error, by magnitude, that the interval allows.
  double magnitude() const { return std::max({-low, high, 0.0}); }
};

inline ErrorInterval operator+(const ErrorInterval& a, const ErrorInterval& b) {
  return {directed::add_down(a.low, b.low), directed::add_up(a.high, b.high)};
}
inline ErrorInterval operator-(const ErrorInterval& a) { return {-a.high, -a.low}; }
inline ErrorInterval hull(const ErrorInterval& a, const ErrorInterval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}
inline ErrorInterval intersection(const ErrorInterval& a, const ErrorInterval& b) {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

inline ErrorInterval scaled(const ErrorInterval& a, double factor) {
  if (a.is_zero()) return {};
  return factor >= 0 ? ErrorInterval{directed::mul_down(a.low, factor), directed::mul_up(a.high, factor)}
                     : ErrorInterval{directed::mul_down(a.high, factor), directed::mul_up(a.low, factor)};
}

inline ErrorInterval product(const ErrorInterval& a, const ErrorInterval& b) {
  if (a.is_zero() || b.is_zero()) return {};
  using directed::mul_down, directed::mul_up;
  return {std::min({mul_down(a.low, b.low), mul_down(a.low, b.high), mul_down(a.high, b.low), mul_down(a.high, b.high)}),
          std::max({mul_up(a.low, b.low), mul_up(a.low, b.high), mul_up(a.high, b.low), mul_up(a.high, b.high)})};
}

/// The divisor must not hold 0.
inline ErrorInterval quotient(const ErrorInterval& a, const ErrorInterval& b) {
  if (a.is_zero()) return {};
  using directed::div_down, directed::div_up;
  return {std::min({div_down(a.low, b.low), div_down(a.low, b.high), div_down(a.high, b.low), div_down(a.high, b.high)}),
          std::max({div_up(a.low, b.low), div_up(a.low, b.high), div_up(a.high, b.low), div_up(a.high, b.high)})};
}

inline ErrorInterval enclosing(const mpq_class& value) {
  const auto rounded = [&](numerics::Rounding way) {
    return std::bit_cast<double>(numerics::round_rational(value, numerics::Format::f64, way));
  };
  return {rounded(numerics::Rounding::downward), rounded(numerics::Rounding::upward)};
}

/// a - b, for finite doubles.
inline ErrorInterval difference(double a, double b) { return {directed::add_down(a, -b), directed::add_up(a, -b)}; }

/// Half the spacing above |x|: any real that is rounded to nearest to x, or that is no larger than |x|, is at most this
/// far from its rounding. Half the least f64 subnormal is not a double; the next larger double stands for it. Infinite
/// for the greatest number of a format that saturates, which stands for everything beyond it, too.
inline double half_ulp(double x, numerics::Format format) {
  const auto traits = numerics::traits(format);
  if (traits.saturates && std::fabs(x) >= numerics::widen(numerics::largest_finite(format), format))
    return directed::infinity;
  const int exponent = x == 0 ? traits.emin : std::clamp(std::ilogb(x), traits.emin, traits.emax);
  return std::ldexp(1.0, std::max(exponent - traits.precision, -1074));
}

inline ErrorInterval within_half_ulp(double result, numerics::Format format) {
  const double half = half_ulp(result, format);
  return {-half, half};
}

// These functions give the error of one rounding, exact value - result. Operands and result are finite, and widened.

/// The error in a + b = sum + error, in doubles.
inline ErrorInterval two_sum(double a, double b, double sum) {
  const double a_part = sum - b;
  const double b_part = sum - a_part;
  const double error = (a - a_part) + (b - b_part);
  return std::isfinite(error) ? ErrorInterval{error, error} : within_half_ulp(sum, numerics::Format::f64);
}

inline ErrorInterval sum_rounding(double a, double b, double result, numerics::Format format) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return within_half_ulp(result, format);
  const ErrorInterval low = two_sum(a, b, sum);
  // The f64 sum and the narrower result are neighbours: their difference is exact.
  return format == numerics::Format::f64 ? low : difference(sum, result) + low;
}

inline ErrorInterval product_rounding(double a, double b, double result, numerics::Format format) {
  if (format != numerics::Format::f64) return difference(a * b, result);  // the product of two narrow ones is exact
  if (a == 0 || b == 0) return {};
  if (std::fabs(result) >= directed::small) {
    const double error = std::fma(a, b, -result);
    return {error, error};
  }
  return within_half_ulp(result, format);
}

inline ErrorInterval fma_rounding(double a, double b, double c, double result, numerics::Format format) {
  const double product = a * b;
  if (format != numerics::Format::f64) {
    const double sum = product + c;
    return difference(sum, result) + two_sum(product, c, sum);
  }
  if (a == 0 || b == 0) return {};  // the result is the addend itself
  const auto error = directed::fma_error(a, b, c, result);
  if (!error) return within_half_ulp(result, format);
  return {directed::add_down(error->high, error->low), directed::add_up(error->high, error->low)};
}

/// b is not 0.
inline ErrorInterval quotient_rounding(double a, double b, double result, numerics::Format format) {
  if (a == 0) return {};
  if (format == numerics::Format::f64) {
    if (std::fabs(a) < directed::small || std::fabs(result) < directed::small) return within_half_ulp(result, format);
    const double residual = std::fma(-result, b, a);
    return intersection(quotient({residual, residual}, {b, b}), within_half_ulp(result, format));
  }
  return quotient(difference(a, result * b), {b, b});  // for narrow formats the product is exact
}

}  // namespace reckon::interp
