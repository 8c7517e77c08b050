// Arithmetic of the formats on the machine that runs the interpreter: conversions between patterns and native
// floats, fma of the 16-bit formats, and the operations for which C++ has no exact counterpart. All of it is
// inline, free of branches where that is possible, and correct for every operand.
// Patterns of f16 and bf16 are std::uint16_t, of tf32 std::uint32_t, of the formats of at most 8 bits std::uint8_t.
// Source of the operations: IEEE Std 754-2019.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "numerics/format.h"
#include "numerics/native_builder.h"
#include "numerics/round_bits.h"

namespace reckon::numerics {

/// x * 2^k, rounded once; a NaN if k is not an integer. An infinite k gives the limit: 0 and infinity stay, other x do
/// not. Exact if x and the result are values of the narrower formats, or if the result is 0 or infinite.
inline double scaled(double x, double k) {
  if (std::trunc(k) != k) return std::numeric_limits<double>::quiet_NaN();  // also for a NaN
  return std::ldexp(x, static_cast<int>(std::clamp(k, -5000.0, 5000.0)));
}

// Widening: exact. A NaN keeps its sign and payload.

inline float bf16_to_f32(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

inline float f16_to_f32(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t aligned = static_cast<std::uint32_t>(bits & 0x7fffu) << 13;
  // Rebias the exponent by 127 - 15; infinities and NaNs go to the top exponent instead. A subnormal is read
  // with the least exponent and a hidden bit that is subtracted again, which is exact and, unlike a
  // multiplication, never touches an f32 subnormal (slow on x86).
  const std::uint32_t rebias = aligned >= (0x7c00u << 13) ? (255u - 31u) << 23 : (127u - 15u) << 23;
  const std::uint32_t min_normal = (127u - 14u) << 23;
  const float subnormal = std::bit_cast<float>(aligned + min_normal) - std::bit_cast<float>(min_normal);
  const bool is_subnormal = aligned < (0x0400u << 13);
  const std::uint32_t magnitude = is_subnormal ? std::bit_cast<std::uint32_t>(subnormal) : aligned + rebias;
  return std::bit_cast<float>(magnitude | sign);
}

/// An f8e5m2 is the upper half of an f16.
inline float f8e5m2_to_f32(std::uint8_t bits) { return f16_to_f32(static_cast<std::uint16_t>(bits << 8)); }

/// Of a format of at most 8 bits without infinities.
template <Format format>
float small_to_f32(std::uint8_t bits) {
  static_assert(traits(format).width <= 8 && !has_infinity(format));
  // As for f16; at most one magnitude is a NaN, and none is an infinity. Bits above the pattern are ignored.
  constexpr auto sign_mask = static_cast<std::uint32_t>(sign_bit(format));
  constexpr int to_fraction = 23 - mantissa_bits(format);
  constexpr std::uint32_t least_exponent = static_cast<std::uint32_t>(127 + traits(format).emin) << 23;
  constexpr std::uint32_t rebias = static_cast<std::uint32_t>(127 - bias(format)) << 23;
  const std::uint32_t sign = (bits & sign_mask) << (32 - traits(format).width);
  const std::uint32_t aligned = (bits & (sign_mask - 1)) << to_fraction;
  const float subnormal = std::bit_cast<float>(aligned + least_exponent) - std::bit_cast<float>(least_exponent);
  const bool not_a_number = has_nan(format) && aligned == static_cast<std::uint32_t>(finite_end(format)) << to_fraction;
  const std::uint32_t normal = not_a_number ? 0x7fc00000u : aligned + rebias;
  const bool is_subnormal = aligned < 1u << 23;
  const std::uint32_t magnitude = is_subnormal ? std::bit_cast<std::uint32_t>(subnormal) : normal;
  return std::bit_cast<float>(magnitude | sign);
}

// Narrowing: one rounding, ties to even; overflow to infinity, NaN to `canonical_nan`.

inline std::uint16_t f32_to_bf16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return static_cast<std::uint16_t>(is_nan ? canonical_nan(Format::bf16) : rounded);
}

inline std::uint16_t f32_to_f16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  // As in round_f64_bits_to: in the normal range, almost half is added and the rest is cut; a subnormal is rounded by
  // an addition of 2^23 least spacings (2^-24 each).
  const std::uint32_t rounded = (magnitude + 0x0fffu + ((magnitude >> 13) & 1u)) >> 13;
  const std::int32_t unlimited = static_cast<std::int32_t>(rounded) - ((127 - 15) << 10);
  const std::int32_t normal = unlimited < 0x7c00 ? unlimited : 0x7c00;
  const std::uint32_t shifter = (127u - 24u + 23u) << 23;
  const float shifted = std::bit_cast<float>(magnitude) + std::bit_cast<float>(shifter);
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(shifted) - shifter;
  const std::uint32_t finite = magnitude < ((127u - 14u) << 23) ? subnormal : static_cast<std::uint32_t>(normal);
  return static_cast<std::uint16_t>(magnitude > 0x7f800000u ? canonical_nan(Format::f16) : (finite | sign));
}

inline std::uint32_t f32_to_tf32(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x0fffu + ((bits >> 13) & 1u)) & 0xffffe000u;
  const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return is_nan ? static_cast<std::uint32_t>(canonical_nan(Format::tf32)) : rounded;
}

/// The formats narrower than f32 by name: their patterns, and the conversions above. `exactly_from_f32` is for values
/// that the format has: there an infinity stays one, even if the format saturates.
template <Format format>
struct Pattern {  // of at most 8 bits, without infinities
  using Word = std::uint8_t;
  static float to_f32(Word bits) { return small_to_f32<format>(bits); }
  static Word from_f32(float value) {
    NativeBuilder builder;
    return static_cast<Word>(round_f64_bits_to(builder, static_cast<double>(value), format));
  }
  static Word exactly_from_f32(float value) { return from_f32(value); }
};
template <>
struct Pattern<Format::f16> {
  using Word = std::uint16_t;
  static float to_f32(Word bits) { return f16_to_f32(bits); }
  static Word from_f32(float value) { return f32_to_f16(value); }
  static Word exactly_from_f32(float value) { return from_f32(value); }
};
template <>
struct Pattern<Format::bf16> {
  using Word = std::uint16_t;
  static float to_f32(Word bits) { return bf16_to_f32(bits); }
  static Word from_f32(float value) { return f32_to_bf16(value); }
  static Word exactly_from_f32(float value) { return from_f32(value); }
};
template <>
struct Pattern<Format::tf32> {
  using Word = std::uint32_t;
  static float to_f32(Word bits) { return std::bit_cast<float>(bits); }
  static Word from_f32(float value) { return f32_to_tf32(value); }
  static Word exactly_from_f32(float value) { return from_f32(value); }
};
template <>
struct Pattern<Format::f8e5m2> {
  using Word = std::uint8_t;
  static float to_f32(Word bits) { return f8e5m2_to_f32(bits); }
  static Word from_f32(float value) {
    NativeBuilder builder;
    return static_cast<Word>(round_f64_bits_to(builder, static_cast<double>(value), Format::f8e5m2));
  }
  /// The canonical NaN is that of f16, truncated.
  static Word exactly_from_f32(float value) { return static_cast<Word>(f32_to_f16(value) >> 8); }
};

/// An f64 rounded once into the format.
template <Format format>
typename Pattern<format>::Word narrow_f64(double value) {
  NativeBuilder builder;
  return static_cast<typename Pattern<format>::Word>(round_f64_bits_to(builder, value, format));
}

// fma with one rounding. The product of two values of such a format is exact in f64; the sum's error is exact by
// Moller and Knuth's TwoSum (no f64 overflow is near), and the sum rounded to odd can be rounded once more.

inline double rounded_to_odd_sum(double a, double b) {
  NativeBuilder builder;
  const double sum = a + b;
  const double a_part = sum - b;
  const double b_part = sum - a_part;
  const double error = (a - a_part) + (b - b_part);
  return rounded_to_odd(builder, sum, error);
}

template <Format format>
typename Pattern<format>::Word fma_narrow(typename Pattern<format>::Word a, typename Pattern<format>::Word b,
                                          typename Pattern<format>::Word c) {
  const auto wide = [](auto bits) { return static_cast<double>(Pattern<format>::to_f32(bits)); };
  return narrow_f64<format>(rounded_to_odd_sum(wide(a) * wide(b), wide(c)));
}

// minimum and maximum (IEEE 754-2019, 9.6): a NaN operand gives a NaN, and -0 < +0. `Float` is float or double.

template <class Float>
Float minimum(Float a, Float b) {
  const Float unordered = a + b;
  const Float of_equal = std::signbit(a) ? a : b;
  const Float ordered = a < b ? a : (b < a ? b : of_equal);
  return ((a != a) | (b != b)) ? unordered : ordered;
}

template <class Float>
Float maximum(Float a, Float b) {
  const Float unordered = a + b;
  const Float of_equal = std::signbit(a) ? b : a;
  const Float ordered = a < b ? b : (b < a ? a : of_equal);
  return ((a != a) | (b != b)) ? unordered : ordered;
}

/// -1, +1, or the operand itself for zeros and NaNs.
template <class Float>
Float sign(Float value) {
  const Float nonzero = value < 0 ? Float(-1) : Float(1);
  return ((value < 0) | (value > 0)) ? nonzero : value;
}

/// |magnitude| with the sign of `sign_source`, where a NaN counts as positive: the sign of a NaN is no result
/// that backends agree on, so no value may depend on it. A NaN magnitude stays a NaN.
template <class Float>
Float copysign(Float magnitude, Float sign_source) {
  return std::copysign(magnitude, sign_source != sign_source ? Float(1) : sign_source);
}

/// The number after x in the direction of y (C's nextafter; the steps of IEEE 754-2019, 5.3.1): y itself if they are
/// equal, a NaN if one is. x and y are patterns of the format.
inline std::uint64_t next_after(std::uint64_t x, std::uint64_t y, Format format) {
  if (is_nan(x, format) || is_nan(y, format)) return canonical_nan(format);
  const double from = widen(x, format), to = widen(y, format);
  if (from == to) return y;
  const std::uint64_t step = std::uint64_t{1} << traits(format).unused;
  if (from == 0) return step | (to < 0 ? sign_bit(format) : 0);
  return (from < to) == (from > 0) ? x + step : x - step;  // patterns of one sign are ordered by size
}

/// The nearest integer, ties to even, the sign kept (roundToIntegralTiesToEven). Adding and subtracting
/// 2^(p-1) is the rounding; larger magnitudes are integers already.
template <class Float>
Float round_to_even(Float value) {
  constexpr Float shifter = sizeof(Float) == 8 ? Float(0x1p52) : Float(0x1p23);
  const Float magnitude = std::fabs(value);
  const Float rounded = std::copysign((magnitude + shifter) - shifter, value);
  return magnitude < shifter ? rounded : value;
}

/// The exact remainder of truncated division, with the dividend's sign; NaN for a zero divisor or an infinite
/// dividend. The exact remainder of two f16 or bf16 values fits their format: compute in float and narrow.
template <class Float>
Float truncated_remainder(Float dividend, Float divisor) {
  return std::fmod(dividend, divisor);
}

}  // namespace reckon::numerics
