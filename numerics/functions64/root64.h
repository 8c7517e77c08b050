// rsqrt, cbrt and hypot of f64, correctly rounded, over any arithmetic builder: an approximate root in f64 and the
// corrections from its remainder.
//
// rsqrt and cbrt have errors below 2^-150 (estimated; measured: 2^-152). A midpoint of two f64s, which has 54 bits, is
// the root of no f64, since its square or cube would have twice or three times as many. How close the roots come to one
// is a property of numbers of 53 bits which is known to be harmless (functions64.h).
//
// hypot is proven but for the ordinary estimates of rounding errors: where x^2 + y^2 may be near the square of a
// midpoint, the remainder of the square is computed exactly, so that its sign, or that it is 0, is right.
#pragma once

#include "numerics/functions/root.h"
#include "numerics/functions64/exponential64.h"

namespace reckon::numerics {

/// The machine's operation, with one NaN for all.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 sqrt_f64(B& b, typename B::F64 x) {
  const auto root = b.sqrt(x);
  return unless_nan(b, root, root);
}

/// x = 4^k m with m in [1, 4). With y near m^(-1/2) and e = 1 - m y^2, m^(-1/2) = y (1 + e/2 + 3 e^2/8 + ...); e is
/// below 2^-50.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 rsqrt_f64(B& b, typename B::F64 x) {
  const auto zero = b.f64_const(0.0);
  const auto one = b.f64_const(1.0);
  const auto subnormal = b.f_less(x, b.f64_const(0x1p-1022));
  const auto value = b.select(subnormal, b.mul(x, b.f64_const(0x1p64)), x);
  const auto k = b.ashr(b.isub(b.bits(value), b.bits(one)), 53);
  const auto m = b.from_bits(b.isub(b.bits(value), b.shl(k, 53)));
  const auto y = b.div(one, b.sqrt(m));
  const Pair<B> square = two_product(b, y, y);
  const Pair<B> large = two_product(b, square.high, m);
  const Pair<B> small = two_product(b, square.low, m);
  const Pair<B> first = two_sum(b, b.sub(one, large.high), b.neg(large.low));
  const Pair<B> second = two_sum(b, first.high, b.neg(small.high));
  const auto half = b.f64_const(0.5);
  const auto low = b.mul(half, b.sub(b.add(first.low, second.low), small.low));
  const auto correction = b.fma(b.mul(second.high, second.high), b.f64_const(0.375), low);
  const Pair<B> leading = two_product(b, y, b.mul(half, second.high));
  const Triple<B> root = normalised_fast(b, y, leading.high, b.fma(y, correction, leading.low));
  const auto offset = b.select(subnormal, b.i64_const(32), b.i64_const(0));
  const auto result = rounded(b, times_power(b, root, power_of_two_int(b, b.isub(offset, k))));
  const auto infinity = infinity_const(b);
  const auto positive = b.select(b.f_less(x, infinity), result, zero);
  const auto of_zero = with_sign_of(b, infinity, x);
  const auto not_positive = b.select(is_zero(b, x), of_zero, nan_const(b));
  return b.select(b.f_less(zero, x), positive, not_positive);  // a NaN is not above zero
}

/// With y near x^(1/3) and e = (x - y^3) / y^3, x^(1/3) = y (1 + e/3 - e^2/9 + ...); e is below 2^-48.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 cbrt_f64(B& b, typename B::F64 x) {
  const auto zero = b.f64_const(0.0);
  const auto by_size = [&](double moderate, double small, double large) {
    return b.select(b.f_less(magnitude(b, x), b.f64_const(0x1p-300)), b.f64_const(small),
                    b.select(b.f_less(magnitude(b, x), b.f64_const(0x1p600)), b.f64_const(moderate),
                             b.f64_const(large)));
  };
  const auto size = b.mul(magnitude(b, x), by_size(1, 0x1p900, 0x1p-900));
  const auto y = near_cube_root(b, size);
  const Pair<B> square = two_product(b, y, y);
  const Pair<B> large = two_product(b, square.high, y);
  const Pair<B> small = two_product(b, square.low, y);
  const Pair<B> first = two_sum(b, b.sub(size, large.high), b.neg(large.low));
  const Pair<B> second = two_sum(b, first.high, b.neg(small.high));
  const Pair<B> left = fast_two_sum(b, second.high, b.sub(b.add(first.low, second.low), small.low));
  const Pair<B> cube = fast_two_sum(b, large.high, b.add(large.low, small.high));
  const Pair<B> e = quotient(b, left, cube);
  const Pair<B> linear = product(b, e, pair_const(b, constants64::third[0], constants64::third[1]));
  const auto correction = b.fma(b.mul(e.high, e.high), b.f64_const(-1.0 / 9), linear.low);
  const Pair<B> leading = two_product(b, y, linear.high);
  const Triple<B> root = normalised_fast(b, y, leading.high, b.fma(y, correction, leading.low));
  const auto value = with_sign_of(b, rounded(b, times_power(b, root, by_size(1, 0x1p-300, 0x1p300))), x);
  // 0 and infinities are their own roots.
  const auto ordinary = b.both(b.f_less(zero, size), b.f_less(size, infinity_const(b)));
  return unless_nan(b, x, b.select(ordinary, value, x));
}

/// Both operands are scaled so that the larger one is in [1, 2).
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 hypot_f64(B& b, typename B::F64 x, typename B::F64 y) {
  const auto zero = b.f64_const(0.0);
  const auto x_size = magnitude(b, x), y_size = magnitude(b, y);
  const auto x_less = b.f_less(x_size, y_size);
  const auto larger = b.select(x_less, y_size, x_size), smaller = b.select(x_less, x_size, y_size);
  const auto tiny = b.f_less(larger, b.f64_const(0x1p-500));
  const auto huge = b.f_less(b.f64_const(0x1p500), larger);
  const auto moderate = b.select(tiny, b.f64_const(0x1p600), b.select(huge, b.f64_const(0x1p-600), b.f64_const(1.0)));
  const auto field = b.lshr(b.bits(b.mul(larger, moderate)), 52);
  const auto k = b.isub(field, b.i64_const(1023));
  const auto scale = power_of_two_int(b, b.isub(b.i64_const(0), k));
  const auto u = b.mul(b.mul(larger, moderate), scale);
  const auto any = b.mul(b.mul(smaller, moderate), scale);
  const auto v = b.select(b.f_less(any, b.f64_const(0x1p-60)), zero, any);  // it would not change the rounded u

  const Pair<B> u_square = two_product(b, u, u);
  const Pair<B> v_square = two_product(b, v, v);
  const Pair<B> squares = two_sum(b, u_square.high, v_square.high);
  const auto root = b.sqrt(squares.high);
  const auto half_inverse = b.div(b.f64_const(0.5), root);
  const auto left = b.fma(b.neg(root), root, squares.high);  // exact
  const auto rest = b.add(left, b.add(squares.low, b.add(u_square.low, v_square.low)));
  // The correction to the nearest multiple of 2^-53: half an ulp of the root, or a quarter if that is above 2.
  const auto shifter = b.f64_const(0x1.8p-1);
  const auto second = b.sub(b.add(b.mul(rest, half_inverse), shifter), shifter);
  // The remainder, u^2 + v^2 - (root + second)^2. If it is near 0 and `second` a midpoint, then v > 2^-27, for
  // otherwise the hypotenuse exceeds u by less than a quarter of an ulp. So all terms are multiples of 2^-158, and
  // below 2^-48: their sum comes out exactly from the two totals. What is left out of the last part of the Triple is
  // 2^-53 of it, so that its sign is right: more precision is not needed, because only at a multiple of 2^-53, root +
  // second, can anything be decided.
  const Pair<B> crossed = two_product(b, b.mul(root, b.f64_const(-2.0)), second);
  const Total<B, 7> terms = total_of<B, 7>(b, {left, crossed.high, squares.low, u_square.low, v_square.low, crossed.low,
                                               b.neg(b.mul(second, second))});
  const Total<B, 6> errors = total_of<B, 6>(b, {terms.error[0], terms.error[1], terms.error[2], terms.error[3],
                                                terms.error[4], terms.error[5]});
  auto lowest = errors.error[0];
  for (int i = 1; i < 5; ++i) lowest = b.add(lowest, errors.error[i]);
  const auto remainder = b.add(terms.total, b.add(errors.total, lowest));
  const Triple<B> value = normalised_fast(b, root, second, b.mul(remainder, half_inverse));
  const auto minus_moderate =
      b.select(tiny, b.i64_const(static_cast<std::uint64_t>(-600)), b.select(huge, b.i64_const(600), b.i64_const(0)));
  const auto result = b.select(is_zero(b, larger), zero, rounded(b, value, b.iadd(k, minus_moderate)));

  const auto infinity = infinity_const(b);
  const auto number = b.select(b.is_nan(b.add(x, y)), nan_const(b), result);
  // If one operand is infinite, the result is infinite, even if the other one is a NaN.
  return b.select(is_infinite(b, x), infinity, b.select(is_infinite(b, y), infinity, number));
}

}  // namespace reckon::numerics
