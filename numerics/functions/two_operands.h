// hypot, atan2 and pow of f32 and narrower formats, over any arithmetic builder.
//
// hypot is proven: x^2 + y^2 is exact as a pair, its rounded root has an exact remainder, and rounding to odd needs
// only the remainder's sign.
// atan2 and pow are computed to some 2^-95. That no pair of f32s has a result closer to a rounding boundary without lying on
// it is not proven: 2^64 pairs, scattered evenly, would come as close as 2^-88. atan2 never lies on one (y/x has more than 25
// bits, or is a number); where pow does, it is a power of a few exponents, which are recognised.
#pragma once

#include "numerics/functions/exponential.h"
#include "numerics/functions/inverse_trigonometric.h"
#include "numerics/functions/logarithm.h"
#include "numerics/functions/odd_series.h"

namespace reckon::numerics {

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 hypot_wide(B& b, typename B::F64 x, typename B::F64 y) {
  const auto infinity = infinity_const(b);
  const Pair<B> squares = two_sum(b, b.mul(x, x), b.mul(y, y));  // both exact
  const auto root = rounded_to_odd(b, square_root(b, squares));
  const auto x_finite = b.f_less(magnitude(b, x), infinity), y_finite = b.f_less(magnitude(b, y), infinity);
  const auto either_nan = b.add(x, y);
  const auto otherwise = b.select(b.is_nan(either_nan), either_nan, infinity);
  // If one operand is infinite, the result is infinite, even if the other one is a NaN.
  const auto special = b.select(is_infinite(b, x), infinity, b.select(is_infinite(b, y), infinity, otherwise));
  return b.select(b.both(x_finite, y_finite), root, special);
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 atan2_wide(B& b, typename B::F64 y, typename B::F64 x) {
  const auto zero = b.f64_const(0.0);
  // An infinity is far larger than every number; two infinities count as equal, and so do two zeros (x as positive).
  const auto other_size = [&](auto value, auto other, double far, double near) {
    return b.select(is_infinite(b, value), b.f64_const(far),
                    b.select(is_infinite(b, other), b.f64_const(near), magnitude(b, value)));
  };
  const auto both_infinite = b.both(is_infinite(b, x), is_infinite(b, y));
  const auto one = b.f64_const(1.0);
  const auto y_size = b.select(both_infinite, one, other_size(y, x, 0x1p400, 0.0));
  const auto x_some = b.select(both_infinite, one, other_size(x, y, 0x1p400, 0.0));
  const auto x_size = b.select(b.both(is_zero(b, x_some), is_zero(b, y_size)), one, x_some);

  const auto [base, t] = turned(b, Pair<B>{y_size, zero}, Pair<B>{x_size, zero});
  const Pair<B> first = sum(b, base, odd_series(b, t, true));
  const Pair<B> left = sum(b, pair_const(b, 0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53), negated(b, first));
  const auto negative = b.i_less_signed(b.bits(x), b.i64_const(0));
  const auto value = with_sign_of(b, rounded_to_odd(b, select(b, negative, left, first)), y);
  const auto either_nan = b.select(b.is_nan(x), x, y);
  return b.select(b.is_nan(either_nan), either_nan, value);
}

/// log2 |x| to 2^-100, x finite and not 0.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> log2_precise(B& b, typename B::F64 x) {
  const Binary<B> parts = binary_parts(b, x);
  const auto one = b.f64_const(1.0);
  const auto zero = b.f64_const(0.0);
  const Pair<B> s = quotient(b, Pair<B>{b.sub(parts.m, one), zero}, Pair<B>{b.add(parts.m, one), zero});
  const Pair<B> half = product(b, odd_series(b, s, false), pair_const(b, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56));
  const auto two = b.f64_const(2.0);
  return sum(b, Pair<B>{parts.exponent, zero}, Pair<B>{b.mul(two, half.high), b.mul(two, half.low)});
}

/// e^r to 2^-98, |r| <= 0.35.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> exp_precise(B& b, const Pair<B>& r) {
  constexpr double leading[10][2] = {
      {0x1p-1, 0},
      {0x1.5555555555555p-3, 0x1.5555555555555p-57},
      {0x1.5555555555555p-5, 0x1.5555555555555p-59},
      {0x1.1111111111111p-7, 0x1.1111111111111p-63},
      {0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65},
      {0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73},
      {0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76},
      {0x1.71de3a556c734p-19, -0x1.c154f8ddc6c00p-73},
      {0x1.27e4fb7789f5cp-22, 0x1.cbbc05b4fa99ap-76},
      {0x1.ae64567f544e4p-26, -0x1.c062e06d1f209p-80}};
  const auto tail = polynomial(b, r.high, {0x1.1eed8eff8d898p-29, 0x1.6124613a86d09p-33, 0x1.93974a8c07c9dp-37,
                                           0x1.ae7f3e733b81fp-41, 0x1.ae7f3e733b81fp-45, 0x1.952c77030ad4ap-49,
                                           0x1.6827863b97d97p-53, 0x1.2f49b46814157p-57, 0x1.e542ba4020225p-62,
                                           0x1.71b8ef6dcf572p-66, 0x1.0ce396db7f853p-70, 0x1.761b41316381ap-75});
  const Pair<B> rest = product(b, product(b, r, r), polynomial(b, r, leading, tail));
  return sum(b, pair_const(b, 1.0, 0.0), sum(b, r, rest));
}

/// x^y where neither is a NaN, from `positive`, which is |x|^y for a finite |x| above 0 (IEEE 754-2019, 9.2.1); `integer` and
/// `even`: whether y is an integer, and an even one.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 power_of_signed(B& b, typename B::F64 x, typename B::F64 y,
                                                              typename B::Bool integer, typename B::Bool even,
                                                              typename B::F64 positive) {
  const auto zero = b.f64_const(0.0);
  const auto infinity = infinity_const(b);
  const auto size = magnitude(b, x);
  const auto same = [&](auto value, auto other) { return b.i_equal(b.bits(value), b.bits(other)); };
  const auto y_negative = b.f_less(y, zero);
  const auto of_zero = b.select(y_negative, infinity, zero);
  const auto of_infinity = b.select(y_negative, zero, infinity);
  const auto absolute = b.select(same(size, zero), of_zero, b.select(same(size, infinity), of_infinity, positive));
  const auto signed_ = b.select(even, absolute, b.select(integer, with_sign_of(b, absolute, x), absolute));
  const auto rooted = b.both(b.f_less(x, zero), b.f_less(size, infinity));
  return b.select(rooted, b.select(integer, signed_, nan_const(b)), signed_);
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 pow_wide(B& b, typename B::F64 x, typename B::F64 y) {
  const auto zero = b.f64_const(0.0);
  const auto one = b.f64_const(1.0);
  const auto size = magnitude(b, x);
  const auto same = [&](auto value, auto other) { return b.i_equal(b.bits(value), b.bits(other)); };
  const auto is_integer = [&](auto value) {
    const auto shifter = b.f64_const(0x1p52);
    return same(b.sub(b.add(value, shifter), shifter), value);
  };

  // 2^(y log2 |x|). An exponent beyond 2^60 gives 0, 1 or infinity, as 2^60 does.
  const auto y_size = at_most(b, magnitude(b, y), 0x1p60);
  const auto exponent = with_sign_of(b, y_size, y);
  const Pair<B> power = product(b, log2_precise(b, at_most(b, size, 0x1p200)), Pair<B>{exponent, zero});
  const auto clamped = at_most(b, at_least(b, power.high, -400.0), 400.0);
  const auto shifter = b.f64_const(0x1.8p52);
  const auto shifted = b.add(clamped, shifter);
  const auto inside = same(clamped, power.high);
  const Pair<B> rest = two_sum(b, b.sub(clamped, b.sub(shifted, shifter)), b.select(inside, power.low, zero));
  const Pair<B> value = exp_precise(b, product(b, rest, pair_const(b, 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56)));
  // The result may be a number of 26 bits, or a midpoint of f32, only if y is an integer below 16 or a multiple of 1/8,
  // since an odd factor of x, 3 or more, is raised to the power y (powers of 2 come out exact by themselves).
  const auto grid = b.f64_const(0x1.8p26);
  const auto near = b.sub(b.add(value.high, grid), grid);
  const auto off = magnitude(b, b.add(b.sub(value.high, near), value.low));
  const auto few = b.both(b.f_less(y_size, b.f64_const(33.0)), is_integer(b.mul(y_size, b.f64_const(8.0))));
  const auto exact = b.both(few, b.f_less(off, b.f64_const(0x1p-85)));
  const auto odd = b.select(exact, near, rounded_to_odd(b, value));
  const auto positive = b.mul(odd, power_of_two(b, shifted));

  // IEEE 754-2019, 9.2.1.
  const auto integer = is_integer(y_size);
  const auto even = is_integer(b.mul(y_size, b.f64_const(0.5)));
  const auto real = power_of_signed(b, x, y, integer, even, positive);
  const auto either_nan = b.select(b.is_nan(x), x, b.select(b.is_nan(y), y, real));
  return b.select(is_zero(b, y), one, b.select(same(x, one), one, either_nan));
}

}  // namespace reckon::numerics
