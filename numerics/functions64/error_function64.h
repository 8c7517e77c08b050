// erf of f64, correctly rounded, over any arithmetic builder.
//
// Method. Below 1/2, x p(x^2), p from the power series; from there to 6, where the result is 1, a polynomial in x - c
// for each interval of length 1/2 with the middle c: Chebyshev interpolants within 2^-130. One polynomial is evaluated,
// whose coefficients are selected.
//
// Error budget: the terms that are pairs are below 2^-23 and have errors of 2^-103, the doubles 2^-75 and 2^-52: some
// 2^-125 of the result. (Measured: 2^-128 or less.)
#pragma once

#include "numerics/functions64/exponential64.h"

namespace reckon::numerics {

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 erf_f64(B& b, typename B::F64 x) {
  const auto size = at_most(b, magnitude(b, x), 6.0);
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
  return unless_nan(b, x, with_sign_of(b, rounded(b, product(b, value, factor), exponent), x));
}

}  // namespace reckon::numerics
