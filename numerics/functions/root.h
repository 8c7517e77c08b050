// sqrt, rsqrt and cbrt over any arithmetic builder: a rounded root and its remainder.
#pragma once

#include "numerics/functions/pair.h"

namespace reckon::numerics {

/// rsqrt. f64 has 29 bits to spare: no argument of f32, f16 and bf16 has a result within two f64 roundings of a
/// rounding boundary, except exact ones (tests/codegen/rsqrt_test.cpp tries all of them). The boundaries m of the other
/// formats have at most 12 bits: x m^2 has at most 35 bits, and if it is not 1, it differs from 1 by 2^-36 or more. The
/// result is therefore not rounded to odd.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 rsqrt_wide(B& b, typename B::F64 x) {
  return b.div(b.f64_const(1.0), b.sqrt(x));
}

/// The cube root of a positive, finite and normal size, but for a few units in the last place.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 near_cube_root(B& b, typename B::F64 size) {
  // The upper half of the pattern approximates the logarithm: a third of it, with the bias corrected, is within 6 %.
  const auto upper = b.ior(b.lshr(b.bits(size), 32), b.i64_const(0x4330000000000000));
  const auto third = b.mul(b.sub(b.from_bits(upper), b.f64_const(0x1p52)), b.f64_const(1.0 / 3));
  const auto guess = b.add(b.add(third, b.f64_const(715094163.0)), b.f64_const(0x1p52));
  auto y = b.from_bits(b.shl(b.bits(guess), 32));
  for (int step = 0; step < 3; ++step) {  // Halley's iteration: 2^-4, 2^-13, 2^-40, then all bits of f64
    const auto cube = b.mul(b.mul(y, y), y);
    const auto ratio = b.div(b.add(cube, b.add(size, size)), b.add(b.add(cube, cube), size));
    y = b.mul(y, ratio);
  }
  return y;
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 cbrt_wide(B& b, typename B::F64 x) {
  const auto zero = b.f64_const(0.0);
  const auto size = at_most(b, magnitude(b, x), 0x1p200);
  const auto y = near_cube_root(b, size);
  const Pair<B> square = two_product(b, y, y);
  const Pair<B> cube = two_product(b, square.high, y);
  const auto left = b.sub(b.sub(size, cube.high), b.fma(square.low, y, cube.low));
  const auto correction = b.div(left, b.mul(b.f64_const(3.0), square.high));
  const auto root = with_sign_of(b, rounded_to_odd(b, Pair<B>{y, correction}), x);
  // 0, infinities and NaN are their own roots.
  const auto ordinary = b.both(b.f_less(zero, size), b.f_less(size, b.f64_const(0x1p200)));
  return b.select(ordinary, root, x);
}

}  // namespace reckon::numerics
