// sin, cos and tan of f64, correctly rounded, over any arithmetic builder, for every argument.
//
// Reduction: t = |x| 2/pi mod 4 to 2^-208, as an expansion of f64s. 2/pi is cut into pieces of 53 bits, whose products
// with x are exact pairs. With X = |x| 2^-53j, j so large that X has an ulp below 2^55 (or j = 0), the pieces before
// the j-th one contribute multiples of 4, and six pieces from the j-th on are enough: they are selected by the bits of
// j. (The idea of dropping multiples of the period before multiplying: Payne and Hanek, SIGNUM 18, 1983.) No f64 comes
// closer to a multiple of pi/2 than a relative 2^-61 or so, so that after the nearest integer is taken out of t, some
// 2^-146 are left.
//
// Then r = pi/2 times the rest, and sin r = r (1 - r^2/3! + ...), cos r = 1 - r^2/2! + ..., 17 terms each; the one that
// is needed has its coefficients selected.
//
// Error budget of the series: what is left out is below 2^-130; the terms that are pairs are below 2^-23 and have
// errors of 2^-103, the doubles 2^-75 and 2^-52: some 2^-125; for tan twice that. (Measured: 2^-128 or less.)
#pragma once

#include "numerics/functions64/exponential64.h"

namespace reckon::numerics {

/// |x| = quadrant * pi/2 + r.
template <ArithmeticBuilder B>
struct Reduced64 {
  typename B::I64 quadrant;  ///< its low two bits count
  Triple<B> r, square;
};

/// The six pieces of 2/pi from the j-th one on, j <= 18.
template <ArithmeticBuilder B>
struct Pieces64 {
  typename B::F64 piece[24];
};
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pieces64<B> pieces_from(B& b, typename B::I64 j) {
  Pieces64<B> at;
  for (int k = 0; k < 24; ++k) at.piece[k] = b.f64_const(constants64::two_over_pi[k]);
  int needed = 8;  // from the 16th on
  for (int bit = 16; bit > 0; bit /= 2) {
    const auto none = b.i_equal(b.iand(j, b.i64_const(static_cast<std::uint64_t>(bit))), b.i64_const(0));
    for (int k = 0; k < needed; ++k) at.piece[k] = b.select(none, at.piece[k], at.piece[k + bit]);
    needed = 5 + bit / 2;
  }
  return at;
}

/// For a finite x.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Reduced64<B> reduced64(B& b, typename B::F64 x) {
  const auto size = magnitude(b, x);
  // The ulp of |x| is 2^(field - 1075), and should be 2^(53j + 2) or more, but less than 2^(53j + 55).
  const auto field = number_of_int(b, b.lshr(b.bits(size), 52));
  const auto group = b.mul(b.sub(field, b.f64_const(1077.0 + 26.0)), b.f64_const(1.0 / 53));
  const auto j = nearest_int(b, at_least(b, group, 0.0));
  const auto pieces = pieces_from(b, j.word);
  const auto shift = nearest_int(b, b.mul(j.number, b.f64_const(-53.0)));
  const auto scaled = b.mul(size, power_of_two_int(b, shift.word));
  constexpr double weights[6] = {0x1p-53, 0x1p-106, 0x1p-159, 0x1p-212, 0x1p-265, 0x1p-318};
  Pair<B> part[5];
  for (int k = 0; k < 5; ++k) part[k] = two_product(b, b.mul(scaled, b.f64_const(weights[k])), pieces.piece[k]);
  const auto part5 = b.mul(b.mul(scaled, b.f64_const(weights[5])), pieces.piece[5]);
  // Multiples of 4 are removed: adding 1.5 * 2^54 rounds to such a multiple. This is right up to 2^100; before, what is
  // 2^60 or more is a multiple of 4 itself.
  const auto mod4 = [&](auto value) {
    const auto shifter = b.f64_const(0x1.8p54);
    return b.sub(value, b.sub(b.add(value, shifter), shifter));
  };
  const auto leading = b.select(b.f_less(part[0].high, b.f64_const(0x1p60)), part[0].high, b.f64_const(0.0));
  // Four sums of parts of about one order of magnitude, whose errors belong to the next one.
  const Total<B, 5> first =
      total_of<B, 5>(b, {mod4(leading), mod4(part[0].low), mod4(part[1].high), mod4(part[1].low), part[2].high});
  const Total<B, 6> second =
      total_of<B, 6>(b, {part[2].low, part[3].high, first.error[0], first.error[1], first.error[2], first.error[3]});
  const Total<B, 7> third = total_of<B, 7>(b, {part[3].low, part[4].high, second.error[0], second.error[1],
                                               second.error[2], second.error[3], second.error[4]});
  auto fourth = b.add(part[4].low, part5);
  for (const auto& error : third.error) fourth = b.add(fourth, error);

  const auto quadrant = nearest_int(b, first.total);
  const Pair<B> lowest = two_sum(b, third.total, fourth);
  const Pair<B> middle = two_sum(b, second.total, lowest.high);
  const Pair<B> highest = two_sum(b, b.sub(first.total, quadrant.number), middle.high);
  const Pair<B> next = two_sum(b, highest.low, middle.low);
  const Triple<B> turns = normalised(b, highest.high, next.high, b.add(next.low, lowest.low));
  const Triple<B> r = product(b, turns, triple_const(b, constants64::half_pi));
  return {quadrant.word, r, product(b, r, r)};
}

/// The value if x is finite; the canonical NaN if not.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 if_finite64(B& b, typename B::F64 x, typename B::F64 value) {
  return b.select(b.f_less(magnitude(b, x), infinity_const(b)), value, nan_const(b));
}

/// The sine of the angle that is `quadrant` quarter turns larger than r.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 sine_of(B& b, const Reduced64<B>& x, typename B::I64 quadrant) {
  const auto even = b.i_equal(b.iand(quadrant, b.i64_const(1)), b.i64_const(0));
  const auto series =
      select(b, even, coefficients(b, constants64::sine_series), coefficients(b, constants64::cosine_series));
  const Triple<B> factor = select(b, even, x.r, triple_of(b, b.f64_const(1.0)));
  const auto value = rounded(b, product(b, polynomial(b, x.square, series), factor));
  return b.from_bits(b.ixor(b.bits(value), b.shl(b.iand(quadrant, b.i64_const(2)), 62)));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 sin_f64(B& b, typename B::F64 x) {
  const Reduced64<B> reduced = reduced64(b, x);
  return if_finite64(b, x, odd_value(b, x, 0x1p-27, sine_of(b, reduced, reduced.quadrant)));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 cos_f64(B& b, typename B::F64 x) {
  const Reduced64<B> reduced = reduced64(b, x);
  return if_finite64(b, x, sine_of(b, reduced, b.iadd(reduced.quadrant, b.i64_const(1))));
}

/// tan r, or -1 / tan r one quarter turn further.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 tan_f64(B& b, typename B::F64 x) {
  const Reduced64<B> reduced = reduced64(b, x);
  const Triple<B> sine = product(b, polynomial(b, reduced.square, constants64::sine_series), reduced.r);
  const Triple<B> cosine = polynomial(b, reduced.square, constants64::cosine_series);
  const auto odd = b.iand(reduced.quadrant, b.i64_const(1));
  const auto even = b.i_equal(odd, b.i64_const(0));
  const auto value = rounded(b, quotient(b, select(b, even, sine, cosine), select(b, even, cosine, sine)));
  return if_finite64(b, x, odd_value(b, x, 0x1p-27, b.from_bits(b.ixor(b.bits(value), b.shl(odd, 63)))));
}

}  // namespace reckon::numerics
