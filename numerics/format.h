// Floating-point formats as bit patterns: their parameters, correct rounding into them, and their text. A value of a format
// is carried as its bit pattern, right-aligned in 64 bits; in memory, a pattern of less than 8 bits lies in the low bits of
// a byte. Source: IEEE Std 754-2019, sections 3.3 to 3.5 and 5.4; bf16 as in IEEE's truncated binary32; f8e4m3 (its E4M3,
// often called "fn") and f8e5m2 as in "OCP 8-bit Floating Point Specification (OFP8)", revision 1.0, with saturating
// conversions; formats of less than 8 bits as in "OCP Microscaling Formats (MX) Specification", version 1.0, section 5.3.
//
// tf32 is stored as hardware stores it: the f32 pattern of the value, whose 13 low bits are 0. These bits, like those
// above a pattern of less than 8 bits, are ignored in patterns that come from outside (`storage_mask`).
#pragma once

#include <gmpxx.h>

#include <cassert>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reckon::numerics {

enum class Format : std::uint8_t {
#define RECKON_FORMAT(name, ...) name,
#include "numerics/formats.def"
};

/// Which patterns are no finite numbers.
enum class Specials : std::uint8_t {
  infinities,  ///< those whose exponent field is all ones: infinities and NaNs, as in IEEE 754
  nan,         ///< one with either sign, all other bits of which are 1: a NaN
  none
};

/// Parameters of a binary format.
struct FormatTraits {
  std::string_view name;
  int width;      ///< bits of a pattern
  int precision;  ///< significand bits, the hidden one included
  int emin;       ///< exponent of the least normal number
  int emax;       ///< exponent of the largest finite number
  int unused;     ///< low bits of every pattern that are 0
  Specials specials;
  /// Results that overflow, and infinite ones, are the largest finite number with their sign, in every direction of
  /// rounding. Infinities are then operands only.
  bool saturates;
  std::string_view npy;  ///< element type in files of NumPy (runtime/npy.h), without the order of bytes
};

/// In the order of Format. It is not inside traits(), because gcc would copy it to the stack at every call.
inline constexpr FormatTraits format_traits[] = {
#define RECKON_FORMAT(name, ...) {#name, __VA_ARGS__},
#include "numerics/formats.def"
};
inline constexpr int format_count = static_cast<int>(std::size(format_traits));
constexpr const FormatTraits& traits(Format format) { return format_traits[static_cast<int>(format)]; }

/// Whether every number of the narrow format is one of the wide format.
constexpr bool holds(Format wide, Format narrow) {
  const FormatTraits &a = traits(wide), &b = traits(narrow);
  return a.precision >= b.precision && a.emax >= b.emax && a.emin - a.precision <= b.emin - b.precision;
}

/// The bits that a pattern takes in memory.
constexpr int word_width(Format format) { return (traits(format).width + 7) / 8 * 8; }
/// The place of the exponent field: fraction bits, unused ones included.
constexpr int mantissa_bits(Format format) { return traits(format).precision - 1 + traits(format).unused; }
constexpr std::uint64_t width_mask(Format format) {
  return traits(format).width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << traits(format).width) - 1;
}
/// The mask of the bits that may be set.
constexpr std::uint64_t storage_mask(Format format) {
  return width_mask(format) & ~((std::uint64_t{1} << traits(format).unused) - 1);
}
/// Whether every word in memory is a pattern.
constexpr bool fills_words(Format format) {
  return traits(format).width == word_width(format) && traits(format).unused == 0;
}
constexpr std::uint64_t sign_bit(Format format) { return std::uint64_t{1} << (traits(format).width - 1); }
constexpr bool has_infinity(Format format) { return traits(format).specials == Specials::infinities; }
constexpr bool has_nan(Format format) { return traits(format).specials != Specials::none; }
constexpr bool saturates(Format format) { return traits(format).saturates; }
/// Only for a format that has an infinity.
constexpr std::uint64_t infinity_bits(Format format) {
  assert(has_infinity(format));
  return ((std::uint64_t{1} << (traits(format).width - 1 - mantissa_bits(format))) - 1) << mantissa_bits(format);
}
/// The least magnitude that is not a finite number: the infinity, the NaN if the format has no infinity, and one more than
/// all magnitudes if it has neither.
constexpr std::uint64_t finite_end(Format format) {
  return has_infinity(format) ? infinity_bits(format) : sign_bit(format) - (has_nan(format) ? 1 : 0);
}
constexpr std::uint64_t largest_finite(Format format) {
  return finite_end(format) - (std::uint64_t{1} << traits(format).unused);
}
/// The result of an infinite operation, or of an overflow to nearest: the infinity, or the largest finite number.
constexpr std::uint64_t overflow_bits(Format format) {
  return saturates(format) ? largest_finite(format) : infinity_bits(format);
}
/// The number that is added to an exponent to get its field.
constexpr int bias(Format format) { return 1 - traits(format).emin; }
constexpr std::uint64_t min_normal(Format format) { return std::uint64_t{1} << mantissa_bits(format); }
/// The quiet NaN that stands for every NaN wherever bits are shown, saved or compared. For a format without NaNs it is what
/// a NaN is converted to, the largest number (PTX ISA 8.6, cvt: `.satfinite` to .e2m1x2, .e2m3x2 and .e3m2x2).
constexpr std::uint64_t canonical_nan(Format format) {
  return has_infinity(format) ? infinity_bits(format) | (std::uint64_t{1} << (mantissa_bits(format) - 1))
         : has_nan(format)    ? finite_end(format)
                              : largest_finite(format);
}
constexpr std::uint64_t magnitude_bits(std::uint64_t bits, Format format) {
  return bits & ~sign_bit(format) & width_mask(format);
}
constexpr bool is_nan(std::uint64_t bits, Format format) {
  return has_infinity(format) ? magnitude_bits(bits, format) > infinity_bits(format)
                              : magnitude_bits(bits, format) == finite_end(format);
}
constexpr bool is_infinite(std::uint64_t bits, Format format) {
  return has_infinity(format) && magnitude_bits(bits, format) == finite_end(format);
}
constexpr bool is_finite(std::uint64_t bits, Format format) {
  return magnitude_bits(bits, format) < finite_end(format);
}
constexpr bool is_subnormal(std::uint64_t bits, Format format) {
  return magnitude_bits(bits, format) != 0 && magnitude_bits(bits, format) < min_normal(format);
}

std::optional<Format> format_named(std::string_view name);
/// In the order of Format.
std::vector<std::string_view> format_names();

constexpr bool every_format(Format) { return true; }

/// Calls `f` with the format as its template argument. Formats that `includes` excludes are not instantiated, and the
/// caller must not pass them.
template <bool (*includes)(Format) = every_format, class F>
constexpr decltype(auto) with_format(Format format, F&& f) {
  switch (format) {
#define RECKON_FORMAT(name, ...)                                                        \
  case Format::name:                                                                    \
    if constexpr (includes(Format::name)) return f.template operator()<Format::name>(); \
    else break;
#include "numerics/formats.def"
  }
  assert(false);
  constexpr Format first = [] {
    int k = 0;
    while (!includes(static_cast<Format>(k))) ++k;
    return static_cast<Format>(k);
  }();
  return f.template operator()<first>();
}

/// IEEE 754-2019 section 4.3; `toward_zero` and the directed ones never round a finite value to an infinity
/// on the side that they forbid (a huge positive value goes `downward` to the largest finite one).
enum class Rounding : std::uint8_t { nearest_even, toward_zero, upward, downward };

/// The nearest value of `format`, ties to even; overflow gives an infinity (the largest number where the format
/// saturates), underflow a subnormal or +0 (-0 never: a rational has no sign of zero). Exact for every rational.
std::uint64_t round_rational(const mpq_class& value, Format format);
/// The same in any direction. Unlike the form with two arguments, it gives -0 for a negative value that rounds to
/// zero, so that an interval's endpoint keeps its side.
std::uint64_t round_rational(const mpq_class& value, Format format, Rounding rounding);

/// The exact value of a finite pattern; nothing for infinities and NaNs. Both zeros give 0.
std::optional<mpq_class> exact_value(std::uint64_t bits, Format format);

/// Widening to f64, exact for every format (a NaN becomes the canonical f64 NaN with its sign).
double widen(std::uint64_t bits, Format format);

/// One rounding of an f64 into `format`, ties to even, sign of zero kept, NaN to `canonical_nan`; an infinity saturates
/// where the format does.
std::uint64_t round_f64(double value, Format format);
/// The same in any direction. An infinity is not an overflow: it stays an infinity, unless the format saturates.
std::uint64_t round_f64(double value, Format format, Rounding rounding);

/// Shortest decimal that reads back (scientific outside 1e-5..1e16), exact for integers and for formats of at most 8 bits;
/// `inf`, `-0`.
std::string shortest_decimal(std::uint64_t bits, Format format);

/// C99 hexadecimal float, normalised to one leading digit (`0x1.8p+0`, `-0x0p+0`, subnormals as
/// 0x0.…p-126); `inf`, `nan`.
std::string hexadecimal(std::uint64_t bits, Format format);

/// Lower-case hexadecimal digits, so many as the word in memory has.
std::string bit_digits(std::uint64_t bits, Format format);

/// The number of steps from one pattern to the other (0 for +0 and -0); nothing if either is a NaN.
std::optional<std::uint64_t> ulps_apart(std::uint64_t a, std::uint64_t b, Format format);

/// Distance from the pattern's magnitude to the next larger one, as a rational (largest finite: its own spacing).
/// An infinity has the spacing of the largest finite value; a NaN gives 0.
mpq_class ulp(std::uint64_t bits, Format format);

/// Exact value of a decimal or hexadecimal floating literal as the language writes them:
/// `12`, `1_000`, `.5`-free decimals `0.5`, `1e-3`, `0x1.8p+3`, `0xff`. Nothing if it is not one, or if its
/// exponent is beyond ±100,000 (such a number would not fit in memory). No sign: `-` is an operator. A
/// hexadecimal literal with a point needs its `p` exponent, as in C99; `_` stands between two digits only.
std::optional<mpq_class> parse_number(std::string_view text);

/// `7`, `-1/3`: how an exact rational is shown.
std::string rational_text(const mpq_class& value);

}  // namespace reckon::numerics
