// sinpi, cospi and tanpi, the sine, cosine and tangent of pi x, over any arithmetic builder: for every f32 argument.
//
// Reduction: |x| = n/2 + t with |t| <= 1/4 is exact. Then r = pi t as a pair, and the polynomials of trigonometric.h on
// [-pi/4, pi/4]. The values 0, 1, -1 and the poles come out exactly: those of sinpi and cospi at multiples of 1/2, those of
// tanpi at multiples of 1/4; no other rational x has a rational value but sinpi = 1/2 at 1/6, ..., which are no floats
// (Niven's theorem).
//
// The signs of zeros and poles are those of IEEE 754-2019, 9.2.1: sinpi(n) = 0 with the sign of n, cospi(n + 1/2) = +0,
// tanpi(n) = 0 with the sign of n for even n and the other one for odd n, tanpi(n + 1/2) = +inf for even n, -inf for odd n.
#pragma once

#include "numerics/functions/trigonometric.h"

namespace reckon::numerics {

/// |x| = n/2 + t, |t| <= 1/4, exactly.
template <ArithmeticBuilder B>
struct HalfTurns {
  typename B::I64 number;  ///< n, of which the low two bits count
  typename B::F64 rest;    ///< t
};

/// For every f64; an infinity counts as 0. From 2^53 on all f64s are even, and contribute nothing.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline HalfTurns<B> half_turns_of(B& b, typename B::F64 x) {
  const auto size = magnitude(b, x);
  const auto some = b.select(b.f_less(size, b.f64_const(0x1p53)), size, b.f64_const(0.0));
  // Adding 1.5 * 2^54 rounds to a multiple of 4.
  const auto fours = b.f64_const(0x1.8p54);
  const auto within = b.sub(some, b.sub(b.add(some, fours), fours));  // exact, at most 2 in size
  const auto shifter = b.f64_const(0x1.8p52);
  const auto shifted = b.add(b.add(within, within), shifter);
  const auto nearest = b.mul(b.sub(shifted, shifter), b.f64_const(0.5));
  return {b.bits(shifted), b.sub(within, nearest)};
}

/// The floor of 2x, of which only the low two bits count; x is finite.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::I64 floor_of_half_turns(B& b, typename B::F64 x) {
  const auto zero = b.f64_const(0.0);
  const auto none = b.i64_const(0), one = b.i64_const(1);
  const HalfTurns<B> turns = half_turns_of(b, x);
  const auto below = b.isub(turns.number, b.select(b.f_less(turns.rest, zero), one, none));
  // The floor of -v is -v for an integer v, and otherwise one less than the negated floor of v.
  const auto negated = b.isub(b.isub(none, below), b.select(is_zero(b, turns.rest), none, one));
  return b.select(b.f_less(x, zero), negated, below);
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Quadrant<B> quadrant_of(B& b, const HalfTurns<B>& turns) {
  const Pair<B> r = product(b, Pair<B>{turns.rest, b.f64_const(0.0)},
                            pair_const(b, 0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53));
  const Pair<B> square = product(b, r, r);
  return {turns.number, sine_reduced(b, r, square), cosine_reduced(b, square)};
}

/// The value, but 0 for -0.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 without_zero_sign(B& b, typename B::F64 value) {
  return b.select(is_zero(b, value), b.f64_const(0.0), value);
}

/// The tangent of pi |x| with the sign of x: 0, infinite, 1 or -1 where t is 0 or a quarter in size, otherwise `value`.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 tangent_of(B& b, const HalfTurns<B>& turns, typename B::F64 value,
                                                         typename B::F64 x) {
  const auto one = b.i64_const(1);
  const auto even = b.i_equal(b.iand(turns.number, one), b.i64_const(0));
  const auto unsigned_end = b.select(even, b.f64_const(0.0), infinity_const(b));
  const auto second = b.shl(b.iand(turns.number, b.i64_const(2)), 62);  // the sign in the second half of a whole turn
  const auto end = b.from_bits(b.ior(b.bits(unsigned_end), second));
  // A quarter is rounded to an even number of half turns: its tangent is 1 or -1 with the sign of t.
  const auto quarter = b.i_equal(b.bits(magnitude(b, turns.rest)), b.bits(b.f64_const(0.25)));
  const auto whole = b.select(quarter, with_sign_of(b, b.f64_const(1.0), turns.rest), value);
  return with_sign_of(b, b.select(is_zero(b, turns.rest), end, whole), x);
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 sinpi_wide(B& b, typename B::F64 x) {
  const Quadrant<B> q = quadrant_of(b, half_turns_of(b, x));
  return if_finite(b, x, with_sign_of(b, without_zero_sign(b, sine_of(b, q, q.number)), x));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 cospi_wide(B& b, typename B::F64 x) {
  const Quadrant<B> q = quadrant_of(b, half_turns_of(b, x));
  return if_finite(b, x, without_zero_sign(b, sine_of(b, q, b.iadd(q.number, b.i64_const(1)))));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 tanpi_wide(B& b, typename B::F64 x) {
  const HalfTurns<B> turns = half_turns_of(b, x);
  const Quadrant<B> q = quadrant_of(b, turns);
  return if_finite(b, x, tangent_of(b, turns, tan_in(b, q, b.f64_const(0.0)), x));
}

}  // namespace reckon::numerics
