// Rounding by bit operations, over any arithmetic builder (builder.h): sums rounded to odd, and f64 into the
// narrower formats.
#pragma once

#include <cstdint>

#include "numerics/builder.h"
#include "numerics/format.h"

namespace reckon::numerics {

/// Moves sum, the rounded a + b, to the exact value a + b rounded TO ODD: unchanged if it is exact, otherwise the
/// neighbour whose last bit is 1. `error` is exactly a + b - sum, or a NaN when that is not finite.
/// A value rounded to odd with p + 2 bits or more can be rounded once more, to p bits in any direction, as if
/// from the exact one (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms
/// using rounding to odd", IEEE Trans. Computers 57(4), 2008, theorem 3 and section 4).
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 rounded_to_odd(B& b, typename B::F64 sum, typename B::F64 error) {
  const auto zero = b.f64_const(0.0);
  const auto one = b.i64_const(1);
  const auto pattern = b.bits(sum);
  // Patterns of one sign are ordered by magnitude. The step is away from zero exactly when sum and error
  // have the same sign; a sum of zero has no error, and a NaN fails both comparisons.
  const auto positive_error = b.f_less(zero, error);
  const auto negative_error = b.f_less(error, zero);
  const auto sign = b.ashr(pattern, 63);                             // 0 or -1
  const auto upward = b.isub(b.ixor(one, sign), sign);               // +1 or -1, in units of the pattern
  const auto none = b.i64_const(0);
  const auto step = b.select(positive_error, upward, b.select(negative_error, b.isub(none, upward), none));
  const auto is_even = b.i_equal(b.iand(pattern, one), none);
  return b.from_bits(b.iadd(pattern, b.select(is_even, step, none)));
}

/// The pattern, right-aligned in 64 bits, of an f64 rounded once into `format`: ties to even, the sign of
/// zero kept, NaN to `canonical_nan`; what overflows is the infinity, or the largest number where the format saturates.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::I64 round_f64_bits_to(B& b, typename B::F64 value, Format format) {
  const auto pattern = b.bits(value);
  const auto is_nan = b.is_nan(value);
  if (format == Format::f64) return b.select(is_nan, b.i64_const(canonical_nan(format)), pattern);

  const FormatTraits target = traits(format);
  const int dropped = 53 - target.precision;
  const auto magnitude = b.iand(pattern, b.i64_const(~sign_bit(Format::f64)));

  // A result in the normal range: add just under half of the last kept bit, or exactly half if that bit is
  // odd, and cut; a carry runs into the exponent as it should. Overflow and infinity end above the limit.
  const auto odd = b.iand(b.lshr(magnitude, dropped), b.i64_const(1));
  const auto half_less_one = b.i64_const((std::uint64_t{1} << (dropped - 1)) - 1);
  const auto rounded = b.lshr(b.iadd(b.iadd(magnitude, half_less_one), odd), dropped);
  const auto rebias = b.i64_const(static_cast<std::uint64_t>(1023 - bias(format)) << (target.precision - 1));
  const auto unlimited = b.isub(rounded, rebias);
  const auto limit = b.i64_const(overflow_bits(format) >> target.unused);
  const auto normal = b.select(b.i_less_signed(unlimited, limit), unlimited, limit);

  // A subnormal result: adding 2^52 times the format's least spacing makes the f64 addition round to that spacing,
  // and the pattern is then in the low bits of the sum (also for the least normal number).
  const int least_exponent = target.emin - (target.precision - 1);
  const std::uint64_t shifter = static_cast<std::uint64_t>(least_exponent + 52 + 1023) << 52;
  const auto shifted = b.add(b.from_bits(magnitude), b.from_bits(b.i64_const(shifter)));
  const auto subnormal = b.isub(b.bits(shifted), b.i64_const(shifter));

  const std::uint64_t first_normal = static_cast<std::uint64_t>(target.emin + 1023) << 52;
  const auto compact = b.select(b.i_less_signed(magnitude, b.i64_const(first_normal)), subnormal, normal);
  const auto finite = target.unused == 0 ? compact : b.shl(compact, target.unused);
  const auto sign = b.iand(b.lshr(pattern, 64 - target.width), b.i64_const(sign_bit(format)));
  return b.select(is_nan, b.i64_const(canonical_nan(format)), b.ior(finite, sign));
}

}  // namespace reckon::numerics
