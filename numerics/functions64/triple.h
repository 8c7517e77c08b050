// Unevaluated sums of three f64s (triple-double), over any arithmetic builder, and the one rounding at the end of an
// f64 function.
//
// A Triple is normalised if |middle| is at most half an ulp of high and |low| at most half an ulp of middle, up to a
// relative 2^-50 of these bounds. Sums, products, quotients and roots take and give normalised Triples. Their errors
// are estimated from the sizes of the terms that are rounded or left out: below 2^-152 of the result, for sums below
// 2^-155 (|x| + |y|). They hold as long as no product of two parts underflows, and nothing overflows: the functions
// scale their arguments so that this is so.
//
// Sources: the error-free transformations of pair.h; the idea of summing the products of parts by their order of
// magnitude: Hida, Li and Bailey, "Algorithms for quad-double precision floating point arithmetic", ARITH 15, 2001.
#pragma once

#include <cstddef>

#include "numerics/functions/pair.h"

namespace reckon::numerics {

/// high + middle + low.
template <ArithmeticBuilder B>
struct Triple {
  typename B::F64 high, middle, low;
};

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<B> triple_const(B& b, const double (&parts)[3]) {
  return {b.f64_const(parts[0]), b.f64_const(parts[1]), b.f64_const(parts[2])};
}
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<B> triple_of(B& b, typename B::F64 x) {
  return {x, b.f64_const(0.0), b.f64_const(0.0)};
}
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<B> triple_of(B& b, const Pair<B>& x) {
  return {x.high, x.low, b.f64_const(0.0)};
}
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<B> negated(B& b, const Triple<B>& x) {
  return {b.neg(x.high), b.neg(x.middle), b.neg(x.low)};
}
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<B> select(B& b, typename B::Bool condition, const Triple<B>& x,
                                               const Triple<B>& y) {
  return {b.select(condition, x.high, y.high), b.select(condition, x.middle, y.middle),
          b.select(condition, x.low, y.low)};
}

/// x times a power of two.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<B> times_power(B& b, const Triple<B>& x, typename B::F64 power) {
  return {b.mul(x.high, power), b.mul(x.middle, power), b.mul(x.low, power)};
}

/// x1 + ... + xn = `total` + the sum of the errors, exactly.
template <ArithmeticBuilder B, std::size_t n>
struct Total {
  typename B::F64 total, error[n - 1];
};
template <ArithmeticBuilder B, std::size_t n>
[[gnu::always_inline]] inline Total<B, n> total_of(B& b, const typename B::F64 (&terms)[n]) {
  Total<B, n> result;
  result.total = terms[0];
  for (std::size_t k = 1; k < n; ++k) {
    const Pair<B> both = two_sum(b, result.total, terms[k]);
    result.total = both.high;
    result.error[k - 1] = both.low;
  }
  return result;
}

/// high + middle + low, normalised. |high| >= |middle| or nearly so; either may be the result of a cancellation.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<B> normalised(B& b, typename B::F64 high, typename B::F64 middle,
                                                   typename B::F64 low) {
  const Pair<B> rest = two_sum(b, middle, low);
  const Pair<B> leading = two_sum(b, high, rest.high);
  const Pair<B> trailing = two_sum(b, leading.low, rest.low);
  return {leading.high, trailing.high, trailing.low};
}

/// The same if |middle| < |high| / 4, and |low| is not larger than an ulp of high.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<B> normalised_fast(B& b, typename B::F64 high, typename B::F64 middle,
                                                        typename B::F64 low) {
  const Pair<B> leading = fast_two_sum(b, high, middle);
  const Pair<B> trailing = two_sum(b, leading.low, low);
  return {leading.high, trailing.high, trailing.low};
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<B> sum(B& b, const Triple<B>& x, const Triple<B>& y) {
  const Pair<B> high = two_sum(b, x.high, y.high);
  const Pair<B> middle = two_sum(b, x.middle, y.middle);
  const Pair<B> carried = two_sum(b, high.low, middle.high);
  const auto low = b.add(b.add(x.low, y.low), b.add(middle.low, carried.low));
  return normalised(b, high.high, carried.high, low);
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<B> sum(B& b, const Triple<B>& x, typename B::F64 y) {
  const Pair<B> high = two_sum(b, x.high, y);
  const Pair<B> middle = two_sum(b, x.middle, high.low);
  return normalised(b, high.high, middle.high, b.add(x.low, middle.low));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<B> product(B& b, const Triple<B>& x, const Triple<B>& y) {
  const Pair<B> high = two_product(b, x.high, y.high);
  const Pair<B> first = two_product(b, x.high, y.middle);
  const Pair<B> second = two_product(b, x.middle, y.high);
  const Pair<B> crossed = two_sum(b, first.high, second.high);
  const Pair<B> middle = two_sum(b, high.low, crossed.high);
  const auto third = b.fma(x.high, y.low, b.fma(x.middle, y.middle, b.mul(x.low, y.high)));
  const auto low = b.add(b.add(third, b.add(first.low, second.low)), b.add(crossed.low, middle.low));
  return normalised_fast(b, high.high, middle.high, low);
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<B> product(B& b, const Triple<B>& x, typename B::F64 y) {
  const Pair<B> high = two_product(b, x.high, y);
  const Pair<B> second = two_product(b, x.middle, y);
  const Pair<B> middle = two_sum(b, high.low, second.high);
  return normalised_fast(b, high.high, middle.high, b.add(b.fma(x.low, y, second.low), middle.low));
}

/// x / y; y is not 0. If the quotient is an f64 and x and y are, the result is exact.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<B> quotient(B& b, const Triple<B>& x, const Triple<B>& y) {
  const auto inverse = b.div(b.f64_const(1.0), y.high);
  const auto first = b.div(x.high, y.high);
  const auto minus = b.neg(first);
  const auto left = b.fma(minus, y.high, x.high);  // exact
  const Pair<B> crossed = two_product(b, minus, y.middle);
  const Pair<B> some = two_sum(b, left, x.middle);
  const Pair<B> rest = two_sum(b, some.high, crossed.high);
  const auto low = b.add(b.add(b.fma(minus, y.low, x.low), crossed.low), b.add(some.low, rest.low));
  const auto second = b.mul(rest.high, inverse);
  const auto last = b.add(b.fma(b.neg(second), y.high, rest.high), b.fma(b.neg(second), y.middle, low));
  return normalised_fast(b, first, second, b.mul(last, inverse));
}

/// The square root of x >= 0; the root of 0 is 0.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<B> square_root(B& b, const Triple<B>& x) {
  const auto zero = b.f64_const(0.0);
  const auto first = b.sqrt(x.high);
  const auto half_inverse = b.select(b.f_less(zero, first), b.div(b.f64_const(0.5), first), zero);
  const Pair<B> left = two_sum(b, b.fma(b.neg(first), first, x.high), x.middle);  // the fma is exact
  const auto second = b.mul(left.high, half_inverse);
  const auto twice = b.mul(second, b.f64_const(-2.0));
  const auto rest = b.add(b.fma(twice, first, left.high), b.fma(b.neg(second), second, b.add(left.low, x.low)));
  return normalised_fast(b, first, second, b.mul(rest, half_inverse));
}

/// The coefficients of c0 + c1 x + c2 x^2 + ..., from the first: as many as need it have three parts or two.
template <int triples, int pairs, int singles>
struct Series {
  double triple[triples][3];
  double pair[pairs][2];
  double single[singles];
};

/// The same as values of a builder.
template <ArithmeticBuilder B, int triples, int pairs, int singles>
struct Coefficients {
  Triple<B> triple[triples];
  Pair<B> pair[pairs];
  typename B::F64 single[singles];
};

template <ArithmeticBuilder B, int triples, int pairs, int singles>
[[gnu::always_inline]] inline Coefficients<B, triples, pairs, singles> coefficients(
    B& b, const Series<triples, pairs, singles>& series) {
  Coefficients<B, triples, pairs, singles> result;
  for (int k = 0; k < triples; ++k) result.triple[k] = triple_const(b, series.triple[k]);
  for (int k = 0; k < pairs; ++k) result.pair[k] = pair_const(b, series.pair[k][0], series.pair[k][1]);
  for (int k = 0; k < singles; ++k) result.single[k] = b.f64_const(series.single[k]);
  return result;
}

template <ArithmeticBuilder B, int triples, int pairs, int singles>
[[gnu::always_inline]] inline Coefficients<B, triples, pairs, singles> select(
    B& b, typename B::Bool condition, const Coefficients<B, triples, pairs, singles>& x,
    const Coefficients<B, triples, pairs, singles>& y) {
  Coefficients<B, triples, pairs, singles> result;
  for (int k = 0; k < triples; ++k) result.triple[k] = select(b, condition, x.triple[k], y.triple[k]);
  for (int k = 0; k < pairs; ++k) result.pair[k] = select(b, condition, x.pair[k], y.pair[k]);
  for (int k = 0; k < singles; ++k) result.single[k] = b.select(condition, x.single[k], y.single[k]);
  return result;
}

/// By Horner's rule. If the terms `decrease`, each coefficient is larger than |x| times the value of those after it.
template <bool decrease = true, ArithmeticBuilder B, int triples, int pairs, int singles>
[[gnu::always_inline]] inline Triple<B> polynomial(B& b, const Triple<B>& x,
                                                   const Coefficients<B, triples, pairs, singles>& c) {
  const auto leading_sum = [&](auto constant, auto times) {
    if constexpr (decrease) return fast_two_sum(b, constant, times);
    if constexpr (!decrease) return two_sum(b, constant, times);
  };
  auto tail = c.single[singles - 1];
  for (int k = singles - 1; k-- > 0;) tail = b.fma(tail, x.high, c.single[k]);
  Pair<B> some{tail, b.f64_const(0.0)};
  for (int k = pairs; k-- > 0;) {
    const Pair<B> times = product(b, some, Pair<B>{x.high, x.middle});
    const Pair<B> high = leading_sum(c.pair[k].high, times.high);
    const auto low = b.add(high.low, b.add(c.pair[k].low, times.low));
    some = decrease ? fast_two_sum(b, high.high, low) : two_sum(b, high.high, low);
  }
  Triple<B> value = triple_of(b, some);
  for (int k = triples; k-- > 0;) {
    const Triple<B> times = product(b, value, x);
    const Pair<B> high = leading_sum(c.triple[k].high, times.high);
    const Pair<B> middle = two_sum(b, c.triple[k].middle, times.middle);
    const Pair<B> carried = two_sum(b, high.low, middle.high);
    const auto low = b.add(b.add(c.triple[k].low, times.low), b.add(middle.low, carried.low));
    value = decrease ? normalised_fast(b, high.high, carried.high, low) : normalised(b, high.high, carried.high, low);
  }
  return value;
}
template <ArithmeticBuilder B, int triples, int pairs, int singles>
[[gnu::always_inline]] inline Triple<B> polynomial(B& b, const Triple<B>& x,
                                                   const Series<triples, pairs, singles>& series) {
  return polynomial(b, x, coefficients(b, series));
}

/// 2^k for -1022 <= k <= 1023.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 power_of_two_int(B& b, typename B::I64 k) {
  return b.from_bits(b.shl(b.iadd(k, b.i64_const(1023)), 52));
}

/// x 2^k for |k| <= 2044; x has an exponent between -500 and 500. Exact if the result is an f64.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 times_power_int(B& b, typename B::F64 x, typename B::I64 k) {
  const auto half = b.ashr(k, 1);
  return b.mul(b.mul(x, power_of_two_int(b, half)), power_of_two_int(b, b.isub(k, half)));
}

/// The integer nearest to x, |x| < 2^51, as a number and as a word.
template <ArithmeticBuilder B>
struct Integer {
  typename B::F64 number;
  typename B::I64 word;
};
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Integer<B> nearest_int(B& b, typename B::F64 x) {
  // Adding 1.5 * 2^52 rounds to an integer, which is then in the low bits of the sum, in two's complement.
  const auto shifter = b.f64_const(0x1.8p52);
  const auto shifted = b.add(x, shifter);
  return {b.sub(shifted, shifter), b.isub(b.bits(shifted), b.bits(shifter))};
}
/// A word below 2^51 in size as a number.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 number_of_int(B& b, typename B::I64 k) {
  return b.sub(b.from_bits(b.iadd(k, b.bits(b.f64_const(0x1.8p52)))), b.f64_const(0x1.8p52));
}

/// x + y rounded to odd.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 odd_sum(B& b, typename B::F64 x, typename B::F64 y) {
  const Pair<B> both = two_sum(b, x, y);
  return rounded_to_odd(b, both.high, both.low);
}

/// The f64 nearest to x, ties to even; it is 0 or normal. The tail is rounded to odd first: it has more bits than it
/// takes to see on which side of a midpoint x lies.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 rounded(B& b, const Triple<B>& x) {
  return b.add(x.high, odd_sum(b, x.middle, x.low));
}

/// The f64 nearest to x 2^k, ties to even. |x| is between 2^-400 and 2^400, |k| <= 2000, and x > 0 if the result is
/// subnormal. Then the result is a multiple of 2^-1074: adding 2^(-1022-k), which has the ulp 2^(-1074-k), rounds to
/// it.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 rounded(B& b, const Triple<B>& x, typename B::I64 k) {
  const auto normal = b.add(x.high, odd_sum(b, x.middle, x.low));
  const auto none = b.i64_const(0);
  const auto down = b.select(b.i_less_signed(k, none), k, none);
  const auto least = power_of_two_int(b, b.isub(b.i64_const(static_cast<std::uint64_t>(-1022)), down));
  const Pair<B> shifted = fast_two_sum(b, least, x.high);
  const Pair<B> rest = two_sum(b, shifted.low, x.middle);
  const auto subnormal = b.sub(b.add(shifted.high, odd_sum(b, rest.high, b.add(rest.low, x.low))), least);
  return times_power_int(b, b.select(b.f_less(magnitude(b, normal), least), subnormal, normal), k);
}

/// x without what is below half an ulp of its leading part, 1/2 <= |x| < 2: for a value that is known to have 54 bits.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<B> of_54_bits(B& b, const Triple<B>& x) {
  const auto shifter = b.f64_const(0x1.8p-2);
  return {x.high, b.sub(b.add(x.middle, shifter), shifter), b.f64_const(0.0)};
}

}  // namespace reckon::numerics
