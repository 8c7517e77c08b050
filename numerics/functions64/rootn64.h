// rootn of f64, correctly rounded, over any arithmetic builder.
//
// |x|^(1/n) = 2^(log2 |x| / n), by the methods of pow (power64.h): the logarithm has a relative error of some 2^-148,
// the exponent is 1075 or less, so that the result has one of 2^-138 or less.
//
// Ties need no care: an odd m of 54 bits is an n-th root of an f64 only if |n| = 1, since m^n has 107 bits or more; n =
// 1 gives f64s, and 1/m is a number of two's powers for m = 1 alone. Where the result is an f64, its error does not
// reach a midpoint. How close other results come to a midpoint is not proven; near 1, where 1 + k u has the root 1 + (j
// + 1/2) u, u = 2^-52, only if k = n (j + 1/2) nearly, the squares' terms keep them 2^-107 apart.
#pragma once

#include "numerics/functions64/power64.h"

namespace reckon::numerics {

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 rootn_f64(B& b, typename B::F64 x, typename B::F64 n) {
  const auto one = b.f64_const(1.0);
  const auto size = magnitude(b, x);
  const auto degree = at_least(b, at_most(b, magnitude(b, n), 0x1p53), 1.0);
  const auto ordinary = b.both(b.f_less(b.f64_const(0.0), size), b.f_less(size, infinity_const(b)));
  const Triple<B> logarithm = precise_log2(b, b.select(ordinary, size, one));
  const Triple<B> exponent = quotient(b, logarithm, triple_of(b, with_sign_of(b, degree, n)));
  const Exponential64<B> e = precise_power_of_2(b, exponent);
  const auto positive = rounded(b, significand(b, e), e.exponent);
  return unless_nan(b, x, unless_nan(b, n, root_of_signed(b, x, n, positive)));
}

}  // namespace reckon::numerics
