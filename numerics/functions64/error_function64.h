// erf and erfc of f64, correctly rounded, over any arithmetic builder.
//
// Method of erf. Below 1/2, x p(x^2), p from the power series; from there to 6, where the result is 1, a polynomial in
// x - c for each interval of length 1/2 with the middle c: Chebyshev interpolants within 2^-130. One polynomial is
// evaluated, whose coefficients are selected.
//
// erfc is 1 - erf(x) below 1/2, also for negative x, and from there to 27.25, where the result is 0, e^(-x^2) times a
// polynomial in x - c, on twelve intervals again: Chebyshev interpolants of e^(x^2) erfc x within 2^-129. The square is
// exact as a pair.
//
// Error budget: the terms that are pairs are below 2^-23 and have errors of 2^-103, the doubles 2^-75 and 2^-52: some
// 2^-125 of the result. (Measured: 2^-128 or less.) The power of erfc has 2^-129, as exp does.
#pragma once

#include "numerics/functions64/exponential64.h"

namespace reckon::numerics {

/// erf of a size up to 6, divided by 2^exponent.
template <ArithmeticBuilder B>
struct ErrorFunction64 {
  Triple<B> value;
  typename B::I64 exponent;
};
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline ErrorFunction64<B> error_function64(B& b, typename B::F64 size) {
  auto series = coefficients(b, constants64::erf_series[0]);
  auto center = b.f64_const(0.0);
  for (int k = 1; k < 12; ++k) {
    const auto below = b.f_less(size, b.f64_const(k / 2.0));
    series = select(b, below, series, coefficients(b, constants64::erf_series[k]));
    center = b.select(below, center, b.f64_const(k / 2.0 + 0.25));
  }
  const auto near_zero = b.f_less(size, b.f64_const(0.5));
  const Pair<B> offset{b.sub(size, center), b.f64_const(0.0)};  // exact
  const Triple<B> value =
      polynomial<false>(b, triple_of(b, select(b, near_zero, two_product(b, size, size), offset)), series);
  // Small arguments are scaled, and the result's exponent is put right when it is rounded: it may be subnormal.
  const auto tiny = b.f_less(size, b.f64_const(0x1p-300));
  const auto factor = b.select(near_zero, b.select(tiny, b.mul(size, b.f64_const(0x1p800)), size), b.f64_const(1.0));
  const auto exponent = b.select(tiny, b.i64_const(static_cast<std::uint64_t>(-800)), b.i64_const(0));
  return {product(b, value, factor), exponent};
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 erf_f64(B& b, typename B::F64 x) {
  const ErrorFunction64<B> of_size = error_function64(b, at_most(b, magnitude(b, x), 6.0));
  return unless_nan(b, x, with_sign_of(b, rounded(b, of_size.value, of_size.exponent), x));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 erfc_f64(B& b, typename B::F64 x) {
  // A tiny size counts as 2^-100: 1 is the result of both.
  const ErrorFunction64<B> of_size = error_function64(b, at_least(b, at_most(b, magnitude(b, x), 6.0), 0x1p-100));
  const auto negative = b.f_less(x, b.f64_const(0.0));
  const Triple<B> less = select(b, negative, of_size.value, negated(b, of_size.value));
  const Triple<B> near = sum(b, less, b.f64_const(1.0));

  const auto size = at_least(b, at_most(b, x, 27.25), 0.5);
  auto series = coefficients(b, constants64::scaled_erfc_series[0]);
  auto middle = b.f64_const(constants64::scaled_erfc_intervals[0].middle);
  for (int k = 1; k < 12; ++k) {
    const auto below = b.f_less(size, b.f64_const(constants64::scaled_erfc_intervals[k].from));
    series = select(b, below, series, coefficients(b, constants64::scaled_erfc_series[k]));
    middle = b.select(below, middle, b.f64_const(constants64::scaled_erfc_intervals[k].middle));
  }
  const Triple<B> scaled = polynomial<false>(b, triple_of(b, b.sub(size, middle)), series);  // the difference is exact
  const Triple<B> square = triple_of(b, two_product(b, size, b.neg(size)));
  const Exponential64<B> e =
      exponential64_of_2(b, product(b, square, triple_const(b, constants64::log2_e)), constants64::expm1_series);
  const Triple<B> far = product(b, significand(b, e), scaled);

  const auto is_near = b.f_less(x, b.f64_const(0.5));
  const auto exponent = b.select(is_near, b.i64_const(0), e.exponent);
  return unless_nan(b, x, rounded(b, select(b, is_near, near, far), exponent));
}

}  // namespace reckon::numerics
