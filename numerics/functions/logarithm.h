// log, log2, log10, log1p, asinh, acosh and atanh over any arithmetic builder.
//
// Method. x = 2^e m with m in [sqrt(1/2), sqrt(2)); with s = (m - 1) / (m + 1), kept as a quotient and its remainder,
// log m = 2 s + s^3 p(s^2), whose second term is below 2^-6.6 of the first and carries the rounding errors, below 2^-58.
// e ln 2 is added from a constant of 40 bits, whose product with e is exact, and from the rest of ln 2.
// p is a minimax polynomial (relative error of log m: 2^-64.7).
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

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 log_wide(B& b, typename B::F64 x) {
  const Binary<B> parts = binary_parts(b, x);
  const Pair<B> value = with_exponent(b, parts.exponent, log_of_binary(b, parts.m));
  return in_log_domain(b, x, rounded_to_odd(b, value));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 log2_wide(B& b, typename B::F64 x) {
  const Binary<B> parts = binary_parts(b, x);
  const Pair<B> log2_m =
      product(b, log_of_binary(b, parts.m), pair_const(b, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56));
  const Pair<B> leading = two_sum(b, parts.exponent, log2_m.high);
  return in_log_domain(b, x, rounded_to_odd(b, Pair<B>{leading.high, b.add(leading.low, log2_m.low)}));
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

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 log1p_wide(B& b, typename B::F64 x) {
  const Pair<B> value = log1p_pair(b, Pair<B>{at_most(b, x, 0x1p200), b.f64_const(0.0)});
  const auto odd = in_log_domain(b, b.add(b.f64_const(1.0), x), rounded_to_odd(b, value));
  return b.select(is_zero(b, x), x, odd);  // -0 stays -0
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
