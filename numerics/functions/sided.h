// The elementary functions of f32 for rounding down and up, over any arithmetic builder.
//
// sided(x) is an f64 that lies on f(x)'s side of every f32, and equals an f32 only if f(x) does. Rounded to f32, in any
// direction, it is f(x) rounded once. Rounding to nearest needs less, only the side of midpoints: functions.h is enough
// for it, and does most of the work here as well. Directed rounding needs this in addition:
//   * For whole ranges of x, f(x) is very near an f32: x itself, if f(x) = x + c x^3 + ..., and 1 for cosh. There the
//     side is known. Elsewhere (expm1, log1p, cos, exp, tanh and erf near 1, pow near 1) the distance is the low part
//     of a pair, which keeps its sign however small it is.
//   * exp, exp2, expm1, log, log2, log1p, sin, cos, sinh, cosh, tanh and erf, which are rounded to nearest in plain
//   f64, are computed as pairs;
//   * rsqrt's and cbrt's exact results are recognised as such, rsqrt by the sign of an exact remainder, and so are the
//     integers that exp10 and log10 give. Those of sinpi, cospi, tanpi, gamma and lgamma are exact in functions/
//     already.
// Otherwise f(x) is an f32 only at 0 and 1 and for the powers of 2 of exp2 and log2, where the pairs are exact: by the
// theorem of Lindemann and Weierstrass; of exp2, log2, exp10 and log10 it is elementary, and of erf the test says so.
// That f(x) comes no closer to an f32 than the errors of functions/ (2^-56 or below) is tested for all arguments of one
// operand (of exp10 and log10 for one of 16, of those just named, of erfc and of lgamma for one of 4001;
// bench/ends.cpp); what two operands need is said in two_operands.h, and holds for f32s as for midpoints.
//
// Operands are endpoints of intervals in the function's domain, never NaN; an infinity gives the limit, rounded.
#pragma once

#include "numerics/functions/functions.h"
#include "numerics/functions/table.h"

namespace reckon::numerics {

/// x's neighbour, away from zero or toward it; x not 0.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 beside(B& b, typename B::F64 x, bool away) {
  const auto one = b.i64_const(1);
  return b.from_bits(away ? b.iadd(b.bits(x), one) : b.isub(b.bits(x), one));
}

/// `value`; for small x the neighbour of x on the given side, because |f(x) - x| < |x|^3.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 beside_small(B& b, typename B::F64 x, typename B::F64 value, bool away) {
  const auto small = b.f_less(magnitude(b, x), b.f64_const(0x1p-27));
  return b.select(small, b.select(is_zero(b, x), x, beside(b, x, away)), value);
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 exp_sided(B& b, typename B::F64 x) {
  const Exponential<B> e = exponential(b, at_most(b, at_least(b, x, -110.0), 90.0));
  return b.mul(rounded_to_odd(b, one_plus(b, e.m)), e.scale);
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 exp2_sided(B& b, typename B::F64 x) {
  const auto clamped = at_most(b, at_least(b, x, -160.0), 130.0);
  const auto shifter = b.f64_const(0x1.8p52);
  const auto shifted = b.add(clamped, shifter);
  const auto rest = b.sub(clamped, b.sub(shifted, shifter));  // exact
  const auto zero = b.f64_const(0.0);
  const Pair<B> r = product(b, Pair<B>{rest, zero}, pair_const(b, 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56));
  const Pair<B> one = one_plus(b, expm1_reduced(b, r.high, r.low));
  return b.mul(rounded_to_odd(b, one), power_of_two(b, shifted));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 tanh_sided(B& b, typename B::F64 x) {
  const auto value = rounded_to_odd(b, tanh_pair(b, at_most(b, magnitude(b, x), 22.0)));
  return beside_small(b, x, with_sign_of(b, value, x), false);
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 erf_sided(B& b, typename B::F64 x) {
  const auto value = rounded_to_odd(b, erf_pair(b, at_most(b, magnitude(b, x), 6.0)));
  return with_sign_of(b, value, x);
}

/// The integer nearest to x, |x| < 2^51.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 nearest_integer(B& b, typename B::F64 x) {
  const auto shifter = b.f64_const(0x1.8p52);
  return b.sub(b.add(x, shifter), shifter);
}

/// 10^x is an f32 for the integers from 0 to 10, and for no other x: 5^11 has more than 24 bits.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 exp10_sided(B& b, typename B::F64 x) {
  const auto value = exp10_wide(b, x);
  const auto in_range = b.both(b.f_less(b.f64_const(0.5), x), b.f_less(x, b.f64_const(10.5)));
  const auto exact = b.both(in_range, b.i_equal(b.bits(nearest_integer(b, x)), b.bits(x)));
  return b.select(exact, nearest_integer(b, value), value);
}

/// log10 x is an integer for a power of 10; no other f32 has a logarithm within 2^-34 of an integer.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 log10_sided(B& b, typename B::F64 x) {
  const auto value = log10_wide(b, x);
  const auto whole = nearest_integer(b, value);
  const auto exact = b.f_less(magnitude(b, b.sub(value, whole)), b.f64_const(0x1p-40));
  return b.select(exact, whole, value);
}

/// y = 1 / sqrt(x) within two ulps, and 1 - x y^2 rounded once. All of it but the last product is exact, since it has
/// fewer than 53 bits, so it is 0 only if y is the exact result.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 rsqrt_sided(B& b, typename B::F64 x) {
  const auto y = rsqrt_wide(b, x);
  const Pair<B> square = two_product(b, y, y);
  const auto first = b.fma(b.neg(x), square.high, b.f64_const(1.0));
  const auto rest = b.fma(b.neg(x), square.low, first);
  const auto odd = rounded_to_odd(b, Pair<B>{y, b.mul(b.mul(rest, y), b.f64_const(0.5))});
  const auto finite = b.both(b.f_less(b.f64_const(0.0), x), b.f_less(x, infinity_const(b)));
  return b.select(finite, odd, y);
}

/// If the result is an f32, its cube has 72 bits and equals x.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 cbrt_sided(B& b, typename B::F64 x) {
  const auto odd = cbrt_wide(b, x);
  const auto far = b.mul(odd, b.f64_const(0x1p29 + 1));
  const auto near = b.sub(far, b.sub(far, odd));  // the upper 24 bits of `odd` (Veltkamp); a NaN for an infinity
  const Pair<B> cube = two_product(b, b.mul(near, near), near);
  const auto exact = b.both(b.i_equal(b.bits(cube.high), b.bits(x)), is_zero(b, cube.low));
  return b.select(exact, near, odd);
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 cosh_sided(B& b, typename B::F64 x) {
  const auto one = b.f64_const(1.0);
  const auto small = b.f_less(magnitude(b, x), b.f64_const(0x1p-27));
  return b.select(small, b.select(is_zero(b, x), one, beside(b, one, true)), cosh_odd(b, x));
}

/// sin, cos or tan of a finite x with quadrant q.
template <Function function, ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 sided_in(B& b, const Quadrant<B>& q, typename B::F64 x) {
  if constexpr (function == Function::sin) return beside_small(b, x, sin_in(b, q, x), false);
  if constexpr (function == Function::tan) return beside_small(b, x, tan_in(b, q, x), true);
  if constexpr (function == Function::cos) return cos_in(b, q, x);
}

/// The floor of x / (pi/2), of which only the low two bits count; x is finite, and q is its quadrant.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::I64 quarter_turns(B& b, const Quadrant<B>& q, typename B::F64 x) {
  const auto zero = b.f64_const(0.0);
  const auto one = b.i64_const(1);
  const auto below = b.isub(q.number, b.select(b.f_less(q.sine.high, zero), one, b.i64_const(0)));
  // For a negative x, whose quotient is not an integer, the floor is the complement.
  return b.select(b.f_less(x, zero), b.isub(b.isub(b.i64_const(0), below), one), below);
}

/// atan2(y, x) for operands that are not both 0; no zero is -0. If the quotient is small, the result lies next to y/x,
/// which may be an f32; otherwise its distance from an f32 is larger than the quotient's own remainder.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 atan2_sided(B& b, typename B::F64 y, typename B::F64 x) {
  const auto zero = b.f64_const(0.0);
  const auto size = magnitude(b, y);
  const auto ratio = b.div(size, x);
  const auto left = b.fma(b.neg(ratio), x, size);
  const auto beside_ratio = rounded_to_odd(b, ratio, b.select(is_zero(b, left), b.f64_const(-1.0), left));
  const auto small = b.f_less(size, b.mul(x, b.f64_const(0x1p-30)));
  const auto finite = b.f_less(x, infinity_const(b));
  const auto value = b.select(b.both(small, finite), with_sign_of(b, beside_ratio, y), atan2_wide(b, y, x));
  return b.select(b.both(is_zero(b, y), b.f_less(zero, x)), zero, value);
}

/// sided(x) as described at the top of this file.
template <Function function, ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 sided(B& b, typename B::F64 x) {
  using enum Function;
  if constexpr (function == exp) return exp_sided(b, x);
  else if constexpr (function == exp2) return exp2_sided(b, x);
  else if constexpr (function == tanh) return tanh_sided(b, x);
  else if constexpr (function == erf) return erf_sided(b, x);
  else if constexpr (function == expm1) return expm1_odd(b, x);
  else if constexpr (function == sinh) return beside_small(b, x, sinh_odd(b, x), true);
  else if constexpr (function == log) return log_odd(b, x);
  else if constexpr (function == log2) return log2_odd(b, x);
  else if constexpr (function == log1p) return log1p_odd(b, x);
  else if constexpr (function == exp10) return exp10_sided(b, x);
  else if constexpr (function == log10) return log10_sided(b, x);
  else if constexpr (function == rsqrt) return rsqrt_sided(b, x);
  else if constexpr (function == cbrt) return cbrt_sided(b, x);
  else if constexpr (function == cosh) return cosh_sided(b, x);
  else if constexpr (function == sin || function == cos || function == tan)
    return sided_in<function>(b, quadrant_of(b, x), x);
  else if constexpr (traits(function).cubic != 0)
    return beside_small(b, x, elementary<function>(b, x), traits(function).cubic > 0);
  else return elementary<function>(b, x);
}

template <BinaryFunction function, ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 sided(B& b, typename B::F64 x, typename B::F64 y) {
  if constexpr (function == BinaryFunction::atan2) return atan2_sided(b, x, y);
  else return elementary<function>(b, x, y);
}

/// The same for a function chosen at run time. For sqrt, which outward.h has, the result may be on the wrong side.
template <ArithmeticBuilder B>
typename B::F64 sided(B& b, Function function, typename B::F64 x) {
  switch (function) {
#define RECKON_FUNCTION(name) \
  case Function::name: return sided<Function::name>(b, x);
#include "numerics/functions.def"
    case Function::sqrt: break;
  }
  return x;
}
template <ArithmeticBuilder B>
typename B::F64 sided(B& b, BinaryFunction function, typename B::F64 x, typename B::F64 y) {
  switch (function) {
#define RECKON_FUNCTION_OF_TWO(name) \
  case BinaryFunction::name: return sided<BinaryFunction::name>(b, x, y);
#include "numerics/functions.def"
  }
  return x;
}

}  // namespace reckon::numerics
