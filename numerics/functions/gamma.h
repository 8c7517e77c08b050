// gamma and lgamma, Gamma(x) and log |Gamma(x)|, over any arithmetic builder: for every f32 argument.
//
// Method. With y = |x|, Gamma(y) = Gamma(y + 16) / (y (y + 1) ... (y + 15)) below 16 (NIST DLMF, 5.5.1), and from 16 on
// Stirling's series of log Gamma (5.11.1) with 16 terms, whose error is below the first one left out (5.11(ii)), 2^-103. For a
// negative x, |Gamma(x)| = pi / (y sin(pi d) Gamma(y)) by the reflection formula (5.5.3), d being the distance of y from the
// nearest integer, which is exact. All of it is computed in pairs, with an absolute error of the logarithm of some 2^-94
// (estimated: it is at most 2^6 below 16, and each step has 2^-100 of it): lgamma needs that beside its zeros, to which
// an f32 comes as close as 2^-27 or so. So does gamma, whose exponential has the same relative error.
//
// Exact results: Gamma(n) = (n - 1)! has at most 53 bits up to n = 18, and is then the leading part of the pair; lgamma is 0
// at 1 and 2. No other f32 has an f32 or a midpoint of two as a value (not proven: bench/exhaustive.cpp tries all).
//
// Poles and limits are those of C's tgamma and lgamma (C23, F.10.5.3 and F.10.5.4): gamma(+-0) = +-inf, gamma of a negative
// integer and of -inf is a NaN; lgamma of all these is +inf.
#pragma once

#include "numerics/functions/constants.h"
#include "numerics/functions/two_operands.h"

namespace reckon::numerics {

/// |x| = nearest + offset, |offset| <= 1/2, exactly. From 2^52 on, all f64s are integers: there the offset is 0.
template <ArithmeticBuilder B>
struct FromInteger {
  typename B::I64 number;  ///< the integer, of which the lowest bit counts
  typename B::F64 offset;
};
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline FromInteger<B> from_integer_of(B& b, typename B::F64 x) {
  const auto size = magnitude(b, x);
  const auto some = b.select(b.f_less(size, b.f64_const(0x1p51)), size, b.f64_const(0.0));
  const auto shifter = b.f64_const(0x1.8p52);
  const auto shifted = b.add(some, shifter);
  return {b.bits(shifted), b.sub(some, b.sub(shifted, shifter))};
}

/// log x to an absolute 2^-97 or so; x is positive and finite.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> log_precise(B& b, const Pair<B>& x) {
  const Binary<B> parts = binary_parts(b, x.high);
  const auto one = b.f64_const(1.0), two = b.f64_const(2.0);
  const auto low = b.mul(x.low, b.from_bits(b.isub(b.bits(one), parts.shift)));
  const Pair<B> above = two_sum(b, b.sub(parts.m, one), low);
  const Pair<B> below = two_sum(b, parts.m, one);
  const Pair<B> s = quotient(b, above, Pair<B>{below.high, b.add(below.low, low)});
  const Pair<B> half = odd_series(b, s, false);
  const Pair<B> octaves = product(b, Pair<B>{parts.exponent, b.f64_const(0.0)},
                                  pair_const(b, constants::ln_2[0], constants::ln_2[1]));
  return sum(b, octaves, Pair<B>{b.mul(two, half.high), b.mul(two, half.low)});
}

/// |Gamma(x)| for y = |x| as e^stirling / divisor, or for a negative x as the inverse of that.
template <ArithmeticBuilder B>
struct GammaParts {
  Pair<B> stirling, divisor;
};

/// y is positive and at most 2^130, and |x| or less (and 60 or more) if that is larger; `offset` is that of |x|.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline GammaParts<B> gamma_parts(B& b, typename B::F64 y, typename B::F64 offset,
                                                        typename B::Bool negative) {
  const auto zero = b.f64_const(0.0);
  const auto small = b.f_less(y, b.f64_const(16.0));
  const auto shift = b.select(small, b.f64_const(16.0), zero);
  const Pair<B> far = two_sum(b, y, shift);  // 16 or more
  Pair<B> steps{y, zero};
  for (int k = 1; k < 16; ++k) steps = product(b, steps, two_sum(b, b.f64_const(k), b.select(small, y, zero)));
  steps = select(b, small, steps, pair_const(b, 1.0, 0.0));

  const Pair<B> inverse = quotient(b, pair_const(b, 1.0, 0.0), far);
  const Pair<B> square = product(b, inverse, inverse);
  const Pair<B> series = polynomial(b, square, constants::stirling_leading,
                                    polynomial(b, square.high, constants::stirling_rest));
  const Pair<B> less_half = sum(b, far, pair_const(b, -0.5, 0.0));
  const Pair<B> leading = sum(b, product(b, less_half, log_precise(b, far)), negated(b, far));
  const Pair<B> constant = pair_const(b, constants::half_log_two_pi[0], constants::half_log_two_pi[1]);
  const Pair<B> stirling = sum(b, leading, sum(b, constant, product(b, inverse, series)));

  // y sin(pi d) / pi = y d (1 - (pi d)^2 / 3! + ...)
  const auto distance = magnitude(b, offset);
  const Pair<B> angle = product(b, Pair<B>{distance, zero}, pair_const(b, constants::pi[0], constants::pi[1]));
  const Pair<B> angle_square = product(b, angle, angle);
  const Pair<B> sinc = polynomial(b, angle_square, constants::sinc_leading,
                                  polynomial(b, angle_square.high, constants::sinc_rest));
  const Pair<B> reflected = product(b, two_product(b, y, distance), sinc);
  // A pole, where d = 0, is treated by the callers.
  const Pair<B> by = select(b, b.f_less(zero, reflected.high), reflected, pair_const(b, 1.0, 0.0));
  return {stirling, select(b, negative, quotient(b, steps, by), steps)};
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 lgamma_wide(B& b, typename B::F64 x) {
  const auto zero = b.f64_const(0.0);
  const auto infinity = infinity_const(b);
  const FromInteger<B> near = from_integer_of(b, x);
  const auto size = magnitude(b, x);
  const auto positive = b.f_less(zero, x);
  const auto negative = b.f_less(x, zero);
  const auto ordinary = b.both(b.f_less(zero, size), b.f_less(size, infinity));
  const auto y = b.select(ordinary, at_most(b, size, 0x1p130), b.f64_const(1.0));
  const GammaParts<B> parts = gamma_parts(b, y, near.offset, negative);
  const Pair<B> value = sum(b, parts.stirling, negated(b, log_precise(b, parts.divisor)));
  const auto odd = rounded_to_odd(b, select(b, negative, negated(b, value), value));
  const auto same = [&](double number) { return b.i_equal(b.bits(x), b.bits(b.f64_const(number))); };
  const auto of_positive = b.select(same(1.0), zero, b.select(same(2.0), zero, odd));
  const auto of_negative = b.select(is_zero(b, near.offset), infinity, odd);  // and of both zeros
  const auto of_number = b.select(positive, of_positive, of_negative);
  return b.select(b.is_nan(x), x, b.select(b.f_less(size, infinity), of_number, infinity));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 gamma_wide(B& b, typename B::F64 x) {
  const auto zero = b.f64_const(0.0);
  const auto infinity = infinity_const(b);
  const FromInteger<B> near = from_integer_of(b, x);
  const auto size = magnitude(b, x);
  const auto positive = b.f_less(zero, x);
  const auto negative = b.f_less(x, zero);
  // From 60 on the result is too large for f32, and its inverse too small.
  const auto y = b.select(b.f_less(zero, size), at_most(b, size, 60.0), b.f64_const(1.0));
  const GammaParts<B> parts = gamma_parts(b, y, near.offset, negative);
  // e^stirling = 2^k e^r
  const auto shifter = b.f64_const(0x1.8p52);
  const auto shifted = b.add(b.mul(parts.stirling.high, b.f64_const(0x1.71547652b82fep+0)), shifter);
  const auto k = b.sub(shifted, shifter);
  const Pair<B> octaves =
      product(b, Pair<B>{b.neg(k), zero}, pair_const(b, constants::ln_2[0], constants::ln_2[1]));
  const Pair<B> factor = exp_precise(b, sum(b, parts.stirling, octaves));
  const auto scale = power_of_two(b, shifted);
  const Pair<B> power{b.mul(factor.high, scale), b.mul(factor.low, scale)};
  const Pair<B> ratio =
      quotient(b, select(b, negative, parts.divisor, power), select(b, negative, power, parts.divisor));
  const Pair<B> value = fast_two_sum(b, ratio.high, ratio.low);
  const auto whole = is_zero(b, near.offset);
  const auto factorial = b.both(whole, b.both(positive, b.f_less(x, b.f64_const(18.5))));
  const auto ordinary = b.select(factorial, value.high, rounded_to_odd(b, value));
  // Gamma(x) = 1/x - 0.577... + ... (5.7.1): below 2^-80 the remainder of 1/x decides, which is 0 or 2^-77 or more, because x
  // has 24 bits; if it is 0, the value lies below.
  const auto inverse = b.div(b.f64_const(1.0), b.select(is_zero(b, x), b.f64_const(1.0), x));
  const auto left = b.fma(b.neg(inverse), x, b.f64_const(1.0));
  const auto error = b.select(is_zero(b, left), b.f64_const(-1.0), with_sign_of(b, left, x));
  const auto tiny = b.f_less(size, b.f64_const(0x1p-80));
  const auto odd = b.select(tiny, rounded_to_odd(b, magnitude(b, inverse), with_sign_of(b, error, x)), ordinary);
  // The sign changes at every pole: that of (-1, 0) is negative.
  const auto one = b.i64_const(1);
  const auto beyond = b.select(b.f_less(zero, near.offset), one, b.i64_const(0));
  const auto sign = b.shl(b.iand(b.iadd(near.number, beyond), one), 63);
  const auto of_negative = b.select(whole, nan_const(b), b.from_bits(b.ior(b.bits(odd), sign)));
  const auto of_zero = with_sign_of(b, infinity, x);
  const auto number = b.select(positive, odd, b.select(is_zero(b, x), of_zero, of_negative));
  const auto of_infinity = b.select(positive, infinity, nan_const(b));
  return b.select(b.is_nan(x), x, b.select(b.f_less(size, infinity), number, of_infinity));
}

}  // namespace reckon::numerics
