// exp for f32, f16 and bf16, correctly rounded: ties to even, subnormal results, overflow to infinity,
// exp(-inf) = +0, NaN to the canonical NaN. One source over any arithmetic builder (builder.h).
//
// Method. The argument is exact in f64. With k the integer nearest to x / ln 2 and r = x - k ln 2 held as an
// exact double and a small tail, exp(r) = 1 + r + r^2/2 + r^3 q(r): the first three terms are summed without
// error (FastTwoSum, and the square's error by fma), everything else is at most 2^-7 and carries the rounding
// errors, below 2^-57 together. The sum is rounded to odd into 53 bits, scaled by 2^k on its exponent, which is
// exact, and rounded once into the format. No normal f32 result lies within 2^-52.7 of a rounding boundary (the
// nearest is exp(-0x1.d2259ap+3)), so the margin is large; that the error never crosses one is tested on all 2^32
// arguments (bench/exp_exhaustive.cpp, 0 mismatches), and for f16 and bf16, whose results have boundaries of
// their own, on all 2^16 each.
// Sources: Cody and Waite, Software Manual for the Elementary Functions, 1980 (reduction); Dekker, Numer.
// Math. 18, 1971 (FastTwoSum); Boldo and Melquiond 2008 (rounding to odd). q is the interpolant of
// (e^r - 1 - r - r^2/2) / r^3 in the ten Chebyshev nodes of [-0.3468, 0.3468]; r^3 q is within 2^-60.3.
#pragma once

#include <bit>
#include <cstdint>

#include "numerics/builder.h"
#include "numerics/format.h"
#include "numerics/native_builder.h"
#include "numerics/round_bits.h"

namespace reckon::numerics {

/// exp(x) rounded to odd into an f64, for an x that is a value of f32, f16 or bf16; NaN gives a NaN. Beyond
/// [-110, 90] the result is that of the nearer end, which all three formats round to +0 or infinity.
/// Rounding it once more, to nearest even, into any of the three gives the correctly rounded exp.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 exp_rounded_to_odd(B& b, typename B::F64 x) {
  const auto low = b.f64_const(-110.0);
  const auto high = b.f64_const(90.0);
  const auto is_nan = b.is_nan(x);
  const auto raised = b.select(b.f_less(x, low), low, x);
  const auto clamped = b.select(b.f_less(high, raised), high, raised);

  // Adding 1.5 * 2^52 rounds to an integer, which then stands in the low bits of the sum in two's complement.
  const auto shifter = b.f64_const(0x1.8p52);
  const auto shifted = b.add(b.mul(clamped, b.f64_const(0x1.71547652b82fep+0)), shifter);
  const auto k = b.sub(shifted, shifter);

  // For k != 0 both x and k * ln2_high are multiples of 2^-53 and differ by less than 1/2: r is exact.
  const auto r = b.fma(k, b.f64_const(-0x1.62e42fefa39efp-1), clamped);
  const auto r_tail = b.mul(k, b.f64_const(-0x1.abc9e3b39803fp-56));

  const auto square = b.mul(r, r);
  const auto square_error = b.fma(r, r, b.sub(b.f64_const(0.0), square));
  const auto half = b.f64_const(0.5);
  const auto half_square = b.mul(half, square);

  // 1 + r + r^2/2 = sum + (first_error + second_error + square_error / 2), exactly.
  const auto one = b.f64_const(1.0);
  const auto first = b.add(one, r);
  const auto first_error = b.sub(r, b.sub(first, one));
  const auto sum = b.add(first, half_square);
  const auto second_error = b.sub(half_square, b.sub(sum, first));

  const auto pair = [&](double constant, double linear) {
    return b.fma(b.f64_const(linear), r, b.f64_const(constant));
  };
  const auto fourth = b.mul(square, square);
  const auto q01 = pair(0x1.5555555555556p-3, 0x1.5555555555555p-5);
  const auto q23 = pair(0x1.11111111109adp-7, 0x1.6c16c16c167dep-10);
  const auto q45 = pair(0x1.a01a01a7c8d47p-13, 0x1.a01a01a47db6fp-16);
  const auto q67 = pair(0x1.71de0d9c145d0p-19, 0x1.27e4e1ea0f53ap-22);
  const auto q89 = pair(0x1.af38d53857513p-26, 0x1.1f66f85dfa20ap-29);
  const auto upper = b.fma(fourth, q89, b.fma(square, q67, q45));
  const auto q = b.fma(fourth, upper, b.fma(square, q23, q01));
  const auto cubic = b.mul(b.mul(r, square), q);

  const auto errors = b.fma(half, square_error, b.add(first_error, second_error));
  const auto rest = b.fma(r_tail, b.add(sum, cubic), b.add(cubic, errors));

  const auto value = b.add(sum, rest);
  const auto value_error = b.sub(rest, b.sub(value, sum));
  const auto odd = rounded_to_odd(b, value, value_error);

  // The result is in [0.7, 1.5] and stays normal: adding k to its exponent field is exact. The shift leaves
  // k's low 12 bits, two's complement, and pushes out the pattern of the shifter above them.
  const auto scaled = b.from_bits(b.iadd(b.bits(odd), b.shl(b.bits(shifted), 52)));
  return b.select(is_nan, x, scaled);
}

/// The pattern of the correctly rounded exp(x) in `format`, one of f32, f16, bf16; x is a value of `format`
/// (or of any other of the three).
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::I64 exp_bits(B& b, typename B::F64 x, Format format) {
  return round_f64_bits_to(b, exp_rounded_to_odd(b, x), format);
}

}  // namespace reckon::numerics
