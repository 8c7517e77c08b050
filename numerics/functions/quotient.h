// Quotients of f32s over any arithmetic builder, where many numbers are divided by one.
#pragma once

#include "numerics/functions/pair.h"

namespace reckon::numerics {

/// An f64 that is x / d correctly rounded once it is rounded to f32: for all f32s x and d, and reciprocal = 1 / d in
/// f64. The remainder of the first quotient, which is off by 2^-52 of itself at most, is exact, and so what it is
/// corrected to is x / d but for 2^-53 of that. No x / d but itself lies so near a midpoint of two f32s m: x - m d is a
/// multiple of the product of the last bits of m and d, and so x / d and m differ by 2^-50 at least, subnormal or not.
/// A midpoint itself is an f64, and found. Infinities, zeros and NaNs are right at once, and leave no remainder, or a
/// NaN.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 quotient_of_f32(B& b, typename B::F64 x, typename B::F64 d,
                                                              typename B::F64 reciprocal) {
  const auto quotient = b.mul(x, reciprocal);
  const auto remainder = b.fma(b.neg(d), quotient, x);
  const auto corrected = b.fma(remainder, reciprocal, quotient);
  return b.select(b.f_less(b.f64_const(0.0), magnitude(b, remainder)), corrected, quotient);
}

}  // namespace reckon::numerics
