// The elements of the OCP Microscaling Formats (MX), by their definition alone: specification v1.0, section 5.3. What a
// number is rounded to is searched for among all values.
#pragma once

#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "numerics/format.h"

namespace reckon::numerics::testing {

struct Microscaling {
  Format format;
  int exponent_bits, fraction_bits, bias;

  int width() const { return 1 + exponent_bits + fraction_bits; }
  std::uint64_t sign() const { return std::uint64_t{1} << (exponent_bits + fraction_bits); }
  std::uint64_t largest() const { return sign() - 1; }

  /// (-1)^S 2^(E - bias) (1 + 2^-m M), or (-1)^S 2^(1 - bias) (0 + 2^-m M) where E is 0.
  double value(std::uint64_t bits) const {
    const auto fraction = static_cast<int>(bits & ((std::uint64_t{1} << fraction_bits) - 1));
    const auto exponent = static_cast<int>((bits & (sign() - 1)) >> fraction_bits);
    const double hidden = exponent == 0 ? 0 : 1;
    const double magnitude = std::ldexp(hidden + std::ldexp(fraction, -fraction_bits), std::max(exponent, 1) - bias);
    return (bits & sign()) != 0 ? -magnitude : magnitude;
  }

  /// The nearest value, of two the one with the even pattern; `negative` is the sign of a zero.
  std::uint64_t nearest(const mpq_class& x, bool negative) const {
    const mpq_class magnitude = abs(x);
    std::uint64_t best = 0;
    for (std::uint64_t bits = 1; bits <= largest(); ++bits) {
      const int nearer = cmp(abs(mpq_class(value(bits)) - magnitude), abs(mpq_class(value(best)) - magnitude));
      if (nearer < 0 || (nearer == 0 && bits % 2 == 0)) best = bits;
    }
    return best | (negative ? sign() : 0);
  }
  /// With what becomes of infinities and NaNs: the largest number, of a NaN without a sign (PTX ISA 8.6, cvt.satfinite).
  std::uint64_t nearest(double x) const {
    if (std::isnan(x)) return largest();
    if (std::isinf(x)) return largest() | (x < 0 ? sign() : 0);
    return nearest(mpq_class(x), std::signbit(x));
  }
};

inline constexpr Microscaling microscaling_formats[] = {{Format::f6e3m2, 3, 2, 3}, {Format::f6e2m3, 2, 3, 1}, {Format::f4e2m1, 2, 1, 1}};

/// An f16 by the definition of IEEE 754.
inline double f16_value(std::uint64_t bits) {
  const auto fraction = static_cast<int>(bits & 0x3ff), exponent = static_cast<int>(bits >> 10 & 0x1f);
  double magnitude = std::ldexp(exponent == 0 ? fraction : fraction + 0x400, std::max(exponent, 1) - 25);
  if (exponent == 0x1f) magnitude = fraction == 0 ? HUGE_VAL : std::nan("");
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

}  // namespace reckon::numerics::testing
