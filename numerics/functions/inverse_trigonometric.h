// atan, asin and acos over any arithmetic builder.
//
// Method. The angle of the point (x, y), x, y >= 0, lies within pi/16 of one of five directions: 0, about pi/8, pi/4,
// about 3 pi/8 and pi/2, whose slopes t have few bits. The rest is the angle of (y - t x) / (x + t y), at most
// 0.2, whose arctangent is its first term and a polynomial that is below 2^-6 of it (minimax, 2^-64.5).
// asin x and acos x are angles of (sqrt(1 - x^2), x) and (x, sqrt(1 - x^2)).
#pragma once

#include "numerics/functions/pair.h"

namespace reckon::numerics {

/// The angle of a point is `base` + atan(t).
template <ArithmeticBuilder B>
struct Turned {
  Pair<B> base, t;
};

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Turned<B> turned(B& b, const Pair<B>& y, const Pair<B>& x) {
  struct Direction {
    double from, slope, high, low;  // from: the least slope that is nearest to it; then its slope and angle
  };
  constexpr Direction directions[] = {{0, 0, 0, 0},
                                      {0x1.975f5e0553158p-3, 0.4140625, 0x1.91fde7cd0c662p-2, 0x1.1074188054b53p-56},
                                      {0x1.561b82ab7f990p-1, 1, 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
                                      {0x1.7f218e25a7461p+0, 2.4140625, 0x1.2d9654c66566fp+0, 0x1.7bebc063c8655p-54}};
  const auto zero = b.f64_const(0.0);
  auto slope = zero;
  Pair<B> base{zero, zero};
  for (const Direction& direction : directions) {
    const auto near = b.f_less(b.mul(x.high, b.f64_const(direction.from)), y.high);
    slope = b.select(near, b.f64_const(direction.slope), slope);
    base = select(b, near, pair_const(b, direction.high, direction.low), base);
  }
  const auto steep = b.f_less(b.mul(x.high, b.f64_const(0x1.41bfee2424771p+2)), y.high);
  base = select(b, steep, pair_const(b, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54), base);
  const auto times = [&](const Pair<B>& value) {
    const Pair<B> high = two_product(b, value.high, slope);
    return Pair<B>{high.high, b.fma(value.low, slope, high.low)};
  };
  const Pair<B> above = select(b, steep, negated(b, x), sum(b, y, negated(b, times(x))));
  const Pair<B> below = select(b, steep, y, sum(b, x, times(y)));
  return {base, quotient(b, above, below)};
}

/// atan(y / x) for x, y >= 0, not both 0, finite, in [0, pi/2].
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> angle(B& b, const Pair<B>& y, const Pair<B>& x) {
  const auto [base, t] = turned(b, y, x);
  const auto z = b.mul(t.high, t.high);
  const auto a = polynomial(b, z, {-0x1.5555555555555p-2, 0x1.999999999969dp-3, -0x1.2492492453858p-3,
                                   0x1.c71c717c8d34bp-4, -0x1.745cff87cc861p-4, 0x1.3b0f537158a8dp-4,
                                   -0x1.10980da579cc1p-4, 0x1.d2ee828c38501p-5, -0x1.35af3057dcf2cp-5});
  const Pair<B> leading = two_sum(b, base.high, t.high);
  const auto rest = b.fma(b.mul(t.high, z), a, b.add(base.low, t.low));
  return fast_two_sum(b, leading.high, b.add(leading.low, rest));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 or_nan(B& b, typename B::Bool defined, typename B::F64 value) {
  return b.select(defined, value, nan_const(b));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 atan_wide(B& b, typename B::F64 x) {
  const auto size = magnitude(b, x);
  const Pair<B> value = angle(b, Pair<B>{at_most(b, size, 0x1p200), b.f64_const(0.0)}, pair_const(b, 1.0, 0.0));
  return b.select(b.is_nan(x), x, with_sign_of(b, rounded_to_odd(b, value), x));
}

/// sqrt(1 - size^2) for a size up to 1 of at most 26 bits.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> other_leg(B& b, typename B::F64 size) {
  const Pair<B> square = two_product(b, size, size);
  const Pair<B> left = two_sum(b, b.f64_const(1.0), b.neg(square.high));
  return square_root(b, fast_two_sum(b, left.high, b.sub(left.low, square.low)));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 asin_wide(B& b, typename B::F64 x) {
  const auto size = magnitude(b, x);
  const auto clamped = at_most(b, size, 1.0);
  const Pair<B> value = angle(b, Pair<B>{clamped, b.f64_const(0.0)}, other_leg(b, clamped));
  const auto inside = b.f_less(size, b.f64_const(0x1.0000000000001p+0));
  return or_nan(b, inside, with_sign_of(b, rounded_to_odd(b, value), x));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 acos_wide(B& b, typename B::F64 x) {
  const auto size = magnitude(b, x);
  const auto clamped = at_most(b, size, 1.0);
  const auto zero = b.f64_const(0.0);
  const Pair<B> first = angle(b, other_leg(b, clamped), Pair<B>{clamped, zero});
  const Pair<B> second = sum(b, pair_const(b, 0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53), negated(b, first));
  const auto inside = b.f_less(size, b.f64_const(0x1.0000000000001p+0));
  return or_nan(b, inside, rounded_to_odd(b, select(b, b.f_less(x, zero), second, first)));
}

}  // namespace reckon::numerics
