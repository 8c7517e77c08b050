// Rounded downward and upward without touching the machine's rounding mode: the operation is rounded to nearest and
// the sign of its exact error, found by error-free transformations, says whether the result must move by one ulp.
// Each pair is the tightest one. Operands may be infinite where a function says so. If an operand is a NaN, nothing is
// known of the result: the lower endpoint is -inf and the upper one +inf.
// Sources: Knuth, TAOCP 2, 4.2.2 (TwoSum); Boldo and Daumas, "Representable correcting terms for possibly underflowing
// floating point operations", ARITH 2003 (when residuals are exact).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace reckon::interp::directed {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double largest = std::numeric_limits<double>::max();

/// The neighbours of a finite double, by its pattern; std::nextafter is a call.
inline double below(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  if (x == 0) return -std::numeric_limits<double>::denorm_min();
  return std::bit_cast<double>(x > 0 ? bits - 1 : bits + 1);
}
inline double above(double x) { return -below(-x); }

/// `near` is the value rounded to nearest; `error` has the sign of exact value - near. An overflowed `near` stands for
/// a finite value beyond the largest double.
inline double round_down(double near, double error) {
  if (near == infinity) return largest;
  if (near == -infinity) return near;
  return error < 0 ? below(near) : near;
}
inline double round_up(double near, double error) {
  if (near == -infinity) return -largest;
  if (near == infinity) return near;
  return error > 0 ? above(near) : near;
}

/// Below this magnitude the residual itself might underflow, so the operands are scaled first.
inline constexpr double small = 0x1p-900;

/// A number with the sign of a + b - sum, where sum = fl(a + b) is finite; a NaN for any other sum.
inline double sum_error(double a, double b, double sum) {
  const double a_part = sum - b;
  const double b_part = sum - a_part;
  const double error = (a - a_part) + (b - b_part);
  if (std::isfinite(error) || !std::isfinite(sum)) return error;
  // Near overflow an intermediate result may be infinite; halving the operands is exact there.
  return sum_error(a / 2, b / 2, sum / 2);
}

/// A number with the sign of a * b - product.
inline double product_error(double a, double b, double product) {
  if (std::fabs(product) >= small || a == 0 || b == 0) return std::fma(a, b, -product);
  // The operands are scaled exactly to about 1. `product` has few bits or none left and may be 0.
  int a_exponent = 0, b_exponent = 0;
  const double a_scaled = std::frexp(a, &a_exponent);
  const double b_scaled = std::frexp(b, &b_exponent);
  return std::fma(a_scaled, b_scaled, -std::ldexp(product, -(a_exponent + b_exponent)));
}

/// a * b + c - result as an exact sum of two doubles, by ErrFmaNearest (Boldo and Muller, ARITH 2005); nothing if the
/// product or the result is too small or too large for that. `result` is the sum rounded to nearest.
struct FmaError {
  double high, low;
};
inline std::optional<FmaError> fma_error(double a, double b, double c, double result) {
  const double product = a * b;
  const bool ordinary = std::fabs(product) >= small && std::fabs(product) < 0x1p1000 && std::fabs(c) < 0x1p1000 &&
                        std::fabs(result) >= small;
  if (!ordinary) return std::nullopt;
  const double tail = std::fma(a, b, -product);
  const double first = c + tail;
  const double first_error = sum_error(c, tail, first);
  const double second = product + first;
  const double second_error = sum_error(product, first, second);
  const double gap = (second - result) + second_error;
  const double high = gap + first_error;
  return FmaError{high, first_error - (high - gap)};
}

/// A number with the sign of a / b - quotient; b is not 0.
inline double quotient_error(double a, double b, double quotient) {
  double residual = 0;
  if (std::fabs(a) >= small && std::fabs(quotient) >= small) {
    residual = std::fma(-quotient, b, a);
  } else {
    int a_exponent = 0, b_exponent = 0;
    const double a_scaled = std::frexp(a, &a_exponent);
    const double b_scaled = std::frexp(b, &b_exponent);
    residual = std::fma(-std::ldexp(quotient, b_exponent - a_exponent), b_scaled, a_scaled);
  }
  return b < 0 ? -residual : residual;
}

/// A number with the sign of sqrt(a) - root; a >= 0.
inline double root_error(double a, double root) {
  if (a >= small) return std::fma(-root, root, a);
  const double scaled = root * 0x1p+300;
  return std::fma(-scaled, scaled, a * 0x1p+600);
}

// Arithmetic on the endpoints of enclosures: an infinite endpoint means "unbounded", and 0 * inf is 0.

inline double add_down(double a, double b) {
  const double sum = a + b;
  if (std::isfinite(sum)) return round_down(sum, sum_error(a, b, sum));
  if (std::isnan(sum)) return -infinity;
  return std::isinf(a) || std::isinf(b) ? sum : round_down(sum, 0);
}
inline double add_up(double a, double b) { return -add_down(-a, -b); }

inline double mul_down(double a, double b) {
  if (a == 0 || b == 0) return std::isnan(a) || std::isnan(b) ? -infinity : 0;
  const double product = a * b;
  if (std::isfinite(product)) return round_down(product, product_error(a, b, product));
  if (std::isnan(product)) return -infinity;
  return std::isinf(a) || std::isinf(b) ? product : round_down(product, 0);
}
inline double mul_up(double a, double b) { return -mul_down(-a, b); }

/// b is not 0; a / inf is its limit 0.
inline double div_down(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return -infinity;
  if (a == 0 || std::isinf(b)) return std::isinf(a) ? ((a < 0) != (b < 0) ? -infinity : 0) : 0;
  const double quotient = a / b;
  if (std::isinf(a)) return quotient;
  return round_down(quotient, std::isinf(quotient) ? 0 : quotient_error(a, b, quotient));
}
inline double div_up(double a, double b) { return -div_down(-a, b); }

}  // namespace reckon::interp::directed
