// log, log2, log10, log1p, asinh, acosh and atanh of f64, correctly rounded, over any arithmetic builder.
//
// Method. The argument is 2^e m with m in [sqrt(1/2), sqrt(2)), and m times one of five factors f of few bits is near
// 1. With s = (m f - 1) / (m f + 1), |s| < 0.04, log m = 2 (s + s^3/3 + s^5/5 + ...) - log f, 14 terms. Near 1, where
// the logarithm is small, e = 0 and f = 1, and m - 1 is the exact argument of log1p, so that the relative error stays
// small.
//
// Error budget, relative to log m: what is left out of the series is below 2^-130; the terms that are pairs are below
// 2^-23 and have errors of 2^-103, the doubles 2^-75 and 2^-52: some 2^-125. Elsewhere than near 1 the terms are at
// most five times as large as their sum, but the series is only a part of it. (Measured: 2^-133 or less.)
#pragma once

#include "numerics/functions64/exponential64.h"
#include "numerics/functions/logarithm.h"

namespace reckon::numerics {

/// The logarithm is exponent * ln 2 + log_m.
template <ArithmeticBuilder B>
struct Logarithm64 {
  typename B::F64 exponent;
  Triple<B> log_m;
};

/// Of x = 1 + v, positive and normal. If |v| < 1/20, the relative precision of v counts, otherwise that of x.
template <ArithmeticBuilder B, class S>
[[gnu::always_inline]] inline Logarithm64<B> logarithm64(B& b, const Triple<B>& x, const Triple<B>& v,
                                                         const S& series) {
  const auto one = b.f64_const(1.0);
  const Binary<B> parts = binary_parts(b, x.high);
  const Triple<B> m = times_power(b, x, b.from_bits(b.isub(b.bits(one), parts.shift)));
  auto factor = b.f64_const(constants64::log_factors[0].factor);
  Triple<B> minus_log = triple_const(b, constants64::log_factors[0].minus_log);
  for (int k = 1; k < 5; ++k) {
    const auto below = b.f_less(m.high, b.f64_const(constants64::log_factors[k].from));
    factor = b.select(below, factor, b.f64_const(constants64::log_factors[k].factor));
    minus_log = select(b, below, minus_log, triple_const(b, constants64::log_factors[k].minus_log));
  }
  const Triple<B> near_one = product(b, m, factor);
  const auto changed = b.ior(parts.shift, b.ixor(b.bits(factor), b.bits(one)));
  const Triple<B> above = select(b, b.i_equal(changed, b.i64_const(0)), v, sum(b, near_one, b.neg(one)));
  const Triple<B> s = quotient(b, above, sum(b, near_one, one));
  const Triple<B> half = product(b, polynomial(b, product(b, s, s), series), s);
  return {parts.exponent, sum(b, minus_log, times_power(b, half, b.f64_const(2.0)))};
}

/// Of x > 0. Subnormal numbers, and those whose exponent's inverse is one, are scaled.
template <ArithmeticBuilder B, class S>
[[gnu::always_inline]] inline Logarithm64<B> logarithm64(B& b, typename B::F64 x, const S& series) {
  const auto by_size = [&](double moderate, double small, double large) {
    return b.select(b.f_less(x, b.f64_const(0x1p-1000)), b.f64_const(small),
                    b.select(b.f_less(x, b.f64_const(0x1p1000)), b.f64_const(moderate), b.f64_const(large)));
  };
  const auto value = b.mul(x, by_size(1, 0x1p100, 0x1p-100));
  const Pair<B> v = two_sum(b, value, b.f64_const(-1.0));
  const Logarithm64<B> parts = logarithm64(b, triple_of(b, value), triple_of(b, v), series);
  return {b.add(parts.exponent, by_size(0, -100, 100)), parts.log_m};
}
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Logarithm64<B> logarithm64(B& b, typename B::F64 x) {
  return logarithm64(b, x, constants64::atanh_series);
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<B> natural(B& b, const Logarithm64<B>& parts) {
  const auto first = b.mul(parts.exponent, b.f64_const(constants64::ln_2_by_parts[0]));  // exact
  const Pair<B> second = two_product(b, parts.exponent, b.f64_const(constants64::ln_2_by_parts[1]));
  const auto last = b.fma(parts.exponent, b.f64_const(constants64::ln_2_by_parts[2]), second.low);
  return sum(b, normalised_fast(b, first, second.high, last), parts.log_m);
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<B> binary(B& b, const Logarithm64<B>& parts) {
  return sum(b, product(b, parts.log_m, triple_const(b, constants64::log2_e)), parts.exponent);
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 log_f64(B& b, typename B::F64 x) {
  return unless_nan(b, x, in_log_domain(b, x, rounded(b, natural(b, logarithm64(b, x)))));
}

/// A power of two gives its exponent: log_m is 0.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 log2_f64(B& b, typename B::F64 x) {
  return unless_nan(b, x, in_log_domain(b, x, rounded(b, binary(b, logarithm64(b, x)))));
}

/// A power of ten gives its exponent, which is far from a midpoint.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 log10_f64(B& b, typename B::F64 x) {
  const Triple<B> value = product(b, natural(b, logarithm64(b, x)), triple_const(b, constants64::log10_e));
  return unless_nan(b, x, in_log_domain(b, x, rounded(b, value)));
}

/// log(1 + v) for v > -1 below 2^220. Where x is above 2^200, it is log(2^offset x) instead, which is computed from
/// x 2^-1030: a relative difference below 2^-200.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<B> log1p_triple(B& b, const Triple<B>& v, typename B::F64 x, double offset) {
  const auto large = b.f_less(b.f64_const(0x1p200), x);
  const auto power = b.f64_const(0x1p-515);
  const auto scaled = b.mul(b.mul(x, power), power);
  const Triple<B> w = select(b, large, triple_of(b, scaled), sum(b, v, b.f64_const(1.0)));
  const Logarithm64<B> parts =
      logarithm64(b, w, v, constants64::atanh_series);  // where x is large, w is far from 1, and v does not count
  const auto added = b.select(large, b.f64_const(1030.0 + offset), b.f64_const(0.0));
  return natural(b, Logarithm64<B>{b.add(parts.exponent, added), parts.log_m});
}

/// Where |x| < 2^-54, x is nearer than a quarter of an ulp.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 log1p_f64(B& b, typename B::F64 x) {
  const auto value = rounded(b, log1p_triple(b, triple_of(b, x), x, 0));
  const auto inside = in_log_domain(b, b.add(b.f64_const(1.0), x), value);
  const auto small = b.f_less(magnitude(b, x), b.f64_const(0x1p-54));
  return unless_nan(b, x, b.select(small, x, inside));
}

/// asinh |x| = log1p(|x| + x^2 / (1 + sqrt(1 + x^2))); log(2 |x|) for large |x|.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 asinh_f64(B& b, typename B::F64 x) {
  const auto size = magnitude(b, x);
  const auto one = b.f64_const(1.0);
  const auto moderate = at_most(b, size, 0x1p210);
  const Triple<B> square = triple_of(b, two_product(b, moderate, moderate));
  const Triple<B> root = square_root(b, sum(b, square, one));
  const Triple<B> v = sum(b, quotient(b, square, sum(b, root, one)), moderate);
  const auto value = rounded(b, log1p_triple(b, v, size, 1));
  return b.select(is_infinite(b, x), x, odd_value(b, x, 0x1p-27, value));
}

/// The value if x >= 1, otherwise the canonical NaN.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 from_one_on(B& b, typename B::F64 x, typename B::F64 value) {
  return unless_nan(b, x, b.select(b.f_less(x, b.f64_const(1.0)), nan_const(b), value));
}

/// With t = x - 1, acosh x = log1p(t + sqrt(t (t + 2))); log(2 x) for large x.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 acosh_f64(B& b, typename B::F64 x) {
  const auto moderate = at_most(b, at_least(b, x, 1.0), 0x1p210);
  const Triple<B> t = triple_of(b, two_sum(b, moderate, b.f64_const(-1.0)));
  const Triple<B> root = square_root(b, product(b, t, sum(b, t, b.f64_const(2.0))));
  const auto value = rounded(b, log1p_triple(b, sum(b, t, root), x, 1));
  return from_one_on(b, x, b.select(is_infinite(b, x), x, value));
}

/// atanh |x| = log1p(2 |x| / (1 - |x|)) / 2.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 atanh_f64(B& b, typename B::F64 x) {
  const auto one = b.f64_const(1.0);
  const auto size = magnitude(b, x);
  const auto inside = b.f_less(size, one);
  const auto some = b.select(inside, size, b.f64_const(0.5));
  const Triple<B> v = quotient(b, triple_of(b, b.add(some, some)), triple_of(b, two_sum(b, one, b.neg(some))));
  const Logarithm64<B> parts = logarithm64(b, sum(b, v, one), v, constants64::atanh_series);
  const auto value = rounded(b, times_power(b, natural(b, parts), b.f64_const(0.5)));
  const auto beyond = b.select(b.f_less(one, size), nan_const(b), infinity_const(b));
  const auto result = odd_value(b, x, 0x1p-27, b.select(inside, value, beyond));
  return unless_nan(b, result, result);  // the NaN of an argument beyond 1 has no sign
}

}  // namespace reckon::numerics
