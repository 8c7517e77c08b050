// What one rounding to nearest may be off.
#pragma once

#include <algorithm>
#include <cmath>

#include "numerics/format.h"

namespace reckon::worst {

/// 2^exponent, or the least positive f64 if it is below that.
inline double power_of_two(int exponent) { return std::ldexp(1.0, std::max(exponent, -1074)); }

/// The exponent of the format's last place at this magnitude, which is not infinite.
inline int last_place(double magnitude, numerics::Format format) {
  const auto& traits = numerics::traits(format);
  const int exponent = magnitude == 0 ? traits.emin : std::max(std::ilogb(magnitude), traits.emin);
  return exponent - traits.precision + 1;
}

/// The most by which rounding moves any real of at most this magnitude. Half a unit of the binade; just above a power
/// of two, which is a number of the format itself, no more than the distance from it.
inline double rounding_error(double magnitude, numerics::Format format) {
  const auto& traits = numerics::traits(format);
  const int place = last_place(magnitude, format);
  const double here = power_of_two(place - 1);
  if (magnitude == 0) return 0;
  const int exponent = std::ilogb(magnitude);
  if (exponent <= traits.emin) return std::min(here, magnitude);
  const double below = power_of_two(place - 2);
  return std::max(below, std::min(here, magnitude - std::ldexp(1.0, exponent)));
}

/// The largest finite number.
inline double largest(numerics::Format format) { return numerics::widen(numerics::largest_finite(format), format); }

}  // namespace reckon::worst
