// exp, exp2, exp10, expm1, sinh, cosh and tanh over any arithmetic builder.
//
// Method. With k the integer nearest to x / ln 2 and r = x - k ln 2 held as an exact double and a small tail,
// exp(r) - 1 = r + r^2/2 + r^3 q(r): the first two terms are summed without error, everything else is at most 2^-7 of
// the result and carries the rounding errors, below 2^-57 together. 2^k is put on the exponent, which is exact. q is
// the interpolant of (e^r - 1 - r - r^2/2) / r^3 in the ten Chebyshev nodes of [-0.3468, 0.3468]; r^3 q is within
// 2^-60.3 r.
// Source of the reduction: Cody and Waite, Software Manual for the Elementary Functions, 1980.
//
// All but exp10 themselves are faster, in plain f64, which is enough for every argument of f32; their pairs are for
// sided.h.
#pragma once

#include "numerics/functions/pair.h"

namespace reckon::numerics {

/// e^(r + tail) - 1 for |r| <= 0.3468 and a tail smaller than an ulp of r.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> expm1_reduced(B& b, typename B::F64 r, typename B::F64 tail) {
  const Pair<B> square = two_product(b, r, r);
  const auto half = b.f64_const(0.5);
  const auto first = fast_two_sum(b, r, b.mul(half, square.high));
  const auto pair = [&](double constant, double linear) {
    return b.fma(b.f64_const(linear), r, b.f64_const(constant));
  };
  const auto z = square.high;
  const auto fourth = b.mul(z, z);
  const auto q01 = pair(0x1.5555555555556p-3, 0x1.5555555555555p-5);
  const auto q23 = pair(0x1.11111111109adp-7, 0x1.6c16c16c167dep-10);
  const auto q45 = pair(0x1.a01a01a7c8d47p-13, 0x1.a01a01a47db6fp-16);
  const auto q67 = pair(0x1.71de0d9c145d0p-19, 0x1.27e4e1ea0f53ap-22);
  const auto q89 = pair(0x1.af38d53857513p-26, 0x1.1f66f85dfa20ap-29);
  const auto upper = b.fma(fourth, q89, b.fma(z, q67, q45));
  const auto q = b.fma(fourth, upper, b.fma(z, q23, q01));
  const auto cubic = b.mul(b.mul(r, z), q);
  const auto errors = b.fma(half, square.low, first.low);
  const auto factor = b.add(b.f64_const(1.0), b.add(first.high, cubic));
  return fast_two_sum(b, first.high, b.add(cubic, b.fma(tail, factor, errors)));
}

/// 2^k for an integer k within f64's normal exponents, given as k + 1.5 * 2^52.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 power_of_two(B& b, typename B::F64 shifted) {
  // The shift keeps k's low 12 bits, in two's complement, and drops the shifter's own pattern above them.
  return b.from_bits(b.iadd(b.bits(b.f64_const(1.0)), b.shl(b.bits(shifted), 52)));
}

/// The parts of exp(x) = 2^k (1 + m).
template <ArithmeticBuilder B>
struct Exponential {
  typename B::F64 scale;
  Pair<B> m;
};

/// For |x| <= 200.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Exponential<B> exponential(B& b, typename B::F64 x) {
  // Adding 1.5 * 2^52 rounds to an integer, which is then in the low bits of the sum, in two's complement.
  const auto shifter = b.f64_const(0x1.8p52);
  const auto shifted = b.add(b.mul(x, b.f64_const(0x1.71547652b82fep+0)), shifter);
  const auto k = b.sub(shifted, shifter);
  // For k != 0 both x and k * ln2_high are multiples of 2^-53 and differ by less than 1/2: r is exact.
  const auto r = b.fma(k, b.f64_const(-0x1.62e42fefa39efp-1), x);
  const auto tail = b.mul(k, b.f64_const(-0x1.abc9e3b39803fp-56));
  return {power_of_two(b, shifted), expm1_reduced(b, r, tail)};
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> one_plus(B& b, const Pair<B>& m) {
  const Pair<B> both = fast_two_sum(b, b.f64_const(1.0), m.high);
  return {both.high, b.add(both.low, m.low)};
}

/// `value` times 2^k, k given as k + 1.5 * 2^52.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 scaled(B& b, typename B::F64 value, typename B::F64 shifted) {
  return b.from_bits(b.iadd(b.bits(value), b.shl(b.bits(shifted), 52)));
}

/// x = (k + t) ln 2 for an integer k and |t| <= 1/2, with an error of 2^-54 x from the rounded 1 / ln 2.
template <ArithmeticBuilder B>
struct Octaves {
  typename B::F64 shifted;  ///< k + 1.5 * 2^52
  typename B::F64 t;
};
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Octaves<B> octaves(B& b, typename B::F64 x) {
  const auto per_octave = b.f64_const(0x1.71547652b82fep+0);
  const auto shifter = b.f64_const(0x1.8p52);
  const auto shifted = b.fma(x, per_octave, shifter);
  return {shifted, b.fma(x, per_octave, b.sub(shifter, shifted))};
}

inline constexpr Bounds exp_bounds{-110, 90};  // beyond, it is 0 or infinity in f32

/// For x within these bounds. This is fast: 2^t for t = x / ln 2 - k by one polynomial of degree 10, within
/// 2^-52. That is not enough for every real x, but all arguments can be tried. 301 f32s have an e^x within 2^-44.7 of a
/// midpoint of two f32s. Of the interpolants of (2^t - 1) / t in ten Chebyshev nodes of [-a, a], 0.5 <= a <= 0.506,
/// this is one that has all of them on the right side. All arguments of f32 and of the narrower formats are rounded
/// correctly (bench/exhaustive.cpp).
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 exp_within(B& b, typename B::F64 x) {
  const Octaves<B> parts = octaves(b, x);
  const auto power =
      polynomial(b, parts.t,
                 {1.0, 0x1.62e42fefa39f8p-1, 0x1.ebfbdff82c591p-3, 0x1.c6b08d7043939p-5, 0x1.3b2ab6fba368dp-7,
                  0x1.5d87fe9205defp-10, 0x1.4309130425317p-13, 0x1.ffcb7110e162dp-17, 0x1.62bfe1e1e8373p-20,
                  0x1.b65d3baf00039p-24, 0x1.e5ef9bddc66f4p-28});
  return scaled(b, power, parts.shifted);
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 exp_wide(B& b, typename B::F64 x) {
  return exp_within(b, clamped(b, x, exp_bounds));
}

/// Like exp. For x = 0x1.853a6ep-9 and -0x1.e7526ep-6, 2^r is on a midpoint of two f32s and should be above it, so the
/// last bit is set; but not for small r, as this would be wrong for -0x1.5a3f34p-21. Powers of integers do not change.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 exp2_wide(B& b, typename B::F64 x) {
  const auto clamped = at_most(b, at_least(b, x, -160.0), 130.0);
  const auto shifter = b.f64_const(0x1.8p52);
  const auto shifted = b.add(clamped, shifter);
  const auto r = b.sub(clamped, b.sub(shifted, shifter));  // exact
  const auto power = polynomial(
      b, r, {1.0, 0x1.62e42fefa39efp-1, 0x1.ebfbdff82c598p-3, 0x1.c6b08d704a1acp-5, 0x1.3b2ab6fba1ee3p-7,
             0x1.5d87fe7880441p-10, 0x1.430913093a11p-13, 0x1.ffcbfd0180bcbp-17, 0x1.62bfd4fe48998p-20,
             0x1.b523dc17cc7cp-24, 0x1.e60559753eefap-28, 0x1.eb5b6dca847abp-32});
  const auto last = b.select(b.f_less(b.f64_const(0x1p-12), magnitude(b, r)), b.i64_const(1), b.i64_const(0));
  return scaled(b, b.from_bits(b.ior(b.bits(power), last)), shifted);
}

/// 10^x = 2^k e^r, r = x ln 10 - k ln 2, k the integer nearest to x log2(10). Both products are pairs, so that r has an
/// error below 2^-96. Beyond the bounds the result is 0 or infinity in f32.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 exp10_wide(B& b, typename B::F64 x) {
  const auto clamped = at_most(b, at_least(b, x, -50.0), 40.0);
  const auto shifter = b.f64_const(0x1.8p52);
  const auto shifted = b.add(b.mul(clamped, b.f64_const(0x1.a934f0979a371p+1)), shifter);
  const auto k = b.sub(shifted, shifter);
  const auto zero = b.f64_const(0.0);
  const Pair<B> natural =
      product(b, Pair<B>{clamped, zero}, pair_const(b, 0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53));
  const Pair<B> octaves = product(b, Pair<B>{k, zero}, pair_const(b, 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56));
  const Pair<B> r = sum(b, natural, negated(b, octaves));
  const Pair<B> one = one_plus(b, expm1_reduced(b, r.high, r.low));
  return b.mul(rounded_to_odd(b, one), power_of_two(b, shifted));
}

/// e^x - 1, -60 <= x <= 190.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> expm1_pair(B& b, typename B::F64 x) {
  const Exponential<B> e = exponential(b, x);
  // 2^k + 2^k m - 1; the leading two terms are added without error.
  const Pair<B> constant = two_sum(b, e.scale, b.f64_const(-1.0));
  const Pair<B> leading = two_sum(b, constant.high, b.mul(e.scale, e.m.high));
  return fast_two_sum(b, leading.high, b.fma(e.scale, e.m.low, b.add(leading.low, constant.low)));
}

/// expm1, sinh and cosh as pairs, rounded to odd: for rounding down and up.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 expm1_odd(B& b, typename B::F64 x) {
  const auto value = rounded_to_odd(b, expm1_pair(b, at_most(b, at_least(b, x, -50.0), 90.0)));
  return with_sign_of(b, magnitude(b, value), x);
}

/// With e = e^|x| - 1, sinh |x| = (e + e / (e + 1)) / 2.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 sinh_odd(B& b, typename B::F64 x) {
  const Pair<B> e = expm1_pair(b, at_most(b, magnitude(b, x), 91.0));
  const Pair<B> twice = sum(b, e, quotient(b, e, sum(b, e, pair_const(b, 1.0, 0.0))));
  return with_sign_of(b, b.mul(rounded_to_odd(b, twice), b.f64_const(0.5)), x);
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 cosh_odd(B& b, typename B::F64 x) {
  const Exponential<B> parts = exponential(b, at_most(b, magnitude(b, x), 91.0));
  const Pair<B> one = one_plus(b, parts.m);
  const Pair<B> e{b.mul(one.high, parts.scale), b.mul(one.low, parts.scale)};
  const Pair<B> twice = sum(b, e, quotient(b, pair_const(b, 1.0, 0.0), e));
  return b.mul(rounded_to_odd(b, twice), b.f64_const(0.5));
}

inline constexpr Bounds expm1_bounds{-50, 90}, sinh_bounds{-91, 91}, cosh_bounds = sinh_bounds;

/// Like exp: 2^k (2^t - 1) + (2^k - 1), without cancellation for small x. (2^t - 1) / t is within 2^-49 by one
/// polynomial, found beside the interpolant in ten Chebyshev nodes so that all 2870 f32s with a result within 2^-42.4
/// of a midpoint of two f32s are on the right side. All arguments of f32 and of the narrower formats are rounded
/// correctly (bench/exhaustive.cpp).
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 expm1_within(B& b, typename B::F64 x) {
  const Octaves<B> parts = octaves(b, x);
  const auto scale = power_of_two(b, parts.shifted);
  const auto m =
      b.mul(parts.t, polynomial(b, parts.t,
                                {0x1.62e42fefa39efp-1, 0x1.ebfbdff82c477p-3, 0x1.c6b08d70460d6p-5, 0x1.3b2ab6fbdb1c4p-7,
                                 0x1.5d87fe8d752d8p-10, 0x1.4309124e2e444p-13, 0x1.ffcb7ce0473bdp-17,
                                 0x1.62c18f88d72e7p-20, 0x1.b6533196cfdf7p-24, 0x1.e34fb96263545p-28}));
  const auto value = b.fma(scale, m, b.sub(scale, b.f64_const(1.0)));
  return with_sign_of(b, magnitude(b, value), x);  // of -0, too
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 expm1_wide(B& b, typename B::F64 x) {
  return expm1_within(b, clamped(b, x, expm1_bounds));
}

/// 2^t = even + odd, and 2^(k-1) and 2^(-k-1), for sinh and cosh.
template <ArithmeticBuilder B>
struct BothExponentials {
  typename B::F64 even, odd, up, down;
};

/// Like expm1: even(t^2) is within 2^-58 and odd(t) / t within 2^-49.5. With these coefficients, found beside the
/// interpolants in six and in five Chebyshev nodes, all 854 positive f32s with a sinh x and 929 with a cosh x within
/// 2^-42.4 of a midpoint of two f32s are on the right side. All arguments of f32 and of the narrower formats are
/// rounded correctly (bench/exhaustive.cpp).
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline BothExponentials<B> both_exponentials(B& b, typename B::F64 x) {
  const Octaves<B> parts = octaves(b, x);
  const auto z = b.mul(parts.t, parts.t);
  const auto even = polynomial(b, z,
                               {0x1.0000000000001p+0, 0x1.ebfbdff82c359p-3, 0x1.3b2ab6fb9e181p-7, 0x1.430913a3ab891p-13,
                                0x1.62bd77796d6fep-20, 0x1.eb10218528ac9p-28});
  const auto odd = b.mul(parts.t, polynomial(b, z,
                                             {0x1.62e42fefa39eep-1, 0x1.c6b08d7045adp-5, 0x1.5d87fe8e9bb5ep-10,
                                              0x1.ffcb7973643e9p-17, 0x1.b656071f18a8cp-24}));
  const auto half = b.f64_const(0.5);
  const auto down = b.from_bits(b.isub(b.bits(half), b.shl(b.bits(parts.shifted), 52)));
  return {even, odd, scaled(b, half, parts.shifted), down};
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 sinh_within(B& b, typename B::F64 x) {
  const BothExponentials<B> e = both_exponentials(b, x);
  const auto value = b.fma(b.sub(e.up, e.down), e.even, b.mul(b.add(e.up, e.down), e.odd));
  return with_sign_of(b, magnitude(b, value), x);  // of -0, too
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 cosh_within(B& b, typename B::F64 x) {
  const BothExponentials<B> e = both_exponentials(b, x);
  return b.fma(b.add(e.up, e.down), e.even, b.mul(b.sub(e.up, e.down), e.odd));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 sinh_wide(B& b, typename B::F64 x) {
  return sinh_within(b, clamped(b, x, sinh_bounds));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 cosh_wide(B& b, typename B::F64 x) {
  return cosh_within(b, clamped(b, x, cosh_bounds));
}

/// With e = e^(2|x|) - 1, tanh |x| = e / (e + 2), as a pair, for rounding down and up; size = |x| <= 22.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> tanh_pair(B& b, typename B::F64 size) {
  const Pair<B> e = expm1_pair(b, b.mul(size, b.f64_const(2.0)));
  return quotient(b, e, sum(b, e, pair_const(b, 2.0, 0.0)));
}

/// n / d for 0.83 <= d <= 2.03, within 2^-50.8 before roundings, in nine operations, which is less than a division
/// costs on a GPU. A polynomial gives 1 / d within 2^-5.6; two of Newton's steps, whose constants exceed 2 so that
/// errors of both signs are left, make it 2^-12.2 and 2^-25.4; and the remainder corrects the quotient.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 quick_quotient(B& b, typename B::F64 n, typename B::F64 d) {
  const auto minus_d = b.neg(d);
  const auto first = polynomial(b, d, {0x1.265492974eb9ep+1, -0x1.ad2aa9b0f13a8p+0, 0x1.8f49ab2d0ce22p-2});
  const auto second = b.mul(first, b.fma(minus_d, first, b.f64_const(0x1.0006cfef21b03p+1)));
  const auto inverse = b.mul(second, b.fma(minus_d, second, b.f64_const(0x1.0000003051884p+1)));
  const auto ratio = b.mul(n, inverse);
  return b.fma(b.fma(minus_d, ratio, n), inverse, ratio);
}

inline constexpr Bounds tanh_bounds{-9.25, 9.25};  // from 9.011 on it is 1 in f32

/// Like exp. e^(-2|x|) = 2^k 2^t with 2^t = (q - p) / (q + p), p(t) odd and q(t) even, so that with s = (1 - 2^k) / 2
/// tanh |x| = (p + s (q - p)) / (q - s (q - p)), without cancellation for small x. p / t and q are of degree 2 in t^2:
/// the rational interpolant of -tanh(t ln(2) / 2) / t in five Chebyshev nodes, within 2^-57.5. The result has an error
/// below 2^-49.6. 158 f32s have a tanh x within 2^-44.7 of a midpoint of two f32s, and all of them are on the right
/// side. All arguments of f32 and of the narrower formats are rounded correctly (bench/exhaustive.cpp). From 9.011 on
/// it is 1.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 tanh_within(B& b, typename B::F64 x) {
  const auto size = magnitude(b, x);
  const auto octaves_per_unit = b.f64_const(-0x1.71547652b82fep+1);  // -2 / ln 2
  const auto shifter = b.f64_const(0x1.8p52);
  const auto shifted = b.fma(size, octaves_per_unit, shifter);
  const auto t = b.fma(size, octaves_per_unit, b.sub(shifter, shifted));
  const auto half = b.f64_const(0.5);
  const auto s = b.sub(half, scaled(b, half, shifted));
  const auto z = b.mul(t, t);
  const auto p = b.mul(t, polynomial(b, z, {-0x1.62e42fefa39efp-1, -0x1.2f17f567ddf62p-7, -0x1.62cf67dfd60b5p-17}));
  const auto q = polynomial(b, z, {2.0, 0x1.b54ea226562acp-4, 0x1.e01bc984ee4bfp-12});
  const auto difference = b.sub(q, p);
  const auto numerator = b.fma(s, difference, p), denominator = b.fma(b.neg(s), difference, q);
  return with_sign_of(b, quick_quotient(b, numerator, denominator), x);
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 tanh_wide(B& b, typename B::F64 x) {
  return tanh_within(b, clamped(b, x, tanh_bounds));
}

}  // namespace reckon::numerics
