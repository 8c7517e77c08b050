// The elementary functions of f64 in two doubles where they take three elsewhere, for a third of the operations or less. A
// result that such a value decides is the one that functions64.h gives; for the others, one in 2^11 or so, and results
// with other difficulties, the caller needs another way (this is Ziv's strategy: "Fast evaluation of elementary
// mathematical functions with correctly rounded last bit", ACM TOMS 17, 1991).
//
// Quick<B> takes the place of a builder in the sources of functions64/: the functions of a Triple that stand here are
// more special than those of triple.h, and leave the third part alone. Errors, relative to the result and estimated as
// in the files of functions64/: what a series has in pairs are doubles here, below 2^-23, with errors of 2^-76; what it
// has in doubles is left out but for the first term, below 2^-83; sums and products of pairs have errors of 2^-103
// (Joldes, Muller and Popescu, "Tight and rigorous error bounds for basic building blocks of double-word arithmetic",
// ACM TOMS 44, 2017). A result is decided if an error of 2^-65 would not change it.
#pragma once

#include "numerics/functions64/functions64.h"

namespace reckon::numerics {

/// Arithmetic that remembers what is undecided.
template <ArithmeticBuilder Base>
struct Quick : Base {
  typename Base::I64 undecided;  ///< 0 as long as the result is decided

  explicit Quick(const Base& base) : Base(base), undecided(Base::i64_const(0)) {}

  void decide(typename Base::Bool condition) {
    undecided = this->ior(undecided, this->select(condition, this->i64_const(0), this->i64_const(1)));
  }
  /// Where the condition holds, the result does not depend on what was undecided up to here.
  void decide_all(typename Base::Bool condition) {
    undecided = this->select(condition, this->i64_const(0), undecided);
  }
};

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<Quick<B>> leading_pair(const Triple<Quick<B>>& x) {
  return {x.high, x.middle};
}
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<Quick<B>> triple_of_pair(const Pair<Quick<B>>& x) {
  return {x.high, x.low, x.low};
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<Quick<B>> normalised(Quick<B>& b, typename B::F64 high, typename B::F64 middle,
                                                          typename B::F64 low) {
  const Pair<Quick<B>> rest = two_sum(b, middle, low);
  const Pair<Quick<B>> leading = two_sum(b, high, rest.high);
  return triple_of_pair<B>(fast_two_sum(b, leading.high, b.add(leading.low, rest.low)));
}
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<Quick<B>> normalised_fast(Quick<B>& b, typename B::F64 high, typename B::F64 middle,
                                                               typename B::F64 low) {
  return triple_of_pair<B>(fast_two_sum(b, high, b.add(middle, low)));
}
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<Quick<B>> sum(Quick<B>& b, const Triple<Quick<B>>& x, const Triple<Quick<B>>& y) {
  return triple_of_pair<B>(sum(b, leading_pair<B>(x), leading_pair<B>(y)));
}
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<Quick<B>> sum(Quick<B>& b, const Triple<Quick<B>>& x, typename B::F64 y) {
  const Pair<Quick<B>> high = two_sum(b, x.high, y);
  return triple_of_pair<B>(fast_two_sum(b, high.high, b.add(high.low, x.middle)));
}
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<Quick<B>> product(Quick<B>& b, const Triple<Quick<B>>& x, const Triple<Quick<B>>& y) {
  return triple_of_pair<B>(product(b, leading_pair<B>(x), leading_pair<B>(y)));
}
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<Quick<B>> product(Quick<B>& b, const Triple<Quick<B>>& x, typename B::F64 y) {
  const Pair<Quick<B>> high = two_product(b, x.high, y);
  return triple_of_pair<B>(fast_two_sum(b, high.high, b.fma(x.middle, y, high.low)));
}
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<Quick<B>> quotient(Quick<B>& b, const Triple<Quick<B>>& x, const Triple<Quick<B>>& y) {
  return triple_of_pair<B>(quotient(b, leading_pair<B>(x), leading_pair<B>(y)));
}
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<Quick<B>> square_root(Quick<B>& b, const Triple<Quick<B>>& x) {
  return triple_of_pair<B>(square_root(b, leading_pair<B>(x)));
}

template <bool decrease = true, ArithmeticBuilder B, int triples, int pairs, int singles>
[[gnu::always_inline]] inline Triple<Quick<B>> polynomial(Quick<B>& b, const Triple<Quick<B>>& x,
                                                          const Coefficients<Quick<B>, triples, pairs, singles>& c) {
  auto tail = c.single[0];
  for (int k = pairs; k-- > 0;) tail = b.fma(tail, x.high, c.pair[k].high);
  Pair<Quick<B>> value{tail, b.f64_const(0.0)};
  for (int k = triples; k-- > 0;) {
    const auto times = k + 1 == triples ? two_product(b, tail, x.high) : product(b, value, leading_pair<B>(x));
    const auto more = k + 1 == triples ? b.fma(tail, x.middle, times.low) : times.low;
    const auto high = decrease ? fast_two_sum(b, c.triple[k].high, times.high) : two_sum(b, c.triple[k].high, times.high);
    value = fast_two_sum(b, high.high, b.add(high.low, b.add(c.triple[k].middle, more)));
  }
  return triple_of_pair<B>(value);
}

/// Nearest, if an error of 2^-65 does not matter. The sign of a result of 0 is another matter.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 rounded(Quick<B>& b, const Triple<Quick<B>>& x) {
  const auto slack = b.mul(magnitude(b, x.high), b.f64_const(0x1p-65));
  const auto below = b.add(x.high, b.sub(x.middle, slack)), above = b.add(x.high, b.add(x.middle, slack));
  b.decide(b.i_equal(b.bits(below), b.bits(above)));
  b.decide(b.f_less(b.f64_const(0.0), magnitude(b, below)));
  return below;
}
/// A subnormal result is not decided here; one below half of the least subnormal number is 0.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 rounded(Quick<B>& b, const Triple<Quick<B>>& x, typename B::I64 k) {
  const auto result = times_power_int(b, rounded(b, x), k);
  b.decide(b.f_less(b.f64_const(0x1p-1022), magnitude(b, result)));
  b.decide_all(b.both(b.f_less(magnitude(b, x.high), b.f64_const(2.0)),
                      b.i_less_signed(k, b.i64_const(static_cast<std::uint64_t>(-1076)))));
  return result;
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 unless_nan(Quick<B>& b, typename B::F64 x, typename B::F64 value) {
  b.decide_all(b.is_nan(x));
  return b.select(b.is_nan(x), nan_const(b), value);
}
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 odd_value(Quick<B>& b, typename B::F64 x, double bound,
                                                        typename B::F64 value) {
  const auto small = b.f_less(magnitude(b, x), b.f64_const(bound));
  b.decide_all(small);
  return unless_nan(b, x, b.select(small, x, with_sign_of(b, value, x)));
}

// Outside of a function's domain nothing is to be decided.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 in_log_domain(Quick<B>& b, typename B::F64 x, typename B::F64 value) {
  b.decide_all(b.f_less(x, b.f64_const(0x1p-1074)));
  return in_log_domain(static_cast<B&>(b), x, value);
}
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 from_one_on(Quick<B>& b, typename B::F64 x, typename B::F64 value) {
  b.decide_all(b.f_less(x, b.f64_const(1.0)));
  return unless_nan(b, x, b.select(b.f_less(x, b.f64_const(1.0)), nan_const(b), value));
}
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 in_unit64(Quick<B>& b, typename B::F64 x, typename B::F64 value) {
  b.decide_all(b.f_less(b.f64_const(1.0), magnitude(b, x)));
  return in_unit64(static_cast<B&>(b), x, value);
}
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 if_finite64(Quick<B>& b, typename B::F64 x, typename B::F64 value) {
  b.decide_all(is_infinite(b, x));
  return if_finite64(static_cast<B&>(b), x, value);
}

/// Errors of 2^-82 or so of the logarithm become 2^-72 of the power.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<Quick<B>> precise_log2(Quick<B>& b, typename B::F64 x) {
  return binary(b, logarithm64(b, x, constants64::atanh_series));
}
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Exponential64<Quick<B>> precise_power_of_2(Quick<B>& b, const Triple<Quick<B>>& exponent) {
  return exponential64_of_2(b, exponent, constants64::expm1_series);
}

/// Of exact powers those that are f64s are decided as all others are, and midpoints are not.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::Bool exact_power(Quick<B>& b, typename B::F64, typename B::F64 y, typename B::F64) {
  return b.f_less(y, y);
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline void decide_if(Quick<B>& b, typename B::Bool condition) {
  b.decide(condition);
}

/// By three parts of pi / 2, for |x| up to 2^24 that are not within 2^-30 of a multiple of it.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Reduced64<Quick<B>> reduced64(Quick<B>& b, typename B::F64 x) {
  const auto size = at_most(b, magnitude(b, x), 0x1p24);
  const auto quadrant = nearest_int(b, b.mul(size, b.f64_const(0x1.45f306dc9c883p-1)));
  const auto minus = b.neg(quadrant.number);
  // Unless the quadrant is 0, both are multiples of 2^-53, and the difference is below 1: this is exact.
  const auto leading = b.fma(minus, b.f64_const(constants64::half_pi_by_parts[0]), size);
  const Pair<Quick<B>> second = two_product(b, minus, b.f64_const(constants64::half_pi_by_parts[1]));
  const auto last = b.fma(minus, b.f64_const(constants64::half_pi_by_parts[2]), second.low);
  const Triple<Quick<B>> r = normalised(b, leading, second.high, last);
  b.decide(b.f_less(magnitude(b, x), b.f64_const(0x1p24)));
  const auto exact = b.i_equal(quadrant.word, b.i64_const(0));
  b.decide(b.f_less(b.f64_const(0x1p-30), b.select(exact, b.f64_const(1.0), magnitude(b, r.high))));
  return {quadrant.word, r, product(b, r, r)};
}

/// A value, and whether it is the result of elementary_f64.
template <ArithmeticBuilder B>
struct Attempt {
  typename B::F64 value;
  typename B::Bool decided;
};
template <auto function, ArithmeticBuilder B, class... Operands>
[[gnu::always_inline]] inline Attempt<B> quick_f64(B& b, Operands... x) {
  Quick<B> quick(b);
  const auto value = elementary_f64<function>(quick, x...);
  return {value, b.i_equal(quick.undecided, b.i64_const(0))};
}

}  // namespace reckon::numerics
