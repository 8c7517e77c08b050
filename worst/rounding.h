// What one rounding to nearest may be off.
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

/// The most by which rounding moves any real of at most this magnitude. Half a unit of the binade; just above a power
/// of two, which is a number of the format itself, no more than the distance from it.
inline double rounding_error(double magnitude, numerics::Format format) {
  const auto& traits = numerics::traits(format);
  const int place = last_place(magnitude, format);
  const double here = power_of_two(place - 1);
  if (magnitude == 0) return 0;
  const int exponent = exponent_of(magnitude);
  if (exponent <= traits.emin) return std::min(here, magnitude);
  const double below = power_of_two(place - 2);
  return std::max(below, std::min(here, magnitude - power_of_two(exponent)));
}

/// The nearest number of the format.
inline double nearest(double value, numerics::Format format) {
  if (format == numerics::Format::f64) return value;
  if (format == numerics::Format::f32) return static_cast<float>(value);
  return numerics::widen(numerics::round_f64(value, format), format);
}

/// The largest finite number.
inline double largest(numerics::Format format) { return numerics::widen(numerics::largest_finite(format), format); }

}  // namespace reckon::worst
