// What one rounding may be off, and where it leads.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "numerics/format.h"

namespace reckon::worst {

/// 2^exponent, or the least positive f64 if it is below that.
inline double power_of_two(int exponent) {
  if (exponent < -1022) return std::ldexp(1.0, std::max(exponent, -1074));
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}
/// The exponent of a positive number.
inline int exponent_of(double value) {
  const auto field = static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52);
  return field > 0 ? field - 1023 : std::ilogb(value);
}

/// The exponent of the format's last place at this magnitude, which is not infinite.
inline int last_place(double magnitude, numerics::Format format) {
  const auto& traits = numerics::traits(format);
  const int exponent = magnitude == 0 ? traits.emin : std::max(exponent_of(magnitude), traits.emin);
  return exponent - traits.precision + 1;
}

/// The most by which rounding moves any real of at most this magnitude. To nearest, half a unit of the binade; just
/// above a power of two, which is a number of the format itself, no more than the distance from it. In a direction, a
/// whole unit; and toward zero, just above a power of two, that distance.
inline double rounding_error(double magnitude, numerics::Format format,
                             numerics::Rounding rounding = numerics::Rounding::nearest_even) {
  using numerics::Rounding;
  const auto& traits = numerics::traits(format);
  const bool to_nearest = rounding == Rounding::nearest_even;
  const int unit = last_place(magnitude, format) - (to_nearest ? 1 : 0);
  const double here = power_of_two(unit);
  if (magnitude == 0) return 0;
  const bool away = rounding == Rounding::upward || rounding == Rounding::downward;
  const int exponent = exponent_of(magnitude);
  if (exponent <= traits.emin) return away ? here : std::min(here, magnitude);
  const double below = power_of_two(unit - 1), above = magnitude - power_of_two(exponent);
  return away ? (above > 0 ? here : below) : std::max(below, std::min(here, above));
}

/// The number of the format to which it is rounded. All numbers are f64s, and stay what they are in f64.
inline double rounded_to(double value, numerics::Format format,
                         numerics::Rounding rounding = numerics::Rounding::nearest_even) {
  using numerics::Rounding;
  if (format == numerics::Format::f64) return value;
  if (format == numerics::Format::f32 && rounding == Rounding::nearest_even) return static_cast<float>(value);
  return numerics::widen(numerics::round_f64(value, format, rounding), format);
}
inline double nearest(double value, numerics::Format format) { return rounded_to(value, format); }

/// The zero of its sign in the place of a subnormal number.
inline double flushed(double value, numerics::Format format) {
  return std::fabs(value) < power_of_two(numerics::traits(format).emin) ? std::copysign(0.0, value) : value;
}

/// The largest finite number.
inline double largest(numerics::Format format) { return numerics::widen(numerics::largest_finite(format), format); }

}  // namespace reckon::worst
