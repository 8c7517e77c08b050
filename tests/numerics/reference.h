// What the tests of this folder compare with: MPFR used directly, and a fixed stream of random patterns.
#pragma once

#include <gmpxx.h>
#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "numerics/format.h"

namespace reckon::numerics::testing {

inline constexpr Format all_formats[] = {
#define RECKON_FORMAT(name, ...) Format::name,
#include "numerics/formats.def"
};
/// Those of at most 8 bits, whose results saturate.
inline constexpr Format small_formats[] = {Format::f8e4m3, Format::f8e5m2, Format::f6e3m2, Format::f6e2m3, Format::f4e2m1};
inline constexpr Format narrow_formats[] = {Format::f16, Format::bf16, Format::f8e4m3, Format::f8e5m2, Format::f6e3m2, Format::f6e2m3, Format::f4e2m1};
inline constexpr Rounding all_roundings[] = {Rounding::nearest_even, Rounding::toward_zero, Rounding::upward,
                                             Rounding::downward};

/// Seeded alike everywhere: a failure shows again.
inline std::mt19937_64 random_stream(std::uint64_t seed) { return std::mt19937_64(seed); }

inline mpfr_rnd_t direction(Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest_even: return MPFR_RNDN;
    case Rounding::toward_zero: return MPFR_RNDZ;
    case Rounding::upward: return MPFR_RNDU;
    case Rounding::downward: return MPFR_RNDD;
  }
  return MPFR_RNDN;
}

/// The least pattern above 0.
inline std::uint64_t least(Format format) { return format == Format::tf32 ? 0x2000 : 1; }

/// The largest number of a format that saturates: OFP8, tables 1 and 2, and the specification of the OCP Microscaling
/// Formats, v1.0, section 5.3.
inline double saturation(Format format) {
  switch (format) {
    case Format::f8e4m3: return 448;
    case Format::f8e5m2: return 57344;
    case Format::f6e3m2: return 28;
    case Format::f6e2m3: return 7.5;
    case Format::f4e2m1: return 6;
    default: return HUGE_VAL;
  }
}
/// Formats without NaNs, in which a NaN becomes the largest number.
inline bool without_nan(Format format) { return saturation(format) < 448; }

/// The pattern of a double that is a value of the format, or lies beyond its largest number, taken apart with frexp:
/// nothing of the code under test but the numbers of format.h's table.
inline std::uint64_t pattern_of(double value, Format format) {
  const FormatTraits target = traits(format);
  const std::uint64_t sign = std::signbit(value) ? std::uint64_t{1} << (target.width - 1) : 0;
  const int mantissa = target.precision - 1, exponent_bits = target.width - target.unused - target.precision;
  const std::uint64_t exponent_mask = (std::uint64_t{1} << exponent_bits) - 1;
  if (format == Format::f8e4m3 && std::isnan(value)) return 0x7f;
  if (std::isnan(value) && without_nan(format)) return pattern_of(saturation(format), format);
  if (std::isnan(value)) return ((exponent_mask << mantissa) | (std::uint64_t{1} << (mantissa - 1))) << target.unused;
  if (std::fabs(value) > saturation(format)) value = std::copysign(saturation(format), value);
  if (std::isinf(value)) return sign | (exponent_mask << mantissa << target.unused);
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int quantum = std::max(exponent - 1, target.emin) - mantissa;
  const auto significand = static_cast<std::uint64_t>(std::ldexp(magnitude, -quantum));
  const auto field = static_cast<std::uint64_t>(quantum - (target.emin - mantissa));
  return sign | (field * (std::uint64_t{1} << mantissa) + significand) << target.unused;
}

/// `evaluate(result, direction)` run at the format's precision and exponent range, as a pattern.
template <class Evaluate>
std::uint64_t rounded_by_mpfr(Format format, Rounding rounding, Evaluate evaluate) {
  const mpfr_exp_t emin = mpfr_get_emin();
  const mpfr_exp_t emax = mpfr_get_emax();
  const FormatTraits target = traits(format);
  mpfr_set_emin(target.emin - target.precision + 2);
  mpfr_set_emax(target.emax + 1);
  mpfr_t result;
  mpfr_init2(result, target.precision);
  int ternary = evaluate(static_cast<mpfr_ptr>(result), direction(rounding));
  ternary = mpfr_check_range(result, ternary, direction(rounding));
  mpfr_subnormalize(result, ternary, direction(rounding));
  const double value = mpfr_get_d(result, MPFR_RNDN);
  mpfr_clear(result);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  return pattern_of(value, format);
}

inline std::uint64_t rational_by_mpfr(const mpq_class& value, Format format, Rounding rounding) {
  return rounded_by_mpfr(format, rounding, [&](mpfr_ptr result, mpfr_rnd_t where) {
    return mpfr_set_q(result, value.get_mpq_t(), where);
  });
}

}  // namespace reckon::numerics::testing
