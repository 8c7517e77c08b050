// sin, cos and tan over any arithmetic builder, for every f32 argument.
//
// Reduction: |x| 2/pi mod 4 to 2^-93. With X = |x| 2^-24g, an integer if g > 0, the product of X and 2^24g 2/pi
// mod 4 differs from it by a multiple of 4. That factor has five pieces of 29 bits, whose products with a 24-bit X are
// exact; g is one of five. No f32 comes closer to a multiple of pi/2 than a relative 2^-30 or so, which leaves some
// 2^-60. (The idea of dropping multiples of the period before multiplying: Payne and Hanek, SIGNUM 18, 1983.)
// Then r = pi/2 times the distance to the nearest integer, and two polynomials on [-pi/4, pi/4]: sin r = r - r^3/6 +
// r^5 s, cos r = 1 - r^2/2 + r^4 c, leading terms as pairs. Minimax, relative errors 2^-69 and 2^-64. sin and cos
// themselves are faster, in plain f64, which is enough for every argument of f32; the pairs are for tan and for
// sided.h.
#pragma once

#include "numerics/functions/pair.h"

namespace reckon::numerics {

/// sin and cos of |x| up to sign and order: |x| = quadrant * pi/2 + r.
template <ArithmeticBuilder B>
struct Quadrant {
  typename B::I64 number;  ///< its low two bits count
  Pair<B> sine, cosine;    ///< of r
};

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> sine_reduced(B& b, const Pair<B>& r, const Pair<B>& square) {
  const auto z = square.high;
  const Pair<B> cube = product(b, square, r);
  const Pair<B> third = product(b, cube, pair_const(b, -0x1.5555555555555p-3, -0x1.5555555555555p-57));
  const auto s = polynomial(b, z, {0x1.1111111111111p-7, -0x1.a01a01a019f59p-13, 0x1.71de3a55456a6p-19,
                                   -0x1.ae645612f1f14p-26, 0x1.6123cebcbc91cp-33, -0x1.adc0a22cb5ee5p-41,
                                   0x1.34c963572b82dp-49});
  const auto fifth = b.mul(b.mul(cube.high, z), s);
  const Pair<B> leading = fast_two_sum(b, r.high, third.high);
  return fast_two_sum(b, leading.high, b.add(leading.low, b.add(r.low, b.add(third.low, fifth))));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> cosine_reduced(B& b, const Pair<B>& square) {
  const auto z = square.high;
  const auto half = b.f64_const(-0.5);
  const auto c = polynomial(b, z, {0x1.5555555555555p-5, -0x1.6c16c16c16a34p-10, 0x1.a01a019fb860cp-16,
                                   -0x1.27e4faf0076e8p-22, 0x1.1eecd7e58e07cp-29, -0x1.92a9248367957p-37,
                                   0x1.362def8f2f179p-45});
  const Pair<B> leading = fast_two_sum(b, b.f64_const(1.0), b.mul(half, z));
  const auto fourth = b.mul(b.mul(z, z), c);
  return fast_two_sum(b, leading.high, b.add(leading.low, b.fma(half, square.low, fourth)));
}

/// 2^24g 2/pi mod 4, g = 0 to 4, cut into pieces.
inline constexpr double two_over_pi[5][5] = {
    {0x1.45f306cp-1, 0x1.c9c882ap-29, 0x1.4fe13a8p-59, 0x1.f47d4d3p-86, 0x1.dc0db62p-116},
    {0x1.b72722p+1, 0x1.529fc27p-28, 0x1.5f47d4cp-58, 0x1.377036dp-86, 0x1.14acc9ep-115},
    {0x1.529fc2p-4, 0x1.d5f47d4p-30, 0x1.a6ee06cp-59, 0x1.b14acc8p-87, 0x1.e21c82p-115},
    {0x1.3abe8fp-3, 0x1.534ddcp-28, 0x1.b6c52b3p-57, 0x1.3c43904p-88, 0x1.fe5162p-120},
    {0x1.f534ddcp+0, 0x1.b6c52ap-33, 0x1.3278872p-57, 0x1.07f945p-90, 0x1.1d5ef5dp-115}};

/// |x| 2^-24g, and what it is multiplied by; the last piece takes what is left of five.
template <ArithmeticBuilder B, std::size_t pieces>
struct Multiplicand {
  typename B::F64 scaled, factor[pieces];
};
template <std::size_t pieces, ArithmeticBuilder B>
[[gnu::always_inline]] inline Multiplicand<B, pieces> multiplicand(B& b, typename B::F64 x) {
  constexpr double limits[] = {0x1p47, 0x1p71, 0x1p95, 0x1p119};
  constexpr double scales[] = {1, 0x1p-24, 0x1p-48, 0x1p-72, 0x1p-96};
  const auto size = magnitude(b, x);
  const auto piece = [&](int group, std::size_t k) {
    const double(&all)[5] = two_over_pi[group];
    return b.f64_const(pieces == 4 && k == 3 ? all[3] + all[4] : all[k]);
  };
  auto scale = b.f64_const(scales[0]);
  Multiplicand<B, pieces> out;
  for (std::size_t k = 0; k < pieces; ++k) out.factor[k] = piece(0, k);
  for (int group = 1; group < 5; ++group) {
    const auto small = b.f_less(size, b.f64_const(limits[group - 1]));
    scale = b.select(small, scale, b.f64_const(scales[group]));
    for (std::size_t k = 0; k < pieces; ++k) out.factor[k] = b.select(small, out.factor[k], piece(group, k));
  }
  out.scaled = b.mul(size, scale);
  return out;
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Quadrant<B> quadrant_of(B& b, typename B::F64 x) {
  const auto [scaled, factor] = multiplicand<5>(b, x);
  // Multiples of 4 are removed: adding 1.5 * 2^54 rounds to such a multiple.
  const auto mod4 = [&](auto value) {
    const auto shifter = b.f64_const(0x1.8p54);
    return b.sub(value, b.sub(b.add(value, shifter), shifter));
  };
  const Pair<B> first = two_sum(b, mod4(b.mul(scaled, factor[0])), mod4(b.mul(scaled, factor[1])));
  const Pair<B> second = two_sum(b, first.high, b.mul(scaled, factor[2]));
  const Pair<B> third = two_sum(b, second.high, b.mul(scaled, factor[3]));
  const auto low = b.fma(scaled, factor[4], b.add(b.add(first.low, second.low), third.low));

  const auto shifter = b.f64_const(0x1.8p52);
  const auto shifted = b.add(third.high, shifter);
  const Pair<B> turns = two_sum(b, b.sub(third.high, b.sub(shifted, shifter)), low);
  const Pair<B> r = product(b, turns, pair_const(b, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54));
  const Pair<B> square = product(b, r, r);
  return {b.bits(shifted), sine_reduced(b, r, square), cosine_reduced(b, square)};
}

/// The value if x is finite; a NaN if x is infinite.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 if_finite(B& b, typename B::F64 x, typename B::F64 value) {
  const auto infinity = infinity_const(b);
  return b.select(b.f_less(magnitude(b, x), infinity), value, nan_const(b));
}

/// The sine of the angle that is `quadrant` quarter turns larger than r.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 sine_of(B& b, const Quadrant<B>& q, typename B::I64 quadrant) {
  const auto zero = b.i64_const(0);
  const auto even = b.i_equal(b.iand(quadrant, b.i64_const(1)), zero);
  const auto value = rounded_to_odd(b, select(b, even, q.sine, q.cosine));
  return b.from_bits(b.ixor(b.bits(value), b.shl(b.iand(quadrant, b.i64_const(2)), 62)));
}

// These take a finite x with quadrant q.

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 sin_in(B& b, const Quadrant<B>& q, typename B::F64 x) {
  return with_sign_of(b, sine_of(b, q, q.number), x);
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 cos_in(B& b, const Quadrant<B>& q, typename B::F64) {
  return sine_of(b, q, b.iadd(q.number, b.i64_const(1)));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 tan_in(B& b, const Quadrant<B>& q, typename B::F64 x) {
  const auto odd = b.iand(q.number, b.i64_const(1));
  const auto even = b.i_equal(odd, b.i64_const(0));
  const Pair<B> ratio = quotient(b, select(b, even, q.sine, q.cosine), select(b, even, q.cosine, q.sine));
  return with_sign_of(b, b.from_bits(b.ixor(b.bits(rounded_to_odd(b, ratio)), b.shl(odd, 63))), x);
}

/// |x| = (number + t) pi/2, |t| <= 1/2, in plain f64: t has a relative error below 2^-52.
template <ArithmeticBuilder B>
struct Turns {
  typename B::I64 number;  ///< its low two bits count
  typename B::F64 t;
};
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Turns<B> turns_of(B& b, typename B::F64 x) {
  const auto [scaled, factor] = multiplicand<4>(b, x);
  const auto mod4 = [&](auto piece) {
    const auto shifter = b.f64_const(0x1.8p54);
    const auto multiple = b.sub(b.fma(scaled, piece, shifter), shifter);
    return b.fma(scaled, piece, b.neg(multiple));  // exact
  };
  // Each first summand is a multiple of an ulp of the second, which fast_two_sum needs.
  const Pair<B> first = fast_two_sum(b, mod4(factor[0]), mod4(factor[1]));
  const Pair<B> second = fast_two_sum(b, first.high, b.mul(scaled, factor[2]));
  const auto low = b.fma(scaled, factor[3], b.add(first.low, second.low));
  const auto shifter = b.f64_const(0x1.8p52);
  const auto shifted = b.add(second.high, shifter);
  return {b.bits(shifted), b.add(b.sub(second.high, b.sub(shifted, shifter)), low)};
}

/// The sine of the angle that is `quadrant` quarter turns larger than pi/2 t, in plain f64, as exp is (exponential.h):
/// t s(t^2) and c(t^2) within 2^-58 and 2^-53.7. Some results have a midpoint of two f32s as their nearest f64, so the
/// last bit is set, and c(0) is below 1 by an ulp. The coefficients were found beside the interpolants in seven
/// Chebyshev nodes so that all f32s with a sine or cosine within 2^-43.7 of a midpoint are on the right side, 2639 and
/// 2641 of them. All arguments of f32 and of the narrower formats are rounded correctly (bench/exhaustive.cpp).
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 quick_sine_of(B& b, typename B::F64 t, typename B::I64 quadrant) {
  const auto z = b.mul(t, t);
  const auto sine =
      b.mul(t, polynomial(b, z,
                          {0x1.921fb54442d19p+0, -0x1.4abbce625bd5ep-1, 0x1.466bc6773ba6fp-4, -0x1.32d2ccc1aa944p-8,
                           0x1.50781055b0277p-13, -0x1.e2e5c66c2552ep-19, 0x1.db897d8395917p-25}));
  const auto cosine =
      polynomial(b, z,
                 {0x1.fffffffffffffp-1, -0x1.3bd3cc9be459bp+0, 0x1.03c1f081b0f34p-2, -0x1.55d3c7db6583cp-6,
                  0x1.e1f4f9c638db6p-11, -0x1.a6c8ac21914cdp-16, 0x1.f3667ab89cbfep-22});
  const auto even = b.i_equal(b.iand(quadrant, b.i64_const(1)), b.i64_const(0));
  const auto value = b.ior(b.bits(b.select(even, sine, cosine)), b.i64_const(1));
  return b.from_bits(b.ixor(value, b.shl(b.iand(quadrant, b.i64_const(2)), 62)));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 sin_wide(B& b, typename B::F64 x) {
  const Turns<B> turns = turns_of(b, x);
  return if_finite(b, x, with_sign_of(b, quick_sine_of(b, turns.t, turns.number), x));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 cos_wide(B& b, typename B::F64 x) {
  const Turns<B> turns = turns_of(b, x);
  return if_finite(b, x, quick_sine_of(b, turns.t, b.iadd(turns.number, b.i64_const(1))));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 tan_wide(B& b, typename B::F64 x) {
  return if_finite(b, x, tan_in(b, quadrant_of(b, x), x));
}

}  // namespace reckon::numerics
