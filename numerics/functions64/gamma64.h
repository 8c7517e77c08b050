// gamma and lgamma of f64, Gamma(x) and log |Gamma(x)|, correctly rounded, over any arithmetic builder.
//
// Method. With y = |x| and, below 24, rest = (y + 1) ... (y + 23), Gamma(y) = Gamma(y + 24) / (y rest) (NIST
// DLMF, 5.5.1); from 24 on Stirling's series of log Gamma (5.11.1) with 19 terms, whose error is below the first one
// left out (5.11(ii)), 2^-134. For a negative x, |Gamma(x)| = pi / (y sin(pi d) Gamma(y)) by the reflection formula
// (5.5.3), d being the distance of y from the nearest integer, which is exact; below 24, y cancels. So |Gamma(x)| is
// e^S / T, or T / e^S of a negative x, for a logarithm S and a number T. Near 1 and 2, where lgamma has zeros, it is x
// - 1 or x - 2 times a power series (5.7.3).
//
// Error budget. S is at most 880 for results that are no infinities of gamma: with a logarithm that has a relative
// error of 2^-148 (power64.h), S has an absolute one of 2^-134 or so. T is a product of 13 Triples. gamma is therefore
// within 2^-128 of its value, as the exponential is. lgamma is S - log T, both below 100 where they cancel: an absolute
// error of some 2^-134, and a relative one of 2^-125 but near the zeros below -2. (Measured: 2^-128 for gamma, 2^-126
// for lgamma above -2.)
//
// NOT PROVEN: that no result is closer to a midpoint than its error, as elsewhere (functions64.h). Near a zero z below
// -2 the relative error of lgamma grows as 1 / |x - z|, but the fewer are the arguments: 2^-134 is at most 2^-16 of how
// close to a midpoint the values of the f64s within |x - z| come if they are scattered evenly. The tests try those.
//
// Exact results: Gamma(n) = (n - 1)! has at most 53 bits up to n = 23, and 56 or more from 24 on; lgamma is 0 at 1
// and 2. Poles and limits are those of C's tgamma and lgamma (C23, F.10.5.3 and F.10.5.4), as in functions/gamma.h.
#pragma once

#include "numerics/functions/gamma.h"
#include "numerics/functions64/power64.h"

namespace reckon::numerics {

/// What Quick (quick.h) takes for undecided unless the condition holds; three doubles decide everything.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline void decide_if(B&, typename B::Bool) {}

/// |x| = nearest + offset, |offset| <= 1/2, exactly, as in functions/gamma.h, for f64s: they are integers from 2^52 on.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline FromInteger<B> from_integer_of64(B& b, typename B::F64 x) {
  const auto size = magnitude(b, x);
  const auto shifter = b.f64_const(0x1p52);
  const auto some = b.select(b.f_less(size, shifter), size, b.f64_const(0.0));
  const auto shifted = b.add(some, shifter);
  return {b.bits(shifted), b.sub(some, b.sub(shifted, shifter))};
}

/// added_exponent ln 2 + log x for x between 2^-900 and 2^950; next to 1 the result has an absolute precision alone.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<B> log_precise64(B& b, const Triple<B>& x, typename B::F64 added_exponent) {
  const Triple<B> above = sum(b, x, b.f64_const(-1.0));
  const Logarithm64<B> parts = logarithm64(b, x, above, constants64::precise_atanh_series);
  return natural(b, Logarithm64<B>{b.add(parts.exponent, added_exponent), parts.log_m});
}

/// S = stirling 2^stirling_exponent, which is 0 but for huge arguments, and T = factor 2^factor_exponent.
template <ArithmeticBuilder B>
struct GammaParts64 {
  Triple<B> stirling, factor;
  typename B::I64 stirling_exponent;
  typename B::F64 factor_exponent;
};

/// y is positive, and |x| or less (and 190 or more) if that is larger; `distance` is that of |x| from the nearest
/// integer, and above 0 (what it is at a pole does not matter).
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline GammaParts64<B> gamma_parts64(B& b, typename B::F64 y, typename B::F64 distance,
                                                            typename B::Bool negative) {
  const auto zero = b.f64_const(0.0), one = b.f64_const(1.0);
  const auto small = b.f_less(y, b.f64_const(24.0));
  // rest, by (y + k) (y + 24 - k) = y (y + 24) + k (24 - k)
  const auto few = b.select(small, y, zero);
  const Triple<B> common =
      sum(b, triple_of(b, two_product(b, few, b.f64_const(24.0))), triple_of(b, two_product(b, few, few)));
  Triple<B> rest = triple_of(b, two_sum(b, b.f64_const(12.0), few));
  for (int k = 1; k < 12; ++k) rest = product(b, rest, sum(b, common, b.f64_const(k * (24.0 - k))));
  rest = select(b, small, rest, triple_of(b, one));

  // S = (y - 1/2) (log y - 1) + log(2 pi)/2 - 1/2 + 1/(12 y) - ..., of y + 24 where y is small. A huge y is scaled, so
  // that nothing overflows; then all but the leading term is far below the rounding.
  const auto huge = b.f_less(b.f64_const(0x1p600), y);
  const auto scaled = b.mul(y, b.select(huge, b.f64_const(0x1p-100), one));
  const Triple<B> far = triple_of(b, two_sum(b, scaled, b.select(small, b.f64_const(24.0), zero)));
  const Triple<B> inverse = quotient(b, triple_of(b, one), far);
  const Triple<B> series = polynomial(b, product(b, inverse, inverse), constants64::stirling_series);
  const Triple<B> less = sum(b, log_precise64(b, far, b.select(huge, b.f64_const(100.0), zero)), b.f64_const(-1.0));
  const Triple<B> leading = product(b, sum(b, far, b.f64_const(-0.5)), less);
  const Triple<B> stirling =
      sum(b, leading, sum(b, triple_const(b, constants64::half_log_two_pi_less_half), product(b, series, inverse)));

  // T = y rest; of a negative x, rest pi / sin(pi d), or pi / (y sin(pi d)). A tiny y or d is scaled.
  const auto tiny = b.f_less(b.select(negative, distance, few), b.f64_const(0x1p-300));
  const auto scale = b.select(tiny, b.f64_const(0x1p700), one);
  const Triple<B> angle = product(b, triple_const(b, constants64::pi), distance);
  const Triple<B> sinc = polynomial(b, product(b, angle, angle), constants64::sinc_series);
  const auto by = b.select(small, one, at_most(b, y, 0x1p60));
  const Triple<B> sine = product(b, sinc, triple_of(b, two_product(b, by, b.mul(distance, scale))));
  const Triple<B> steps = product(b, rest, b.select(small, b.mul(few, scale), one));
  const auto exponent = b.select(tiny, b.select(negative, b.f64_const(700.0), b.f64_const(-700.0)), zero);
  return {stirling, select(b, negative, quotient(b, rest, sine), steps),
          b.select(huge, b.i64_const(100), b.i64_const(0)),
          b.select(small, exponent, b.select(negative, exponent, zero))};
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 lgamma_f64(B& b, typename B::F64 x) {
  const auto zero = b.f64_const(0.0), one = b.f64_const(1.0), two = b.f64_const(2.0);
  const auto infinity = infinity_const(b);
  const FromInteger<B> near = from_integer_of64(b, x);
  const auto size = magnitude(b, x), distance = magnitude(b, near.offset);
  const auto negative = b.f_less(x, zero);
  const auto ordinary = b.both(b.f_less(zero, size), b.f_less(size, infinity));
  const GammaParts64<B> parts = gamma_parts64(b, b.select(ordinary, size, one),
                                              b.select(b.f_less(zero, distance), distance, b.f64_const(0.5)), negative);
  const Triple<B> some = sum(b, parts.stirling, negated(b, log_precise64(b, parts.factor, parts.factor_exponent)));

  // Next to the zeros 1 and 2.
  const auto beyond = b.f_less(b.f64_const(1.5), x);
  const auto h = b.sub(x, b.select(beyond, two, one));
  const auto beside = b.f_less(magnitude(b, h), b.f64_const(0x1p-8));
  const auto some_h = b.select(beside, h, zero);
  const Triple<B> slope = polynomial(b, triple_of(b, some_h),
                                     select(b, beyond, coefficients(b, constants64::log_gamma_series[1]),
                                            coefficients(b, constants64::log_gamma_series[0])));
  const Triple<B> value = select(b, beside, product(b, slope, some_h), select(b, negative, negated(b, some), some));
  const auto result = rounded(b, value, parts.stirling_exponent);
  decide_if(b,
            b.f_less(b.select(beside, zero, b.f64_const(0.5)), magnitude(b, value.high)));  // no zero below -2 is near
  const auto of_positive = b.select(is_zero(b, some_h), b.select(beside, zero, result), result);
  const auto of_negative = b.select(is_zero(b, distance), infinity, result);  // and of both zeros
  const auto of_number = b.select(b.f_less(zero, x), of_positive, of_negative);
  return unless_nan(b, x, b.select(b.f_less(size, infinity), of_number, infinity));
}

/// For |x| below 2^-200, Gamma(x) = 1/x - 0.577... rounds as 1/x does.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 gamma_f64(B& b, typename B::F64 x) {
  const auto zero = b.f64_const(0.0), one = b.f64_const(1.0);
  const FromInteger<B> near = from_integer_of64(b, x);
  const auto size = magnitude(b, x), distance = magnitude(b, near.offset);
  const auto positive = b.f_less(zero, x), negative = b.f_less(x, zero);
  const auto tiny = b.f_less(size, b.f64_const(0x1p-200));
  // From 190 on the result overflows, and that of a negative x is 0.
  const auto y = b.select(tiny, one, at_most(b, size, 190.0));
  const auto some_distance =
      b.select(tiny, b.f64_const(0.5), b.select(b.f_less(zero, distance), distance, b.f64_const(0.5)));
  const GammaParts64<B> parts = gamma_parts64(b, y, some_distance, negative);
  const Exponential64<B> e = exponential64_of_2(b, product(b, parts.stirling, triple_const(b, constants64::log2_e)),
                                                constants64::expm1_series);
  const Triple<B> power = significand(b, e);
  const Triple<B> value =
      quotient(b, select(b, negative, parts.factor, power), select(b, negative, power, parts.factor));
  const auto k = b.select(negative, b.isub(b.i64_const(0), e.exponent), e.exponent);
  const auto result = rounded(b, value, k);
  // The result of a negative x is negative if the floor of its size is even.
  const auto floor = b.isub(near.number, b.lshr(b.bits(near.offset), 63));
  const auto sign = b.shl(b.ixor(b.iand(floor, b.i64_const(1)), b.i64_const(1)), 63);
  const auto of_negative = b.select(is_zero(b, distance), nan_const(b), b.from_bits(b.ixor(b.bits(result), sign)));
  const auto number = b.select(tiny, b.div(one, x), b.select(positive, result, of_negative));
  const auto of_infinity = b.select(positive, infinity_const(b), nan_const(b));
  return unless_nan(b, x, b.select(b.f_less(size, infinity_const(b)), number, of_infinity));
}

}  // namespace reckon::numerics
