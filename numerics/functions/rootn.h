// rootn(x, n), the n-th root for an integer n other than 0, below 2^53 in size, of f32 and narrower formats, over any
// arithmetic builder.
//
// |x|^(1/n) = 2^(log2 |x| / n), by the methods of pow (two_operands.h), to some 2^-95. Where the result is a number of
// 26 bits, x is its n-th power: the power of an odd factor of 3 or more has 24 bits at most if |n| <= 15, and a power
// of two that is an f32 has an exponent of 149 or less. So a value within 2^-85 of a number of 26 bits is that number
// if |n| < 150; values of other operands would come as close as 2^-58 for each n if they were scattered evenly. A
// midpoint of two f32s has 25 bits and an odd last one, and is a result of n = -1 alone, for powers of two.
#pragma once

#include "numerics/functions/two_operands.h"

namespace reckon::numerics {

/// Whether a value >= 0 is an integer, as all from 2^52 on are.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::Bool is_integer64(B& b, typename B::F64 value) {
  const auto shifter = b.f64_const(0x1p52);
  const auto nearest = b.sub(b.add(value, shifter), shifter);
  return b.i_equal(b.bits(b.select(b.f_less(value, shifter), nearest, value)), b.bits(value));
}

/// rootn(x, n) from `positive`, which is |x|^(1/n) for a finite |x| above 0 and an integer n other than 0 (IEEE
/// 754-2019, 9.2.1). An n that is no such integer gives a NaN.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 root_of_signed(B& b, typename B::F64 x, typename B::F64 n,
                                                             typename B::F64 positive) {
  const auto zero = b.f64_const(0.0);
  const auto infinity = infinity_const(b);
  const auto size = magnitude(b, x), degree = magnitude(b, n);
  const auto same = [&](auto value, auto other) { return b.i_equal(b.bits(value), b.bits(other)); };
  const auto inverted = b.f_less(n, zero);
  const auto of_zero = b.select(inverted, infinity, zero), of_infinity = b.select(inverted, zero, infinity);
  const auto absolute = b.select(same(size, zero), of_zero, b.select(same(size, infinity), of_infinity, positive));
  const auto even = is_integer64(b, b.mul(degree, b.f64_const(0.5)));
  const auto of_even = b.select(b.f_less(x, zero), nan_const(b), absolute);
  const auto root = b.select(even, of_even, with_sign_of(b, absolute, x));
  const auto some = b.both(b.f_less(zero, degree), b.f_less(degree, b.f64_const(0x1p53)));
  return b.select(b.both(some, is_integer64(b, degree)), root, nan_const(b));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 rootn_wide(B& b, typename B::F64 x, typename B::F64 n) {
  const auto size = magnitude(b, x);
  const auto degree = at_least(b, at_most(b, magnitude(b, n), 0x1p53), 1.0);
  const auto divisor = with_sign_of(b, degree, n);
  const auto ordinary = b.both(b.f_less(b.f64_const(0.0), size), b.f_less(size, b.f64_const(0x1p200)));
  const Pair<B> logarithm = log2_precise(b, b.select(ordinary, size, b.f64_const(1.0)));
  const auto first = b.div(logarithm.high, divisor);
  const auto left = b.add(b.fma(b.neg(first), divisor, logarithm.high), logarithm.low);  // the fma is exact
  const Pair<B> exponent = fast_two_sum(b, first, b.div(left, divisor));
  const auto shifter = b.f64_const(0x1.8p52);
  const auto shifted = b.add(exponent.high, shifter);
  const Pair<B> rest = two_sum(b, b.sub(exponent.high, b.sub(shifted, shifter)), exponent.low);
  const Pair<B> value = exp_precise(b, product(b, rest, pair_const(b, 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56)));
  const auto grid = b.f64_const(0x1.8p26);
  const auto near = b.sub(b.add(value.high, grid), grid);
  const auto off = magnitude(b, b.add(b.sub(value.high, near), value.low));
  const auto exact = b.both(b.f_less(degree, b.f64_const(150.0)), b.f_less(off, b.f64_const(0x1p-85)));
  const auto positive = b.mul(b.select(exact, near, rounded_to_odd(b, value)), power_of_two(b, shifted));
  const auto root = root_of_signed(b, x, n, positive);
  return b.select(b.is_nan(x), x, b.select(b.is_nan(n), n, root));
}

}  // namespace reckon::numerics
