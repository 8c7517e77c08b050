// A float format in terms of doubles: a real's neighbours in it, flushing, and units in the last place.
//
// "Finite" and "subnormal" are tests of range only, whether or not the format has the number; f64 stands for WGSL's
// abstract numbers, too. Source: WGSL specification, 15.7 (floating point evaluation); gpuweb/cts, floating_point.ts.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "numerics/format.h"
#include "semantics/accept/answers.h"

namespace reckon::interp::accept {

struct NumberKind {
  numerics::Format format{};
  int precision = 0;
  double largest = 0;  ///< the largest finite number
  double min_normal = 0;
  double least = 0;        ///< the least subnormal number
  double scale = 0;        ///< 1 / least; not used for f64
  double largest_ulp = 0;  ///< the spacing below `largest`
  double overflow = 0;     ///< the power of two above `largest`; f64: infinity
  double unit = 0;         ///< the spacing above 1
  std::uint64_t mask = 0;  ///< the bits of a double that the format has no room for; 0: f64

  static NumberKind of(numerics::Format format) {
    const numerics::FormatTraits traits = numerics::traits(format);
    NumberKind kind;
    kind.format = format;
    kind.precision = traits.precision;
    kind.largest = numerics::widen(numerics::largest_finite(format), format);
    kind.min_normal = std::ldexp(1.0, traits.emin);
    kind.least = std::ldexp(1.0, traits.emin - traits.precision + 1);
    kind.scale = format == numerics::Format::f64 ? 0 : 1 / kind.least;
    kind.largest_ulp = std::ldexp(1.0, traits.emax - traits.precision + 1);
    kind.overflow = std::ldexp(1.0, traits.emax + 1);
    kind.unit = std::ldexp(1.0, 1 - traits.precision);
    kind.mask = (std::uint64_t{1} << (53 - traits.precision)) - 1;
    return kind;
  }

  bool is_finite(double x) const { return std::fabs(x) <= largest; }
  bool is_finite(const Interval& x) const { return x.low >= -largest && x.high <= largest; }
  /// Whether x is a subnormal number or 0.
  bool is_subnormal(double x) const { return std::fabs(x) < min_normal; }
  bool meets_subnormals(const Interval& x) const { return x.low < min_normal && x.high > -min_normal; }
  double greatest_subnormal() const { return min_normal - least; }

  /// The nearest number of the format that is not larger; beyond the finite numbers, the largest one or -infinity.
  double round_down(double x) const {
    const double magnitude = std::fabs(x);
    if (magnitude > largest) return x > 0 ? (std::isinf(x) ? x : largest) : -infinity;
    if (mask == 0) return x;
    if (magnitude < min_normal) return std::floor(x * scale) * least;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    if ((bits & mask) == 0) return x;
    const std::uint64_t nearer = bits & ~mask;  // toward zero; one unit more is the neighbour away from zero
    return std::bit_cast<double>(x > 0 ? nearer : nearer + mask + 1);
  }
  double round_up(double x) const { return -round_down(-x); }
  Interval outward(const Interval& x) const { return {round_down(x.low) + 0.0, round_up(x.high) + 0.0}; }
  bool has(double x) const { return round_down(x) == x; }

  /// The neighbour below a number of the format.
  double before(double x) const {
    if (std::isinf(x)) return x > 0 ? largest : x;
    if (std::fabs(x) < min_normal || x == min_normal) return x - least;
    if (x == -largest) return -infinity;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    return std::bit_cast<double>(x > 0 ? bits - (mask + 1) : bits + (mask + 1));
  }
  double after(double x) const { return -before(-x); }

  /// The nearest number, ties to even; it overflows as IEEE 754 says.
  double nearest(double x) const { return numerics::widen(numerics::round_f64(x, format), format) + 0.0; }

  /// 2^e for 2^e <= |x| < 2^(e+1); x normal.
  static double binade(double x) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0x7ff0'0000'0000'0000ull);
  }
  static bool is_power_of_two(double x) { return (std::bit_cast<std::uint64_t>(x) & 0x000f'ffff'ffff'ffffull) == 0; }
  /// The distance between the numbers of the format in x's binade; x is at least `min_normal`.
  double spacing(double x) const { return std::max(binade(x) * unit, least); }

  /// The unit in the last place of a number of the format; at a power of two, the smaller one. `flushes`: subnormal
  /// numbers count as 0, and the unit at 0 is the least normal number.
  double ulp(double x, bool flushes) const {
    const double magnitude = std::fabs(x);
    if (magnitude >= largest) return largest_ulp;
    if (magnitude < min_normal) return flushes ? min_normal : least;
    if (magnitude == min_normal) return least;
    const double spacing = this->spacing(magnitude);
    return is_power_of_two(magnitude) ? std::max(spacing / 2, least) : spacing;
  }
};

}  // namespace reckon::interp::accept
