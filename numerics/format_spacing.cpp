// Distances between patterns, and the spacing at a pattern.
#include "numerics/format.h"

namespace reckon::numerics {

namespace {

/// Numbers the patterns in the order of their values; both zeros are 0 (IEEE 754-2019, 5.10 without the zeros' order).
std::int64_t ordinal(std::uint64_t bits, Format format) {
  const auto magnitude = static_cast<std::int64_t>(magnitude_bits(bits, format) >> traits(format).unused);
  return (bits & sign_bit(format)) != 0 ? -magnitude : magnitude;
}

}  // namespace

std::optional<std::uint64_t> ulps_apart(std::uint64_t a, std::uint64_t b, Format format) {
  if (is_nan(a, format) || is_nan(b, format)) return std::nullopt;
  const std::int64_t first = ordinal(a, format);
  const std::int64_t second = ordinal(b, format);
  // Each lies within ±2^63, and their distance below 2^64: unsigned subtraction is exact.
  return first < second ? static_cast<std::uint64_t>(second) - static_cast<std::uint64_t>(first)
                        : static_cast<std::uint64_t>(first) - static_cast<std::uint64_t>(second);
}

mpq_class ulp(std::uint64_t bits, Format format) {
  if (is_nan(bits, format)) return 0;
  const int mantissa = mantissa_bits(format);
  const std::uint64_t magnitude = is_infinite(bits, format) ? largest_finite(format) : magnitude_bits(bits, format);
  const auto field = static_cast<long>(magnitude >> mantissa);
  const long quantum = traits(format).emin - (traits(format).precision - 1) + (field == 0 ? 0 : field - 1);
  mpq_class spacing = 1;
  if (quantum >= 0) {
    spacing <<= static_cast<unsigned long>(quantum);
  } else {
    spacing >>= static_cast<unsigned long>(-quantum);
  }
  return spacing;
}

}  // namespace reckon::numerics
