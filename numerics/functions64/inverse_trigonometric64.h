// atan, asin, acos and atan2 of f64, correctly rounded, over any arithmetic builder.
//
// Method. The angle of the point (x, y), x, y >= 0, lies within pi/32 or little more of one of nine directions: 0,
// about pi/16, ..., about 7 pi/16, and pi/2, whose slopes t have few bits. The rest is the angle of
// (y - t x) / (x + t y), whose arctangent is a series of 19 terms. asin x and acos x are the angles of the points
// (sqrt(1 - x^2), x) and (x, sqrt(1 - x^2)).
//
// Error budget, relative to the angle: what is left out of the series is below 2^-130; the terms that are pairs are
// below 2^-23 and have errors of 2^-103, the doubles 2^-75 and 2^-52: some 2^-125. (Measured: 2^-130 or less.)
#pragma once

#include "numerics/functions64/exponential64.h"

namespace reckon::numerics {

/// atan(y / x) for x, y >= 0, not both 0, in [0, pi/2]; neither is below 2^-250 unless it is 0, or above 2^250.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<B> angle(B& b, const Triple<B>& y, const Triple<B>& x) {
  auto slope = b.f64_const(0.0);
  Triple<B> base = triple_of(b, b.f64_const(0.0));
  for (int k = 1; k < 8; ++k) {
    const auto near = b.f_less(b.mul(x.high, b.f64_const(constants64::directions[k].from)), y.high);
    slope = b.select(near, b.f64_const(constants64::directions[k].slope), slope);
    base = select(b, near, triple_const(b, constants64::directions[k].angle), base);
  }
  const auto steep = b.f_less(b.mul(x.high, b.f64_const(constants64::steep)), y.high);
  base = select(b, steep, triple_const(b, constants64::half_pi), base);
  const Triple<B> above = select(b, steep, negated(b, x), sum(b, y, negated(b, product(b, x, slope))));
  const Triple<B> below = select(b, steep, y, sum(b, x, product(b, y, slope)));
  const Triple<B> t = quotient(b, above, below);
  return sum(b, base, product(b, polynomial(b, product(b, t, t), constants64::atan_series), t));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 atan_f64(B& b, typename B::F64 x) {
  const Triple<B> y = triple_of(b, at_most(b, magnitude(b, x), 0x1p200));
  return odd_value(b, x, 0x1p-27, rounded(b, angle(b, y, triple_of(b, b.f64_const(1.0)))));
}

/// sqrt(1 - size^2) for a size up to 1.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<B> other_leg64(B& b, typename B::F64 size) {
  const auto one = b.f64_const(1.0);
  const Triple<B> less = triple_of(b, fast_two_sum(b, one, b.neg(size)));
  return square_root(b, product(b, less, triple_of(b, fast_two_sum(b, one, size))));
}

/// The value if |x| <= 1, otherwise the canonical NaN.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 in_unit64(B& b, typename B::F64 x, typename B::F64 value) {
  return b.select(b.f_less(magnitude(b, x), b.f64_const(0x1.0000000000001p+0)), value, nan_const(b));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 asin_f64(B& b, typename B::F64 x) {
  const auto size = at_most(b, at_least(b, magnitude(b, x), 0x1p-200), 1.0);
  const auto value = rounded(b, angle(b, triple_of(b, size), other_leg64(b, size)));
  return in_unit64(b, x, odd_value(b, x, 0x1p-27, value));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 acos_f64(B& b, typename B::F64 x) {
  const auto size = at_most(b, at_least(b, magnitude(b, x), 0x1p-200), 1.0);
  const Triple<B> first = angle(b, other_leg64(b, size), triple_of(b, size));
  const Triple<B> second = sum(b, triple_const(b, constants64::pi), negated(b, first));
  return in_unit64(b, x, rounded(b, select(b, b.f_less(x, b.f64_const(0.0)), second, first)));
}

/// x = 2^exponent * m, m in [1, 2), for x > 0; m = 0 for 0.
template <ArithmeticBuilder B>
struct Scaled64 {
  typename B::F64 m;
  typename B::I64 exponent;
};
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Scaled64<B> scaled64(B& b, typename B::F64 x) {
  const auto subnormal = b.f_less(x, b.f64_const(0x1p-1022));
  const auto normal = b.bits(b.select(subnormal, b.mul(x, b.f64_const(0x1p64)), x));
  const auto one = b.bits(b.f64_const(1.0));
  const auto m = b.from_bits(b.ior(b.iand(normal, b.i64_const(0x000fffffffffffff)), one));
  const auto offset = b.select(subnormal, b.i64_const(1023 + 64), b.i64_const(1023));
  return {b.select(is_zero(b, x), b.f64_const(0.0), m), b.isub(b.lshr(normal, 52), offset)};
}

/// y / x is kept between 2^-201 and 2^201. Beyond, the angle does not change any more, except that small ones are
/// multiplied by what is missing. If such a small quotient is a midpoint of subnormal numbers, it is exact, and the
/// Triple still has the next term of the series, which is below it and breaks the tie.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 atan2_f64(B& b, typename B::F64 y, typename B::F64 x) {
  const auto one = b.f64_const(1.0);
  // An infinity is far larger than every number; two infinities count as equal, and so do two zeros (x as positive).
  const auto both_infinite = b.both(is_infinite(b, x), is_infinite(b, y));
  const auto size_of = [&](auto value, auto other) {
    const auto finite = b.select(is_infinite(b, other), b.f64_const(0.0), magnitude(b, value));
    return b.select(both_infinite, one, b.select(is_infinite(b, value), one, finite));
  };
  const auto y_size = size_of(y, x);
  const auto x_some = size_of(x, y);
  const auto x_size = b.select(b.both(is_zero(b, x_some), is_zero(b, y_size)), one, x_some);

  const Scaled64<B> upward = scaled64(b, y_size), onward = scaled64(b, x_size);
  const auto distance = b.isub(upward.exponent, onward.exponent);
  const auto most = b.i64_const(200), least = b.i64_const(static_cast<std::uint64_t>(-200));
  const auto high = b.select(b.i_less_signed(distance, most), distance, most);
  const auto within = b.select(b.i_less_signed(high, least), least, high);
  const Triple<B> first = angle(b, triple_of(b, b.mul(upward.m, power_of_two_int(b, within))), triple_of(b, onward.m));
  const Triple<B> left = sum(b, triple_const(b, constants64::pi), negated(b, first));
  const auto negative = b.i_less_signed(b.bits(x), b.i64_const(0));
  const auto none = b.i64_const(0);
  const auto small = b.i_less_signed(distance, least);
  const auto missing = b.select(negative, none, b.select(small, b.isub(distance, least), none));
  const auto value = with_sign_of(b, rounded(b, select(b, negative, left, first), missing), y);
  return unless_nan(b, x, unless_nan(b, y, value));
}

}  // namespace reckon::numerics
