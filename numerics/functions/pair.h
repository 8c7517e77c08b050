// Unevaluated sums of two f64s (double-double), over any arithmetic builder: what keeps the leading terms of an
// elementary function exact while its corrections are computed in f64.
// Sources: Knuth, TAOCP 2, 4.2.2 (TwoSum); Dekker, Numer. Math. 18, 1971 (FastTwoSum); products by fma.
#pragma once

#include <cstddef>
#include <initializer_list>

#include "numerics/builder.h"
#include "numerics/round_bits.h"

namespace reckon::numerics {

/// high + low; unless said otherwise |low| is at most half an ulp of high.
template <ArithmeticBuilder B>
struct Pair {
  typename B::F64 high, low;
};

/// x + y exactly; |x| >= |y|, or x is 0.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> fast_two_sum(B& b, typename B::F64 x, typename B::F64 y) {
  const auto sum = b.add(x, y);
  return {sum, b.sub(y, b.sub(sum, x))};
}

/// x + y exactly.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> two_sum(B& b, typename B::F64 x, typename B::F64 y) {
  const auto sum = b.add(x, y);
  const auto part = b.sub(sum, x);
  return {sum, b.add(b.sub(x, b.sub(sum, part)), b.sub(y, part))};
}

/// x * y exactly, unless it underflows.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> two_product(B& b, typename B::F64 x, typename B::F64 y) {
  const auto product = b.mul(x, y);
  return {product, b.fma(x, y, b.neg(product))};
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> pair_const(B& b, double high, double low) {
  return {b.f64_const(high), b.f64_const(low)};
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> negated(B& b, const Pair<B>& x) {
  return {b.neg(x.high), b.neg(x.low)};
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> select(B& b, typename B::Bool condition, const Pair<B>& x, const Pair<B>& y) {
  return {b.select(condition, x.high, y.high), b.select(condition, x.low, y.low)};
}

/// The relative errors of the following functions are a few 2^-104; that of the sum is relative to |x| + |y|.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> sum(B& b, const Pair<B>& x, const Pair<B>& y) {
  const Pair<B> high = two_sum(b, x.high, y.high);
  const Pair<B> low = two_sum(b, x.low, y.low);
  const Pair<B> part = fast_two_sum(b, high.high, b.add(high.low, low.high));
  return fast_two_sum(b, part.high, b.add(part.low, low.low));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> product(B& b, const Pair<B>& x, const Pair<B>& y) {
  const Pair<B> high = two_product(b, x.high, y.high);
  const auto crossed = b.fma(x.high, y.low, b.mul(x.low, y.high));
  return fast_two_sum(b, high.high, b.add(high.low, crossed));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> quotient(B& b, const Pair<B>& x, const Pair<B>& y) {
  const auto inverse = b.div(b.f64_const(1.0), y.high);
  const auto first = b.mul(x.high, inverse);
  const auto left = b.add(b.fma(b.neg(first), y.high, x.high), b.fma(b.neg(first), y.low, x.low));
  return fast_two_sum(b, first, b.mul(left, inverse));
}

/// The square root of x >= 0; the root of 0 is 0.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> square_root(B& b, const Pair<B>& x) {
  const auto zero = b.f64_const(0.0);
  const auto root = b.sqrt(x.high);
  const auto left = b.add(b.fma(b.neg(root), root, x.high), x.low);
  const auto correction = b.div(left, b.add(root, root));
  return fast_two_sum(b, root, b.select(b.f_less(zero, root), correction, zero));
}

/// c0 + c1 x + c2 x^2 + ..., by Horner's rule.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 polynomial(B& b, typename B::F64 x,
                                                        std::initializer_list<double> coefficients) {
  const double* at = coefficients.end() - 1;
  auto value = b.f64_const(*at);
  while (at != coefficients.begin()) value = b.fma(value, x, b.f64_const(*--at));
  return value;
}

/// c0 + c1 x + ...: `leading` has the first coefficients, and `tail` is the value of the others, c_n + c_(n+1) x + ...
/// The terms decrease: each coefficient is larger than |x| times the value of those after it.
template <ArithmeticBuilder B, std::size_t n>
[[gnu::always_inline]] inline Pair<B> polynomial(B& b, const Pair<B>& x, const double (&leading)[n][2],
                                                typename B::F64 tail) {
  Pair<B> value{tail, b.f64_const(0.0)};
  for (std::size_t k = n; k-- > 0;) {
    const Pair<B> times = product(b, value, x);
    const Pair<B> high = fast_two_sum(b, b.f64_const(leading[k][0]), times.high);
    value = fast_two_sum(b, high.high, b.add(high.low, b.add(b.f64_const(leading[k][1]), times.low)));
  }
  return value;
}

/// The sum's value rounded to odd; `low` may be any correction that is small compared with `high`.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 rounded_to_odd(B& b, const Pair<B>& x) {
  const Pair<B> both = fast_two_sum(b, x.high, x.low);
  return rounded_to_odd(b, both.high, both.low);
}

/// |x|, and a value without a sign that gets the sign bit of x.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 magnitude(B& b, typename B::F64 x) {
  return b.from_bits(b.iand(b.bits(x), b.i64_const(~(std::uint64_t{1} << 63))));
}
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 with_sign_of(B& b, typename B::F64 value, typename B::F64 sign) {
  return b.from_bits(b.ixor(b.bits(value), b.iand(b.bits(sign), b.i64_const(std::uint64_t{1} << 63))));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 infinity_const(B& b) {
  return b.from_bits(b.i64_const(0x7ff0000000000000));
}
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 nan_const(B& b) {
  return b.from_bits(b.i64_const(0x7ff8000000000000));
}
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::Bool is_infinite(B& b, typename B::F64 x) {
  return b.i_equal(b.bits(magnitude(b, x)), b.bits(infinity_const(b)));
}
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::Bool is_zero(B& b, typename B::F64 x) {
  return b.i_equal(b.bits(magnitude(b, x)), b.i64_const(0));
}

/// x, or the bound if x exceeds it.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 at_most(B& b, typename B::F64 x, double bound) {
  return b.select(b.f_less(b.f64_const(bound), x), b.f64_const(bound), x);
}
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 at_least(B& b, typename B::F64 x, double bound) {
  return b.select(b.f_less(x, b.f64_const(bound)), b.f64_const(bound), x);
}

/// From where on a function is the same in f32 and narrower formats as at these bounds.
struct Bounds {
  double least, most;
};
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 clamped(B& b, typename B::F64 x, Bounds bounds) {
  return at_most(b, at_least(b, x, bounds.least), bounds.most);
}

}  // namespace reckon::numerics
