// Quotients of f32s over any arithmetic builder, for many numbers divided by one.
#pragma once

#include "numerics/functions/pair.h"

namespace reckon::numerics {

/// An f64 that gives the correctly rounded x / d if it is rounded to f32: for all f32s x and d, with reciprocal = 1 / d
/// in f64. The first quotient has a relative error of at most 2^-52. Its remainder is exact, so the corrected quotient
/// is x / d to within a relative 2^-53. If x / d is not a midpoint m of two f32s, it is farther from m: x - m d is a
/// multiple of the product of the last bits of m and d, and so x / d and m differ by 2^-50 at least, subnormal or not.
/// A midpoint itself is an f64, so it is found exactly. Infinities, zeros and NaNs are right at once; the remainder is
/// 0 or NaN.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 quotient_of_f32(B& b, typename B::F64 x, typename B::F64 d,
                                                              typename B::F64 reciprocal) {
  const auto quotient = b.mul(x, reciprocal);
  const auto remainder = b.fma(b.neg(d), quotient, x);
  const auto corrected = b.fma(remainder, reciprocal, quotient);
  return b.select(b.f_less(b.f64_const(0.0), magnitude(b, remainder)), corrected, quotient);
}

}  // namespace reckon::numerics
