// log, log2, log10, log1p, asinh, acosh and atanh over any arithmetic builder.
//
// Method. x = 2^e m with m in [sqrt(1/2), sqrt(2)); with s = (m - 1) / (m + 1), kept as a quotient and its remainder,
// log m = 2 s + s^3 p(s^2), whose second term is below 2^-6.6 of the first and carries the rounding errors, below
// 2^-58. e ln 2 is added from a constant of 40 bits, whose product with e is exact, and from the rest of ln 2. p is a
// minimax polynomial (relative error of log m: 2^-64.7).
//
// log, log2 and log1p themselves are faster, in plain f64, which is enough for every argument of f32; their pairs are
// for sided.h.
#pragma once

#include "numerics/functions/pair.h"

namespace reckon::numerics {

/// log((1 + s) / (1 - s)), |s| <= 0.1716.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> log_of_ratio(B& b, const Pair<B>& s) {
  const auto z = b.mul(s.high, s.high);
  const auto p = polynomial(b, z, {0x1.5555555555555p-1, 0x1.9999999999dd9p-2, 0x1.24924924140e6p-2,
                                   0x1.c71c729983269p-3, 0x1.745cba5b027cfp-3, 0x1.3b2af1555faap-3, 0x1.0dc2a5ab591bbp-3,
                                   0x1.307af3aa0cc1dp-3, -0x1.151a8fb183db5p-3});
  const auto two = b.f64_const(2.0);
  return fast_two_sum(b, b.mul(two, s.high), b.fma(b.mul(s.high, z), p, b.mul(two, s.low)));
}

/// x = 2^exponent * m, m in [sqrt(1/2), sqrt(2)); x positive, finite and normal.
template <ArithmeticBuilder B>
struct Binary {
  typename B::F64 exponent, m;
  typename B::I64 shift;  ///< the exponent in the position of an f64's exponent field
};
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Binary<B> binary_parts(B& b, typename B::F64 x) {
  // The distance in patterns from sqrt(1/2); its exponent field is the exponent that is taken out.
  const auto from = b.isub(b.bits(x), b.i64_const(0x3fe6a09e667f3bcd));
  const auto exponent = b.ashr(from, 52);
  const auto shift = b.shl(exponent, 52);
  const auto m = b.from_bits(b.isub(b.bits(x), shift));
  const auto shifter = b.i64_const(0x4338000000000000);  // 1.5 * 2^52
  return {b.sub(b.from_bits(b.iadd(exponent, shifter)), b.f64_const(0x1.8p52)), m, shift};
}

/// exponent * ln 2 + log_m.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> with_exponent(B& b, typename B::F64 exponent, const Pair<B>& log_m) {
  const Pair<B> leading = two_sum(b, b.mul(exponent, b.f64_const(0x1.62e42fefa2000p-1)), log_m.high);
  const auto rest = b.fma(exponent, b.f64_const(0x1.9ef35793c7673p-41), log_m.low);
  return fast_two_sum(b, leading.high, b.add(leading.low, rest));
}

/// NaN below 0, -infinity at 0, infinity at infinity; otherwise `value`.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 in_log_domain(B& b, typename B::F64 x, typename B::F64 value) {
  const auto zero = b.f64_const(0.0);
  const auto infinity = infinity_const(b);
  const auto positive = b.select(b.f_less(x, infinity), value, x);  // a NaN stays a NaN
  const auto not_positive = b.select(b.f_less(x, zero), nan_const(b), b.neg(infinity));
  return b.select(b.f_less(zero, x), positive, b.select(b.is_nan(x), x, not_positive));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> log_of_binary(B& b, typename B::F64 m) {
  const auto one = b.f64_const(1.0);
  const auto zero = b.f64_const(0.0);
  return log_of_ratio(b, quotient(b, Pair<B>{b.sub(m, one), zero}, Pair<B>{b.add(m, one), zero}));
}

/// log x and log2 x as pairs, rounded to odd: for rounding down and up.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 log_odd(B& b, typename B::F64 x) {
  const Binary<B> parts = binary_parts(b, x);
  const Pair<B> value = with_exponent(b, parts.exponent, log_of_binary(b, parts.m));
  return in_log_domain(b, x, rounded_to_odd(b, value));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 log2_odd(B& b, typename B::F64 x) {
  const Binary<B> parts = binary_parts(b, x);
  const Pair<B> log2_m =
      product(b, log_of_binary(b, parts.m), pair_const(b, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56));
  const Pair<B> leading = two_sum(b, parts.exponent, log2_m.high);
  return in_log_domain(b, x, rounded_to_odd(b, Pair<B>{leading.high, b.add(leading.low, log2_m.low)}));
}

/// x = 2^exponent (1 + r) or, where 1 + r would exceed 2^(1/4), 2^exponent (1 + r) 256/181, so that -0.16 < r < 0.19.
/// Both are exact. x positive, finite and normal; r is finite for every x.
template <ArithmeticBuilder B>
struct NearPower {
  typename B::F64 exponent, r;
  typename B::Bool above;  ///< whether there is the second factor
};
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline NearPower<B> near_power(B& b, typename B::F64 x) {
  constexpr std::uint64_t least = 0x3feae89f995ad3ad, middle = 0x3ff306fe0a31b715;  // 2^(-1/4) and 2^(1/4)
  const auto exponent = b.ashr(b.isub(b.bits(x), b.i64_const(least)), 52);
  const auto m = b.isub(b.bits(x), b.shl(exponent, 52));
  const auto above = b.i_less_unsigned(b.i64_const(middle), m);
  const auto one = b.f64_const(1.0);
  const auto r = b.fma(b.from_bits(m), b.select(above, b.f64_const(0x1.6ap-1), one), b.f64_const(-1.0));
  const auto shifter = b.f64_const(0x1.8p52);
  return {b.sub(b.from_bits(b.iadd(exponent, b.bits(shifter))), shifter), r, above};
}

/// The logarithm of the power of 2 and of the factor.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 log_of_power(B& b, const NearPower<B>& parts) {
  const auto of_factor = b.select(parts.above, b.f64_const(0x1.630030b3aac49p-2), b.f64_const(0.0));
  return b.fma(parts.exponent, b.f64_const(0x1.62e42fefa39efp-1), of_factor);
}

/// Plain f64, as exp is (exponential.h). log(1 + r) / r is within 2^-47 by one polynomial; where the exponent is not 0
/// that is less of the result, and the error is that of one rounding. So the f64 nearest to a result may be a midpoint
/// of two f32s, which it is for 8 arguments; all of these results are farther from 0, and the last bit tells. Of the
/// polynomials beside the interpolant in 13 Chebyshev nodes this is one that has all 12032 f32s with a log x within
/// 2^-42.4 of a midpoint on the right side. All arguments of f32 and of the narrower formats are rounded correctly
/// (bench/exhaustive.cpp).
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 log_wide(B& b, typename B::F64 x) {
  const NearPower<B> parts = near_power(b, x);
  const auto p = polynomial(b, parts.r,
                            {0x1.fffffffffffdep-1, -0x1.0000000000294p-1, 0x1.5555555578394p-2, -0x1.fffffffe905f4p-3,
                             0x1.99999932aa097p-3, -0x1.555555085ea8cp-3, 0x1.249285d5e3668p-3, -0x1.0000cd60bc282p-3,
                             0x1.c6fb93d97219fp-4, -0x1.98fe7598c18dep-4, 0x1.784fb885aa61bp-4, -0x1.6c06c6e6386f5p-4,
                             0x1.173a57d2eb95dp-4});
  const auto value = b.fma(parts.r, p, log_of_power(b, parts));
  return in_log_domain(b, x, b.from_bits(b.ior(b.bits(value), b.i64_const(1))));
}

/// Like log; no f64 nearest to a result is a midpoint, and 13879 f32s have a log2 x within 2^-42.4 of one. Powers of 2
/// have r = 0, and an exact logarithm.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 log2_wide(B& b, typename B::F64 x) {
  const NearPower<B> parts = near_power(b, x);
  const auto of_factor = b.select(parts.above, b.f64_const(0x1.0014332be0033p-1), b.f64_const(0.0));
  const auto p = polynomial(b, parts.r,
                            {0x1.71547652b82f1p+0, -0x1.71547652b7f57p-1, 0x1.ec709dc3c2429p-2, -0x1.7154765486c3cp-2,
                             0x1.2776c4d44d8b8p-2, -0x1.ec709983ef727p-3, 0x1.a617abad38ff2p-3, -0x1.7156a9acc62ep-3,
                             0x1.4836fc42bfbcbp-3, -0x1.26e6991038dccp-3, 0x1.0f037b89031fap-3, -0x1.0801afd274a1p-3,
                             0x1.9cf8704f9fce5p-4});
  return in_log_domain(b, x, b.fma(parts.r, p, b.add(parts.exponent, of_factor)));
}

/// At a power of 10 the pair is within 2^-57 of the exponent, relative to it, so that it rounds to it in f32.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 log10_wide(B& b, typename B::F64 x) {
  const Binary<B> parts = binary_parts(b, x);
  const Pair<B> natural = with_exponent(b, parts.exponent, log_of_binary(b, parts.m));
  const Pair<B> value = product(b, natural, pair_const(b, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57));
  return in_log_domain(b, x, rounded_to_odd(b, value));
}

/// log(1 + v) for 1 + v > 0 and below 2^900. If no exponent is taken out, v itself is m - 1, so that small values of v
/// keep their precision.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> log1p_pair(B& b, const Pair<B>& v) {
  const auto one = b.f64_const(1.0);
  const Pair<B> exact = two_sum(b, one, v.high);
  const Pair<B> shifted = fast_two_sum(b, exact.high, b.add(exact.low, v.low));
  const Binary<B> parts = binary_parts(b, shifted.high);
  const auto m_low = b.mul(shifted.low, b.from_bits(b.isub(b.bits(one), parts.shift)));
  const auto whole = b.i_equal(parts.shift, b.i64_const(0));
  const Pair<B> above = select(b, whole, v, two_sum(b, b.sub(parts.m, one), m_low));
  const Pair<B> exact_below = fast_two_sum(b, one, parts.m);  // both in [1/2, 2): exact even if m is larger
  const Pair<B> below = fast_two_sum(b, exact_below.high, b.add(exact_below.low, m_low));
  return with_exponent(b, parts.exponent, log_of_ratio(b, quotient(b, above, below)));
}

/// log1p as a pair, rounded to odd: for rounding down and up.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 log1p_odd(B& b, typename B::F64 x) {
  const Pair<B> value = log1p_pair(b, Pair<B>{at_most(b, x, 0x1p200), b.f64_const(0.0)});
  const auto odd = in_log_domain(b, b.add(b.f64_const(1.0), x), rounded_to_odd(b, value));
  return b.select(is_zero(b, x), x, odd);  // -0 stays -0
}

/// Like log, and with 13 coefficients, the first of which is 1. Small x is itself r. Where the nearest f64 is a
/// midpoint of two f32s, the result is farther from 0, but nearer to it for small negative x. Of 8440 f32s with a
/// result within 2^-42.4 of a midpoint all are on the right side.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 log1p_wide(B& b, typename B::F64 x) {
  const auto zero = b.f64_const(0.0);
  const auto above_minus = [&](double bound) { return b.f_less(b.f64_const(-bound), x); };
  const auto whole = b.add(b.f64_const(1.0), x);  // exact unless x is small or large
  const NearPower<B> parts = near_power(b, whole);
  const auto r = b.select(b.both(above_minus(0.125), b.f_less(x, b.f64_const(0.125))), x, parts.r);
  const auto p = polynomial(b, r,
                            {-0x1.ffffffffffec5p-2, 0x1.55555555689bfp-2, -0x1.00000000f3915p-2, 0x1.99999953d92e6p-3,
                             -0x1.555552c5f5b9ep-3, 0x1.24927582424ebp-3, -0x1.000172161a4p-3, 0x1.c703f5f925a16p-4,
                             -0x1.98d356aecd79ep-4, 0x1.7740dc7b1ccf4p-4, -0x1.6e2377d26a01bp-4, 0x1.2443de235f5a6p-4});
  const auto value = b.add(b.fma(b.mul(r, p), r, r), log_of_power(b, parts));
  const auto nearer = b.select(b.both(above_minus(0x1p-12), b.f_less(x, zero)), b.i64_const(1), b.i64_const(0));
  const auto odd = b.from_bits(b.ior(b.isub(b.bits(value), nearer), b.i64_const(1)));
  return b.select(is_zero(b, x), x, in_log_domain(b, whole, odd));  // -0 stays -0
}

/// asinh |x| = log1p(|x| + x^2 / (1 + sqrt(1 + x^2))).
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 asinh_wide(B& b, typename B::F64 x) {
  const auto size = at_most(b, magnitude(b, x), 0x1p200);
  const Pair<B> one = pair_const(b, 1.0, 0.0);
  const Pair<B> square = two_product(b, size, size);
  const Pair<B> root = square_root(b, sum(b, one, square));
  const Pair<B> v = sum(b, Pair<B>{size, b.f64_const(0.0)}, quotient(b, square, sum(b, one, root)));
  const auto value = with_sign_of(b, rounded_to_odd(b, log1p_pair(b, v)), x);
  return b.select(b.f_less(magnitude(b, x), b.f64_const(0x1p200)), value, x);
}

/// With t = x - 1, acosh x = log1p(t + sqrt(t (t + 2))).
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 acosh_wide(B& b, typename B::F64 x) {
  const Pair<B> t = two_sum(b, at_least(b, at_most(b, x, 0x1p200), 1.0), b.f64_const(-1.0));
  const Pair<B> root = square_root(b, product(b, t, sum(b, t, pair_const(b, 2.0, 0.0))));
  const auto value = rounded_to_odd(b, log1p_pair(b, sum(b, t, root)));
  const auto finite = b.select(b.f_less(x, b.f64_const(0x1p200)), value, x);
  return b.select(b.f_less(x, b.f64_const(1.0)), nan_const(b), finite);
}

/// atanh |x| = log1p(2 |x| / (1 - |x|)) / 2.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 atanh_wide(B& b, typename B::F64 x) {
  const auto one = b.f64_const(1.0);
  const auto size = magnitude(b, x);
  const auto inside = b.f_less(size, one);
  const auto clamped = b.select(inside, size, b.f64_const(0.5));
  const Pair<B> v = quotient(b, Pair<B>{b.add(clamped, clamped), b.f64_const(0.0)}, two_sum(b, one, b.neg(clamped)));
  const auto value = b.mul(rounded_to_odd(b, log1p_pair(b, v)), b.f64_const(0.5));
  const auto infinity = infinity_const(b);
  const auto beyond = b.select(b.f_less(one, size), nan_const(b), infinity);
  const auto positive = b.select(inside, value, b.select(b.is_nan(x), x, beyond));
  return with_sign_of(b, positive, x);
}

}  // namespace reckon::numerics
