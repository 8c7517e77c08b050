// The arithmetic of `float` in any mode: every result is the exact one, rounded once in the mode's direction.
//
// For f32 and narrower formats the exact result is first rounded to odd into an f64 (its 53 bits are p + 2 or more),
// and then once into the format (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms
// using rounding to odd", IEEE Trans. Computers 57(4), 2008). f64 takes the result to nearest and the sign of its
// error, by which it moves to its neighbour or not (directed.h); its fma, and all elementary functions, are MPFR's.
//
// `flush_inputs` makes a zero of every subnormal operand, except for neg, abs, copysign, nextafter and select, which
// move bits. `flush` makes a zero of every subnormal result of an operation that rounds (and of rem), after the
// rounding.
#pragma once

#include <cmath>

#include "interp/algebra/directed.h"
#include "semantics/float/values.h"

namespace reckon::interp {

template <class Float>
struct InMode {
  using V = typename Float::Value;
  using Value = V;
  using Format = numerics::Format;
  using Rounding = numerics::Rounding;
  using Function = numerics::Function;
  using BinaryFunction = numerics::BinaryFunction;
  static constexpr Format format = Float::format;
  static constexpr bool is_f64 = format == Format::f64;

  FloatMode mode;

  static std::uint64_t to_bits(V x) { return Float::to_bits(x); }
  static V from_bits(std::uint64_t bits) { return Float::from_bits(bits); }
  static auto widened(V x) { return Float::widened(x); }

  V operand(V x) const { return mode.flush_inputs ? from_bits(flushed(to_bits(x), format)) : x; }
  V result(std::uint64_t bits) const { return from_bits(mode.flush ? flushed(bits, format) : bits); }
  double number(V x) const { return static_cast<double>(Float::widened(operand(x))); }
  /// Rounds a number once; it may have been rounded to odd before.
  V rounded(double x) const { return result(numerics::round_f64(x, format, mode.rounding)); }

  // Results that are rounded: the sum, product, ... of operands.
  V add(V a, V b) const { return sum(number(a), number(b)); }
  V sub(V a, V b) const { return sum(number(a), -number(b)); }
  V mul(V a, V b) const {
    const double x = number(a), y = number(b), product = x * y;
    if constexpr (is_f64) return moved(product, x, y, [&] { return directed::product_error(x, y, product); });
    else return rounded(product);
  }
  V div(V a, V b) const {
    const double x = number(a), y = number(b), quotient = x / y;
    if constexpr (is_f64) {
      if (y == 0) return result(to_bits(quotient));
      return moved(quotient, x, y, [&] { return directed::quotient_error(x, y, quotient); });
    } else {
      const double residual = std::fma(-quotient, y, x);
      return rounded(odd(quotient, y < 0 ? -residual : residual));
    }
  }
  V fma(V a, V b, V c) const {
    if constexpr (is_f64) {
      const auto bits = [&](V x) { return to_bits(operand(x)); };
      return result(numerics::mpfr_fma(bits(a), bits(b), bits(c), format, mode.rounding));
    } else {
      return sum(number(a) * number(b), number(c));
    }
  }
  V ldexp(V a, V b) const {
    const double x = number(a), k = number(b);
    if constexpr (is_f64) {
      const double near = numerics::scaled(x, k);
      return moved(near, x, k, [&] { return near == 0 ? x : x - numerics::scaled(near, -k); });
    } else {
      // 700 is far beyond the format, and exact in f64. An infinite result stays infinite in every direction.
      const bool far = std::isfinite(k) && std::fabs(k) > 700 && std::trunc(k) == k;
      return rounded(numerics::scaled(x, far ? std::copysign(700.0, k) : k));
    }
  }
  V sqrt(V a) const {
    const double x = number(a), root = std::sqrt(x);
    if constexpr (is_f64) return moved(root, x, x, [&] { return directed::root_error(x, root); });
    else return rounded(odd(root, std::fma(-root, root, x)));
  }
  V rem(V a, V b) const { return result(to_bits(Float::rem(operand(a), operand(b)))); }

  // Operations that move bits, and choices among operands.
  V neg(V a) const { return Float::neg(a); }
  V abs(V a) const { return Float::abs(a); }
  V copysign(V a, V b) const { return Float::copysign(a, b); }
  V nextafter(V a, V b) const { return Float::nextafter(a, b); }
  V min(V a, V b) const { return Float::min(operand(a), operand(b)); }
  V max(V a, V b) const { return Float::max(operand(a), operand(b)); }
  V minnum(V a, V b) const { return Float::minnum(operand(a), operand(b)); }
  V maxnum(V a, V b) const { return Float::maxnum(operand(a), operand(b)); }
  V clamp(V a, V low, V high) const { return Float::clamp(operand(a), operand(low), operand(high)); }
  V sign(V a) const { return Float::sign(operand(a)); }
  V floor(V a) const { return Float::floor(operand(a)); }
  V ceil(V a) const { return Float::ceil(operand(a)); }
  V trunc(V a) const { return Float::trunc(operand(a)); }
  V round(V a) const { return Float::round(operand(a)); }
  bool less(V a, V b) const { return Float::less(operand(a), operand(b)); }
  bool less_equal(V a, V b) const { return Float::less_equal(operand(a), operand(b)); }
  bool equal(V a, V b) const { return Float::equal(operand(a), operand(b)); }
  bool not_equal(V a, V b) const { return Float::not_equal(operand(a), operand(b)); }

  template <class From>
  V convert(const From& from, typename From::Value value) const {
    return rounded(from.number(value));
  }

  V elementary(Function function, V x) const {
    return result(numerics::mpfr_unary(function, to_bits(operand(x)), format, mode.rounding));
  }
  V elementary(BinaryFunction function, V x, V y) const {
    return result(numerics::mpfr_binary(function, to_bits(operand(x)), to_bits(operand(y)), format, mode.rounding));
  }
#define RECKON_FUNCTION(name) \
  V name(V x) const { return elementary(Function::name, x); }
#define RECKON_FUNCTION_OF_TWO(name) \
  V name(V x, V y) const { return elementary(BinaryFunction::name, x, y); }
#include "numerics/functions.def"

 private:
  static double odd(double near, double error) {
    numerics::NativeBuilder builder;
    return numerics::rounded_to_odd(builder, near, error);
  }

  V sum(double x, double y) const {
    double near = x + y;
    // IEEE 754-2019, 6.3: rounding downward, a sum that is exactly 0 is -0, unless it is the sum of two +0.
    if (near == 0 && mode.rounding == Rounding::downward && (std::signbit(x) || std::signbit(y))) near = -0.0;
    if (near == 0) return from_bits(std::signbit(near) ? numerics::sign_bit(format) : 0);
    if constexpr (is_f64) return moved(near, x, y, [&] { return directed::sum_error(x, y, near); });
    else return rounded(numerics::rounded_to_odd_sum(x, y));
  }

  /// For f64: `near` is rounded to nearest; `error()` has the sign of exact value - near.
  template <class Error>
  V moved(double near, double x, double y, Error&& error) const {
    return result(std::bit_cast<std::uint64_t>(near_moved(near, std::isfinite(x) && std::isfinite(y), error)));
  }
  template <class Error>
  double near_moved(double near, bool finite_operands, Error& error) const {
    if (mode.rounding == Rounding::nearest_even || !finite_operands || near != near) return near;
    const bool down = mode.rounding == Rounding::downward || (mode.rounding == Rounding::toward_zero && near > 0);
    const bool up = mode.rounding == Rounding::upward || (mode.rounding == Rounding::toward_zero && near < 0);
    if (std::isinf(near)) return down && near > 0 ? directed::largest : up && near < 0 ? -directed::largest : near;
    const double sign = error();
    if (sign < 0 && down) return directed::below(near);
    if (sign > 0 && up) return directed::above(near);
    return near;
  }
};

}  // namespace reckon::interp
