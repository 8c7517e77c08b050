// exp, exp2, exp10, expm1, sinh, cosh and tanh of f64, correctly rounded, over any arithmetic builder.
//
// Method. With n the integer nearest to 8 x / ln 2, and r = x - n ln 2 / 8, |r| <= 0.0434, e^x = 2^k c (1 + m), where
// k = n >> 3, c = 2^(j/8) for the three low bits j of n, and m = e^r - 1 by its Taylor series of 18 terms. Everything
// is a Triple, except the coefficients of terms that are too small to need one.
//
// Error budget, relative to m: what is left out of the series is below 2^-130; the terms that are pairs are below
// 2^-23 and have errors of 2^-103, the doubles 2^-75 and 2^-52: together some 2^-125 of m, which is at most 1/23 of c.
// r has an absolute error below 2^-134, and none in the neighbourhood of 0, n = 0, where functions have small values.
// exp, exp2, exp10 and cosh are therefore within 2^-129, expm1, sinh and tanh within 2^-124 of their values. (Measured:
// 2^-134 and 2^-130.)
#pragma once

#include "numerics/functions64/constants64.h"
#include "numerics/functions64/triple.h"

namespace reckon::numerics {

/// e^x or another power as 2^exponent * factor * (1 + m).
template <ArithmeticBuilder B>
struct Exponential64 {
  typename B::I64 exponent;
  Triple<B> factor, m;
};

/// 2^(eighths / 8) e^r, |r| <= 0.0434; the series of (e^r - 1) / r.
template <ArithmeticBuilder B, class S>
[[gnu::always_inline]] inline Exponential64<B> exponential64(B& b, typename B::I64 eighths, const Triple<B>& r,
                                                             const S& series) {
  Triple<B> factors[8];
  for (int k = 0; k < 8; ++k) factors[k] = triple_const(b, constants64::eighths[k]);
  for (int bit = 4; bit > 0; bit /= 2) {
    const auto none = b.i_equal(b.iand(eighths, b.i64_const(static_cast<std::uint64_t>(bit))), b.i64_const(0));
    for (int k = 0; k < bit; ++k) factors[k] = select(b, none, factors[k], factors[k + bit]);
  }
  return {b.ashr(eighths, 3), factors[0], product(b, polynomial(b, r, series), r)};
}

/// e^x for |x| <= 1000.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Exponential64<B> exponential64(B& b, typename B::F64 x) {
  const auto n = nearest_int(b, b.mul(x, b.f64_const(0x1.71547652b82fep+3)));
  const auto minus = b.neg(n.number);
  // Unless n = 0, x and n times the first constant are multiples of 2^-57 and differ by less than 2^-4: this is exact.
  const auto leading = b.fma(minus, b.f64_const(constants64::eighth_of_ln_2[0]), x);
  const Pair<B> second = two_product(b, minus, b.f64_const(constants64::eighth_of_ln_2[1]));
  const auto last = b.fma(minus, b.f64_const(constants64::eighth_of_ln_2[2]), second.low);
  return exponential64(b, n.word, normalised(b, leading, second.high, last), constants64::expm1_series);
}

/// 2^x for |x| <= 2000.
template <ArithmeticBuilder B, class S>
[[gnu::always_inline]] inline Exponential64<B> exponential64_of_2(B& b, const Triple<B>& x, const S& series) {
  const auto n = nearest_int(b, b.mul(x.high, b.f64_const(8.0)));
  const Triple<B> rest = sum(b, x, b.mul(n.number, b.f64_const(-0.125)));
  return exponential64(b, n.word, product(b, rest, triple_const(b, constants64::ln_2)), series);
}

/// factor * (1 + m), between 0.95 and 2.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<B> significand(B& b, const Exponential64<B>& e) {
  return sum(b, e.factor, product(b, e.factor, e.m));
}

/// 2^-k, at least 2^-200.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 inverse_power(B& b, typename B::I64 k) {
  const auto most = b.i64_const(200);
  return power_of_two_int(b, b.isub(b.i64_const(0), b.select(b.i_less_signed(k, most), k, most)));
}

/// The power less 1, divided by 2^exponent. If n = 0, factor - 1 = 0 and m is all that is left. An exponent above 200,
/// whose inverse power is too large, does not matter.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<B> less_one(B& b, const Exponential64<B>& e) {
  const Triple<B> constant = sum(b, e.factor, b.neg(inverse_power(b, e.exponent)));
  return sum(b, constant, product(b, e.factor, e.m));
}

/// The value, or the canonical NaN if x is a NaN.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 unless_nan(B& b, typename B::F64 x, typename B::F64 value) {
  return b.select(b.is_nan(x), nan_const(b), value);
}

/// The value with the sign of x; but x itself if |x| < bound, and a NaN if x is one: for odd functions whose value is
/// nearer to a small x than a quarter of an ulp. Bounds of 2^-27 are right for f(x) = x + c x^3 + ..., |c| <= 1/3:
/// the relative difference is below 2^-55.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 odd_value(B& b, typename B::F64 x, double bound, typename B::F64 value) {
  const auto small = b.f_less(magnitude(b, x), b.f64_const(bound));
  return unless_nan(b, x, b.select(small, x, with_sign_of(b, value, x)));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 exp_f64(B& b, typename B::F64 x) {
  const Exponential64<B> e = exponential64(b, at_most(b, at_least(b, x, -746.0), 710.0));
  return unless_nan(b, x, rounded(b, significand(b, e), e.exponent));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 exp2_f64(B& b, typename B::F64 x) {
  const auto clamped = at_most(b, at_least(b, x, -1080.0), 1030.0);
  const Exponential64<B> e = exponential64_of_2(b, triple_of(b, clamped), constants64::expm1_series);
  return unless_nan(b, x, rounded(b, significand(b, e), e.exponent));
}

/// 10^n = 5^n 2^n has 54 bits or less for the integers n from 0 to 23 (5^23 has 54: it is a midpoint), and no other
/// power does: there the value is known to be exact.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 exp10_f64(B& b, typename B::F64 x) {
  const auto clamped = at_most(b, at_least(b, x, -330.0), 310.0);
  const Exponential64<B> e =
      exponential64_of_2(b, product(b, triple_const(b, constants64::log2_10), clamped), constants64::expm1_series);
  const Triple<B> value = significand(b, e);
  const auto integer = b.i_equal(b.bits(nearest_int(b, clamped).number), b.bits(clamped));
  const auto few = b.f_less(magnitude(b, b.sub(clamped, b.f64_const(11.5))), b.f64_const(12.0));
  return unless_nan(b, x, rounded(b, select(b, b.both(integer, few), of_54_bits(b, value), value), e.exponent));
}

/// From -60 down, the value is -1 to 2^-86. Where |x| < 2^-54, x is nearer than a quarter of an ulp.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 expm1_f64(B& b, typename B::F64 x) {
  const Exponential64<B> e = exponential64(b, at_most(b, at_least(b, x, -60.0), 710.0));
  const auto value = rounded(b, less_one(b, e), e.exponent);
  const auto small = b.f_less(magnitude(b, x), b.f64_const(0x1p-54));
  return unless_nan(b, x, b.select(small, x, value));
}

/// With e = e^|x| - 1, sinh |x| = (e + e / (e + 1)) / 2.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 sinh_f64(B& b, typename B::F64 x) {
  const Exponential64<B> e = exponential64(b, at_most(b, magnitude(b, x), 712.0));
  const Triple<B> less = less_one(b, e);
  const Triple<B> ratio = quotient(b, less, significand(b, e));
  const Triple<B> twice = sum(b, less, times_power(b, ratio, inverse_power(b, e.exponent)));
  return odd_value(b, x, 0x1p-27, rounded(b, twice, b.isub(e.exponent, b.i64_const(1))));
}

/// cosh x = (e^|x| + 1 / e^|x|) / 2.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 cosh_f64(B& b, typename B::F64 x) {
  const Exponential64<B> e = exponential64(b, at_most(b, magnitude(b, x), 712.0));
  const Triple<B> value = significand(b, e);
  const Triple<B> inverse = quotient(b, triple_of(b, inverse_power(b, b.shl(e.exponent, 1))), value);
  return unless_nan(b, x, rounded(b, sum(b, value, inverse), b.isub(e.exponent, b.i64_const(1))));
}

/// With e = e^(2|x|) - 1, tanh |x| = e / (e + 2). From 32 up, it is 1 to 2^-91.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 tanh_f64(B& b, typename B::F64 x) {
  const auto size = at_most(b, magnitude(b, x), 32.0);
  const Exponential64<B> e = exponential64(b, b.add(size, size));
  const Triple<B> less = less_one(b, e);
  const auto two = b.mul(b.f64_const(2.0), inverse_power(b, e.exponent));
  return odd_value(b, x, 0x1p-27, rounded(b, quotient(b, less, sum(b, less, two))));
}

}  // namespace reckon::numerics
