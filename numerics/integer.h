// The integer types: numbers modulo a power of 2, with a sign (two's complement) or without. A value is kept as its
// pattern, whose bits above the width are 0.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace reckon::numerics {

struct IntegerTraits {
  std::string_view name;
  int width;  ///< in bits: 8, 16, 32 or 64
  bool is_signed;
  std::string_view npy;  ///< the kind in .npy files
};

/// In the order of integers.def.
inline constexpr IntegerTraits integer_table[] = {
#define RECKON_INTEGER(name, word, npy) {#name, 8 * static_cast<int>(sizeof(word)), std::is_signed_v<word>, npy},
#include "numerics/integers.def"
};
inline constexpr int integer_count = static_cast<int>(sizeof(integer_table) / sizeof(integer_table[0]));

constexpr std::uint64_t pattern_mask(const IntegerTraits& type) { return ~std::uint64_t{0} >> (64 - type.width); }
/// The pattern of the greatest number.
constexpr std::uint64_t greatest_pattern(const IntegerTraits& type) {
  return pattern_mask(type) >> (type.is_signed ? 1 : 0);
}
/// The pattern of the least number.
constexpr std::uint64_t least_pattern(const IntegerTraits& type) {
  return type.is_signed ? std::uint64_t{1} << (type.width - 1) : 0;
}
/// The pattern of the same number in 64 bits: a signed one repeats its sign.
constexpr std::uint64_t extended(const IntegerTraits& type, std::uint64_t pattern) {
  const std::uint64_t sign = least_pattern(type);
  return (pattern ^ sign) - sign;
}
constexpr bool is_negative(const IntegerTraits& type, std::uint64_t pattern) {
  return (pattern & least_pattern(type)) != 0;
}
/// The number modulo 2^width, of a pattern in 64 bits.
constexpr std::uint64_t wrapped(const IntegerTraits& type, std::uint64_t pattern) {
  return pattern & pattern_mask(type);
}

/// Truncates toward zero; a value outside the type becomes the nearest number of it, and a NaN becomes 0.
inline std::uint64_t to_integer(const IntegerTraits& type, double x) {
  if (x != x) return 0;
  const double end = std::ldexp(1.0, type.width - (type.is_signed ? 1 : 0));
  if (x >= end) return greatest_pattern(type);
  if (x <= (type.is_signed ? -end : 0.0)) return least_pattern(type);
  return wrapped(type, type.is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(x))
                                      : static_cast<std::uint64_t>(x));
}

}  // namespace reckon::numerics
