// Correct rounding into formats, and the exact value of a pattern.
#include <bit>
#include <cmath>

#include "numerics/format.h"
#include "numerics/native_builder.h"
#include "numerics/round_bits.h"

namespace reckon::numerics {

namespace {

/// Whether a magnitude that was truncated to `truncated` must be rounded to the next larger one.
bool rounds_away(const mpz_class& truncated, int remainder_to_half, bool exact, bool negative, Rounding rounding) {
  if (exact) return false;
  switch (rounding) {
    case Rounding::nearest_even:
      return remainder_to_half > 0 || (remainder_to_half == 0 && mpz_odd_p(truncated.get_mpz_t()));
    case Rounding::toward_zero: return false;
    case Rounding::upward: return !negative;
    case Rounding::downward: return negative;
  }
  return false;
}

/// The pattern of a result beyond the largest finite magnitude.
std::uint64_t overflowed(Format format, bool negative, Rounding rounding) {
  if (saturates(format)) return largest_finite(format);
  const bool to_infinity = rounding == Rounding::nearest_even || (rounding == Rounding::upward && !negative) ||
                           (rounding == Rounding::downward && negative);
  return to_infinity ? infinity_bits(format) : largest_finite(format);
}

/// The pattern of |value|, which is not zero, rounded as a number with the sign `negative`.
std::uint64_t round_magnitude(const mpq_class& value, Format format, bool negative, Rounding rounding) {
  const FormatTraits format_traits = traits(format);
  const int mantissa = format_traits.precision - 1;
  const mpz_class numerator = abs(value.get_num());
  const mpz_class& denominator = value.get_den();

  // 2^(estimate-1) < |value| < 2^(estimate+1): far too large and far too small values are settled before
  // anything is shifted, so that no shift is longer than the format's exponent range.
  const long estimate = static_cast<long>(mpz_sizeinbase(numerator.get_mpz_t(), 2)) -
                        static_cast<long>(mpz_sizeinbase(denominator.get_mpz_t(), 2));
  if (estimate - 1 > format_traits.emax) return overflowed(format, negative, rounding);
  const long min_quantum = format_traits.emin - mantissa;
  if (estimate + 1 < min_quantum - 1) {
    return rounds_away(mpz_class(0), -1, false, negative, rounding) ? std::uint64_t{1} << format_traits.unused : 0;
  }

  const auto scaled = [](const mpz_class& base, long exponent) {
    return exponent > 0 ? mpz_class(base << static_cast<unsigned long>(exponent)) : base;
  };
  const bool below = scaled(numerator, -estimate) < scaled(denominator, estimate);
  const long exponent = below ? estimate - 1 : estimate;
  const long quantum = std::max<long>(exponent, format_traits.emin) - mantissa;
  const mpz_class divisor = scaled(denominator, quantum);
  mpz_class significand, remainder;
  mpz_fdiv_qr(significand.get_mpz_t(), remainder.get_mpz_t(), scaled(numerator, -quantum).get_mpz_t(),
              divisor.get_mpz_t());
  const int remainder_to_half = cmp(mpz_class(remainder * 2), divisor);
  if (rounds_away(significand, remainder_to_half, remainder == 0, negative, rounding)) ++significand;

  // A significand that was rounded up to 2^precision carries into the exponent field, and from the
  // largest subnormal into the normals, by plain addition (IEEE 754-2019, 3.4: patterns are ordered).
  const std::uint64_t magnitude = (static_cast<std::uint64_t>(quantum - min_quantum) * (std::uint64_t{1} << mantissa) +
                                   static_cast<std::uint64_t>(significand.get_ui()))
                                  << format_traits.unused;
  return magnitude >= finite_end(format) ? overflowed(format, negative, rounding) : magnitude;
}

}  // namespace

std::optional<Format> format_named(std::string_view name) {
  for (int index = 0; index < format_count; ++index) {
    const auto format = static_cast<Format>(index);
    if (traits(format).name == name) return format;
  }
  return std::nullopt;
}

std::vector<std::string_view> format_names() {
  std::vector<std::string_view> names;
  for (const FormatTraits& row : format_traits) names.push_back(row.name);
  return names;
}

std::uint64_t round_rational(const mpq_class& value, Format format, Rounding rounding) {
  const int sign = sgn(value);
  if (sign == 0) return 0;
  return round_magnitude(value, format, sign < 0, rounding) | (sign < 0 ? sign_bit(format) : 0);
}

std::uint64_t round_rational(const mpq_class& value, Format format) {
  const std::uint64_t bits = round_rational(value, format, Rounding::nearest_even);
  return bits == sign_bit(format) ? 0 : bits;
}

std::optional<mpq_class> exact_value(std::uint64_t bits, Format format) {
  if (!is_finite(bits, format)) return std::nullopt;
  const int mantissa = mantissa_bits(format);
  const std::uint64_t magnitude = bits & storage_mask(format) & ~sign_bit(format);
  const auto field = static_cast<long>(magnitude >> mantissa);
  const std::uint64_t fraction = magnitude & ((std::uint64_t{1} << mantissa) - 1);
  mpz_class significand = static_cast<unsigned long>(field == 0 ? fraction : fraction | (std::uint64_t{1} << mantissa));
  if ((bits & sign_bit(format)) != 0) significand = -significand;
  const long quantum = traits(format).emin - mantissa + (field == 0 ? 0 : field - 1);
  mpq_class value(significand);
  if (quantum >= 0) {
    value <<= static_cast<unsigned long>(quantum);
  } else {
    value >>= static_cast<unsigned long>(-quantum);
  }
  return value;
}

double widen(std::uint64_t bits, Format format) {
  if (is_nan(bits, format)) {
    const std::uint64_t sign = (bits & sign_bit(format)) != 0 ? sign_bit(Format::f64) : 0;
    return std::bit_cast<double>(canonical_nan(Format::f64) | sign);
  }
  if (format == Format::f64) return std::bit_cast<double>(bits);
  const int mantissa = mantissa_bits(format);
  const std::uint64_t magnitude = bits & storage_mask(format) & ~sign_bit(format);
  const std::uint64_t sign = (bits & sign_bit(format)) != 0 ? sign_bit(Format::f64) : 0;
  const std::uint64_t aligned = magnitude << (52 - mantissa);
  if (is_infinite(bits, format)) return std::bit_cast<double>(infinity_bits(Format::f64) | sign);
  // A normal number only has its exponent rebiased. A subnormal one is read as if it were normal, with the
  // least exponent and a hidden bit, which is then subtracted: exact, as the difference has fewer bits.
  const std::uint64_t rebias = static_cast<std::uint64_t>(1023 - bias(format)) << 52;
  if ((magnitude >> mantissa) != 0) return std::bit_cast<double>((aligned + rebias) | sign);
  const std::uint64_t min_normal = rebias + (std::uint64_t{1} << 52);
  const double value = std::bit_cast<double>(aligned + min_normal) - std::bit_cast<double>(min_normal);
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) | sign);
}

std::uint64_t round_f64(double value, Format format) {
  NativeBuilder builder;
  return round_f64_bits_to(builder, value, format);
}

std::uint64_t round_f64(double value, Format format, Rounding rounding) {
  const std::uint64_t nearest = round_f64(value, format);
  if (rounding == Rounding::nearest_even || value != value || std::isinf(value)) return nearest;
  // The nearest value is the answer or its neighbour. (An overflow goes back to the largest number; 0 has a sign.)
  const double back = widen(nearest, format);
  const bool negative = (nearest & sign_bit(format)) != 0;
  const std::uint64_t sign = negative ? sign_bit(format) : 0;
  const std::uint64_t magnitude = magnitude_bits(nearest, format), step = std::uint64_t{1} << traits(format).unused;
  const bool too_far = std::fabs(back) > std::fabs(value), too_near = std::fabs(back) < std::fabs(value);
  const bool away = (rounding == Rounding::upward && !negative) || (rounding == Rounding::downward && negative);
  if (too_far && !away) return (magnitude - step) | sign;
  if (too_near && away && !(saturates(format) && magnitude == largest_finite(format))) return (magnitude + step) | sign;
  return nearest;
}

}  // namespace reckon::numerics
