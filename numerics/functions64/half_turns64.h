// sinpi, cospi and tanpi of f64, correctly rounded, over any arithmetic builder: for every argument.
//
// |x| = n/2 + t with |t| <= 1/4 is exact (half_turns.h, which also says what is exact and how zeros are signed). Then
// r = pi t, within 2^-150, and the series of trigonometric64.h. Small arguments, whose results may be subnormal, are
// scaled, and the exponent is put right in the final rounding.
#pragma once

#include "numerics/functions/half_turns.h"
#include "numerics/functions64/trigonometric64.h"

namespace reckon::numerics {

template <ArithmeticBuilder B>
struct HalfTurns64 {
  HalfTurns<B> turns;
  Triple<B> r, square;      ///< r is scaled by 2^-exponent, its square is not
  typename B::I64 exponent;
};

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline HalfTurns64<B> half_turns64(B& b, typename B::F64 x) {
  const HalfTurns<B> turns = half_turns_of(b, x);
  const auto tiny = b.f_less(magnitude(b, x), b.f64_const(0x1p-500));
  const auto scaled = b.mul(turns.rest, b.select(tiny, b.f64_const(0x1p800), b.f64_const(1.0)));
  const Triple<B> pi = triple_const(b, constants64::pi);
  const Triple<B> r = product(b, pi, turns.rest);
  return {turns, product(b, pi, scaled), product(b, r, r),
          b.select(tiny, b.i64_const(static_cast<std::uint64_t>(-800)), b.i64_const(0))};
}

/// The sine of the angle that is `quadrant` quarter turns larger than r, +0 if it is 0.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 sine_of(B& b, const HalfTurns64<B>& x, typename B::I64 quadrant) {
  const auto even = b.i_equal(b.iand(quadrant, b.i64_const(1)), b.i64_const(0));
  const auto series =
      select(b, even, coefficients(b, constants64::sine_series), coefficients(b, constants64::cosine_series));
  const Triple<B> factor = select(b, even, x.r, triple_of(b, b.f64_const(1.0)));
  const auto value = rounded(b, product(b, polynomial(b, x.square, series), factor),
                             b.select(even, x.exponent, b.i64_const(0)));
  return without_zero_sign(b, b.from_bits(b.ixor(b.bits(value), b.shl(b.iand(quadrant, b.i64_const(2)), 62))));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 sinpi_f64(B& b, typename B::F64 x) {
  const HalfTurns64<B> turns = half_turns64(b, x);
  return if_finite64(b, x, with_sign_of(b, sine_of(b, turns, turns.turns.number), x));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 cospi_f64(B& b, typename B::F64 x) {
  const HalfTurns64<B> turns = half_turns64(b, x);
  return if_finite64(b, x, sine_of(b, turns, b.iadd(turns.turns.number, b.i64_const(1))));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 tanpi_f64(B& b, typename B::F64 x) {
  const HalfTurns64<B> turns = half_turns64(b, x);
  const Triple<B> sine = product(b, polynomial(b, turns.square, constants64::sine_series), turns.r);
  const Triple<B> cosine = polynomial(b, turns.square, constants64::cosine_series);
  const auto odd = b.iand(turns.turns.number, b.i64_const(1));
  const auto even = b.i_equal(odd, b.i64_const(0));
  const auto value =
      rounded(b, quotient(b, select(b, even, sine, cosine), select(b, even, cosine, sine)), turns.exponent);
  return if_finite64(b, x, tangent_of(b, turns.turns, b.from_bits(b.ixor(b.bits(value), b.shl(odd, 63))), x));
}

}  // namespace reckon::numerics
