// Patterns as text: a decimal that names them, hexadecimal float, plain bit digits.
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>

#include "numerics/decimal_upward.h"
#include "numerics/format.h"

namespace reckon::numerics {

namespace {

/// The positive decimal d1.d2d3... * 10^exponent.
struct Decimal {
  std::string digits;
  int exponent = 0;
};

mpq_class signed_power_of_ten(long exponent) {
  const mpz_class power = power_of_ten(static_cast<unsigned long>(exponent < 0 ? -exponent : exponent));
  return exponent < 0 ? mpq_class(1, power) : mpq_class(power);
}

/// Digits from the standard library's shortest conversion, which is correct for float and double.
template <class Float>
Decimal shortest_native(Float value) {
  char buffer[64];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<std::size_t>(result.ptr - buffer));
  const std::size_t mark = text.find('e');
  Decimal decimal;
  for (const char character : text.substr(0, mark)) {
    if (character != '.') decimal.digits += character;
  }
  const std::size_t first = text[mark + 1] == '+' ? mark + 2 : mark + 1;
  std::from_chars(text.data() + first, text.data() + text.size(), decimal.exponent);
  return decimal;
}

/// For formats that the standard library lacks: the least number of digits for which one of the two
/// decimals around the value reads back. Both are tried, since at a power of two the nearer decimal may
/// lie on the narrow side, outside the numbers that round to the pattern, and the farther one inside. A decimal that is
/// rounded to the largest number only because the format saturates is not used.
Decimal shortest_searched(std::uint64_t bits, Format format) {
  const mpq_class value = *exact_value(bits, format);
  const mpq_class most = value + ulp(bits, format) / 2;
  const auto reads_back = [&](const mpq_class& decimal) {
    return decimal <= most && round_rational(decimal, format) == bits;
  };
  int exponent = 0;
  while (signed_power_of_ten(exponent + 1) <= value) ++exponent;
  while (signed_power_of_ten(exponent) > value) --exponent;
  for (int count = 1;; ++count) {
    const mpq_class quantum = signed_power_of_ten(exponent - count + 1);
    const mpq_class scaled = value / quantum;
    const mpz_class lower = scaled.get_num() / scaled.get_den();
    const mpz_class upper = lower + 1;
    const bool lower_reads_back = reads_back(lower * quantum);
    const bool upper_reads_back = reads_back(upper * quantum);
    if (!lower_reads_back && !upper_reads_back) continue;
    const int to_upper = cmp(mpq_class(2 * scaled), mpq_class(lower + upper));
    const bool upper_is_nearer = to_upper > 0 || (to_upper == 0 && mpz_odd_p(lower.get_mpz_t()));
    const bool take_upper = upper_reads_back && (!lower_reads_back || upper_is_nearer);
    Decimal decimal{(take_upper ? upper : lower).get_str(), exponent};
    // Rounding 9.96 to two digits gives 10.0, one digit more than was asked for.
    decimal.exponent += static_cast<int>(decimal.digits.size()) - count;
    return decimal;
  }
}

/// Numbers from 10^16 on are written with an exponent.
constexpr int first_exponent = 16;

/// All digits of a value with a finite decimal expansion; for an integer below 10^16 they are those before the point.
Decimal exact_decimal(std::uint64_t bits, Format format) {
  const mpq_class value = *exact_value(bits, format);
  // n / 2^k is n 5^k / 10^k.
  const auto places = static_cast<unsigned long>(mpz_scan1(value.get_den_mpz_t(), 0));
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 5, places);
  Decimal decimal{mpz_class(value.get_num() * power).get_str(), 0};
  decimal.exponent = static_cast<int>(decimal.digits.size()) - 1 - static_cast<int>(places);
  return decimal;
}

/// Whether the exact value is shown. A format of 8 bits has so few values that one digit would identify most of them, but
/// it would mislead readers who know them: 450 for 448. And a text without a point or an exponent reads as the integer
/// that it shows: 65504 is not 65500.
bool is_named_exactly(std::uint64_t bits, Format format) {
  if (format == Format::f64) return false;  // below 10^16, the shortest decimal of an integer is the integer
  if (traits(format).width <= 8) return true;
  if (format == Format::f32) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    return value < 1e16f && value == std::trunc(value);
  }
  const mpq_class value = *exact_value(bits, format);
  return value.get_den() == 1 && value < signed_power_of_ten(first_exponent);
}

Decimal name_of(std::uint64_t bits, Format format) {
  Decimal decimal = is_named_exactly(bits, format) ? exact_decimal(bits, format)
                    : format == Format::f64 ? shortest_native(std::bit_cast<double>(bits))
                    : format == Format::f32 ? shortest_native(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                                            : shortest_searched(bits, format);
  while (decimal.digits.size() > 1 && decimal.digits.back() == '0') decimal.digits.pop_back();
  return decimal;
}

std::string laid_out(const Decimal& decimal) {
  const auto count = static_cast<int>(decimal.digits.size());
  if (decimal.exponent < -5 || decimal.exponent >= first_exponent) {
    const std::string_view fraction = std::string_view(decimal.digits).substr(1);
    return fmt::format("{}{}{}e{}", decimal.digits[0], fraction.empty() ? "" : ".", fraction, decimal.exponent);
  }
  if (decimal.exponent < 0) return fmt::format("0.{:0<{}}{}", "", -decimal.exponent - 1, decimal.digits);
  const int whole = decimal.exponent + 1;
  if (count <= whole) return fmt::format("{:0<{}}", decimal.digits, whole);
  const std::string_view digits = decimal.digits;
  const auto point = static_cast<std::size_t>(whole);
  return fmt::format("{}.{}", digits.substr(0, point), digits.substr(point));
}

}  // namespace

std::string shortest_decimal(std::uint64_t bits, Format format) {
  if (is_nan(bits, format)) return "nan";
  const std::string sign = (bits & sign_bit(format)) != 0 ? "-" : "";
  const std::uint64_t magnitude = bits & width_mask(format) & ~sign_bit(format);
  if (is_infinite(bits, format)) return sign + "inf";
  if (magnitude == 0) return sign + "0";
  return sign + laid_out(name_of(magnitude, format));
}

std::string hexadecimal(std::uint64_t bits, Format format) {
  if (is_nan(bits, format)) return "nan";
  const std::string sign = (bits & sign_bit(format)) != 0 ? "-" : "";
  const std::uint64_t magnitude = bits & width_mask(format) & ~sign_bit(format);
  if (is_infinite(bits, format)) return sign + "inf";
  if (magnitude == 0) return sign + "0x0p+0";
  const int mantissa = mantissa_bits(format);
  const int digit_count = (mantissa + 3) / 4;
  const auto field = static_cast<int>(magnitude >> mantissa);
  const std::uint64_t fraction = (magnitude & ((std::uint64_t{1} << mantissa) - 1)) << (4 * digit_count - mantissa);
  std::string digits = fmt::format("{:0{}x}", fraction, digit_count);
  while (!digits.empty() && digits.back() == '0') digits.pop_back();
  const int exponent = traits(format).emin + (field == 0 ? 0 : field - 1);
  return fmt::format("{}0x{}{}{}p{:+}", sign, field == 0 ? 0 : 1, digits.empty() ? "" : ".", digits, exponent);
}

std::string bit_digits(std::uint64_t bits, Format format) {
  return fmt::format("{:0{}x}", bits & width_mask(format), word_width(format) / 4);
}

}  // namespace reckon::numerics
