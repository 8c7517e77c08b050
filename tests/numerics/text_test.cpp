// Patterns and rationals as text, and back.
#include <catch2/catch.hpp>

#include <cmath>
#include <cstdio>

#include "numerics/decimal_upward.h"
#include "numerics/format.h"
#include "reference.h"

using namespace reckon::numerics;
using namespace reckon::numerics::testing;

namespace {

mpq_class power_of_ten(long exponent) {
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, static_cast<unsigned long>(std::labs(exponent)));
  return exponent < 0 ? mpq_class(1, power) : mpq_class(power);
}

std::uint64_t read_back(const std::string& text, Format format) {
  const bool negative = text[0] == '-';
  const std::optional<mpq_class> value = parse_number(std::string_view(text).substr(negative ? 1 : 0));
  REQUIRE(value);
  return round_rational(*value, format) | (negative ? sign_bit(format) : 0);
}

std::string digits_of(const std::string& text) {
  std::string digits;
  for (const char character : text.substr(0, text.find('e'))) {
    if (character >= '0' && character <= '9') digits += character;
  }
  digits.erase(0, digits.find_first_not_of('0'));
  while (digits.back() == '0') digits.pop_back();
  return digits;
}

/// Whether some decimal with so many digits rounds to the pattern: is there an integer between the midpoints on
/// either side, in units of the last digit? Independent of how shortest_decimal searches.
bool has_decimal(std::uint64_t bits, Format format, long count) {
  const mpq_class value = *exact_value(bits, format);
  const mpq_class low = (value + *exact_value(bits - 1, format)) / 2;
  const mpq_class high = value + ulp(bits, format) / 2;
  const bool closed = bits % 2 == 0;
  long exponent = 0;
  while (power_of_ten(exponent + 1) <= value) ++exponent;
  while (power_of_ten(exponent) > value) --exponent;
  const mpq_class quantum = power_of_ten(exponent - count + 1);
  const mpq_class first = low / quantum, last = high / quantum;
  mpz_class candidate = first.get_num() / first.get_den();
  for (; candidate <= last; ++candidate) {
    if ((candidate > first || (closed && candidate == first)) && (candidate < last || closed)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("shortest decimals as written", "[numerics]") {
  const auto f64 = [](double value) { return shortest_decimal(std::bit_cast<std::uint64_t>(value), Format::f64); };
  CHECK(f64(1.5) == "1.5");
  CHECK(f64(1) == "1");
  CHECK(f64(-120) == "-120");
  CHECK(f64(0.1) == "0.1");
  CHECK(f64(0.00001) == "0.00001");
  CHECK(f64(0.0000025) == "2.5e-6");
  CHECK(f64(9007199254740992) == "9007199254740992");
  CHECK(f64(1e16) == "1e16");
  CHECK(f64(-1.25e300) == "-1.25e300");
  CHECK(f64(5e-324) == "5e-324");
  CHECK(f64(0.0) == "0");
  CHECK(f64(-0.0) == "-0");
  CHECK(shortest_decimal(0x3dcccccd, Format::f32) == "0.1");
  CHECK(shortest_decimal(0x7f7fffff, Format::f32) == "3.4028235e38");
  CHECK(shortest_decimal(0x2e66, Format::f16) == "0.1");
  CHECK(shortest_decimal(0x7bff, Format::f16) == "65504");
  CHECK(shortest_decimal(0x0001, Format::f16) == "6e-8");
  CHECK(shortest_decimal(0x4049, Format::bf16) == "3.14");
  CHECK(shortest_decimal(0x7f7f, Format::bf16) == "3.39e38");
  CHECK(shortest_decimal(0x3dccc000, Format::tf32) == "0.1");
  for (const Format format : all_formats) {
    if (has_infinity(format)) {
      CHECK(shortest_decimal(infinity_bits(format), format) == "inf");
      CHECK(shortest_decimal(infinity_bits(format) | sign_bit(format), format) == "-inf");
      CHECK(hexadecimal(infinity_bits(format) | sign_bit(format), format) == "-inf");
    }
    if (without_nan(format)) continue;
    CHECK(shortest_decimal(canonical_nan(format) | sign_bit(format), format) == "nan");
    CHECK(hexadecimal(canonical_nan(format), format) == "nan");
  }
}

TEST_CASE("a text that reads as an integer is that integer, and of eight bits and fewer all are exact", "[numerics]") {
  // The values are those of the formats' definitions: 1.75 2^8, 1.125 2^7, 2^-9; 1.75 2^15; (2 - 2^-10) 2^15.
  CHECK(shortest_decimal(0x7e, Format::f8e4m3) == "448");
  CHECK(shortest_decimal(0x71, Format::f8e4m3) == "144");
  CHECK(shortest_decimal(0x79, Format::f8e4m3) == "288");
  CHECK(shortest_decimal(0x01, Format::f8e4m3) == "0.001953125");
  CHECK(shortest_decimal(0xfb, Format::f8e5m2) == "-57344");
  CHECK(shortest_decimal(0x1f, Format::f6e3m2) == "28");
  CHECK(shortest_decimal(0x21, Format::f6e3m2) == "-0.0625");
  CHECK(shortest_decimal(0x1f, Format::f6e2m3) == "7.5");
  CHECK(shortest_decimal(0x09, Format::f6e2m3) == "1.125");
  CHECK(shortest_decimal(0x0f, Format::f4e2m1) == "-6");
  CHECK(shortest_decimal(0x01, Format::f4e2m1) == "0.5");
  CHECK(shortest_decimal(0x7bff, Format::f16) == "65504");
  CHECK(shortest_decimal(0xfbff, Format::f16) == "-65504");
  CHECK(shortest_decimal(0x4b800001, Format::f32) == "16777218");
  CHECK(shortest_decimal(0x4cebe0ca, Format::f32) == "123668048");
  CHECK(shortest_decimal(0x5a0e1bc9, Format::f32) == "9999999198822400");
  CHECK(shortest_decimal(0x5a0e1bca, Format::f32) == "1e16");
  CHECK(shortest_decimal(0x4496, Format::bf16) == "1200");
  CHECK(shortest_decimal(0x447b, Format::bf16) == "1004");
  CHECK(shortest_decimal(0x477fe000, Format::tf32) == "65504");
  for (const Format format : narrow_formats) {
    for (std::uint64_t bits = 0; bits <= width_mask(format); ++bits) {
      if (!is_finite(bits, format) || (bits & sign_bit(format)) != 0) continue;
      const std::string text = shortest_decimal(bits, format);
      const bool reads_as_integer = text.find_first_of(".e") == std::string::npos;
      if (!reads_as_integer && traits(format).width > 8) continue;
      if (*parse_number(text) != *exact_value(bits, format)) FAIL(text);
    }
  }
  std::mt19937_64 random = random_stream(12);
  for (int trial = 0; trial < 20000; ++trial) {
    const Format format = trial % 2 == 0 ? Format::f64 : trial % 4 == 1 ? Format::f32 : Format::tf32;
    // Of all magnitudes from 1 to 10^17, so that most are integers or nearly so.
    const double value = std::exp2(std::uniform_real_distribution<double>(0, 56)(random));
    const std::uint64_t bits = round_rational(mpq_class(trial % 3 == 0 ? value : std::round(value)), format);
    const std::string text = shortest_decimal(bits, format);
    if (text.find_first_of(".e") == std::string::npos) REQUIRE(*parse_number(text) == *exact_value(bits, format));
  }
}

TEST_CASE("shortest decimals read back, and none is shorter unless an integer is written out", "[numerics]") {
  for (const Format format : narrow_formats) {
    for (std::uint64_t bits = 0; bits <= width_mask(format); ++bits) {
      if (!is_finite(bits, format)) continue;
      const std::string text = shortest_decimal(bits, format);
      if (read_back(text, format) != bits) FAIL(text);
      const std::uint64_t magnitude = bits & ~sign_bit(format);
      // bf16's extremes have large powers of ten: a sample of them will do.
      if (magnitude == 0 || bits != magnitude || (format == Format::bf16 && bits % 16 != 0)) continue;
      const auto count = static_cast<long>(digits_of(text).size());
      const bool written_out = text.find_first_of(".e") == std::string::npos || traits(format).width <= 8;
      if (!written_out && count > 1 && has_decimal(bits, format, count - 1)) FAIL(text);
      if (!written_out && !has_decimal(bits, format, count)) FAIL(text);
    }
  }
  std::mt19937_64 random = random_stream(11);
  for (int trial = 0; trial < 20000; ++trial) {
    const Format format = trial % 2 == 0 ? Format::f64 : trial % 4 == 1 ? Format::f32 : Format::tf32;
    const std::uint64_t bits = random() & storage_mask(format);
    if (is_finite(bits, format)) REQUIRE(read_back(shortest_decimal(bits, format), format) == bits);
  }
}

TEST_CASE("hexadecimal floats", "[numerics]") {
  CHECK(hexadecimal(0x3fc00000, Format::f32) == "0x1.8p+0");
  CHECK(hexadecimal(0x80000000, Format::f32) == "-0x0p+0");
  CHECK(hexadecimal(0x00000001, Format::f32) == "0x0.000002p-126");
  CHECK(hexadecimal(0x007fffff, Format::f32) == "0x0.fffffep-126");
  CHECK(hexadecimal(0x00400000, Format::f32) == "0x0.8p-126");
  CHECK(hexadecimal(0x0001, Format::f16) == "0x0.004p-14");
  CHECK(hexadecimal(0x7bff, Format::f16) == "0x1.ffcp+15");
  CHECK(hexadecimal(0xc049, Format::bf16) == "-0x1.92p+1");
  CHECK(hexadecimal(0x7e, Format::f8e4m3) == "0x1.cp+8");
  CHECK(hexadecimal(0x01, Format::f8e4m3) == "0x0.2p-6");
  CHECK(hexadecimal(0x40490000, Format::tf32) == "0x1.92p+1");
  CHECK(hexadecimal(0x00002000, Format::tf32) == "0x0.004p-126");
  std::mt19937_64 random = random_stream(12);
  for (int trial = 0; trial < 20000; ++trial) {
    // glibc's %a follows the same rules for f64.
    const std::uint64_t bits = random() & (trial % 4 == 0 ? 0x800fffffffffffff : ~std::uint64_t{0});
    if (!is_finite(bits, Format::f64)) continue;
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%a", std::bit_cast<double>(bits));
    REQUIRE(hexadecimal(bits, Format::f64) == buffer);
  }
  for (const Format format : narrow_formats) {
    for (std::uint64_t bits = 0; bits <= width_mask(format); ++bits) {
      if (!is_finite(bits, format)) continue;
      const std::string text = hexadecimal(bits, format);
      if (read_back(text, format) != bits) FAIL(text);
    }
  }
}

TEST_CASE("bit digits have the format's width", "[numerics]") {
  CHECK(bit_digits(0x3fc00000, Format::f32) == "3fc00000");
  CHECK(bit_digits(1, Format::f64) == "0000000000000001");
  CHECK(bit_digits(0xabcd, Format::bf16) == "abcd");
  CHECK(bit_digits(0, Format::f16) == "0000");
  CHECK(bit_digits(0x38, Format::f8e4m3) == "38");
  CHECK(bit_digits(0x25, Format::f6e3m2) == "25");
  CHECK(bit_digits(0xf7, Format::f4e2m1) == "07");
  CHECK(bit_digits(0x3f800000, Format::tf32) == "3f800000");
}

TEST_CASE("literals are read exactly", "[numerics]") {
  CHECK(parse_number("12") == mpq_class(12));
  CHECK(parse_number("1_000") == mpq_class(1000));
  CHECK(parse_number("0.5") == mpq_class(1, 2));
  CHECK(parse_number("1e-3") == mpq_class(1, 1000));
  CHECK(parse_number("1.25E+2") == mpq_class(125));
  CHECK(parse_number("0x1.8p+3") == mpq_class(12));
  CHECK(parse_number("0X.8p0") == std::nullopt);
  CHECK(parse_number("0xff") == mpq_class(255));
  CHECK(parse_number("0xFf_00") == mpq_class(0xff00));
  CHECK(parse_number("0x1p-1") == mpq_class(1, 2));
  CHECK(parse_number("0.000") == mpq_class(0));
  CHECK(parse_number("007") == mpq_class(7));
  CHECK(parse_number("1e100000"));
  for (const char* text :
       {"",       "-1",        "+1",    ".5",    "1.",     "1.e3",   "1e",      "1e+",  "1__0", "_1",
        "1_",     "1_.5",      "0x",    "0x1.8", "0x1p",   "0xg",    "1 ",      " 1",   "1f",   "inf",
        "1e5.5",  "0x1p+-3",   "nan",   "1e100001",        "1e-100001",         "1e1000000000000000000000"}) {
    INFO(text);
    CHECK_FALSE(parse_number(text));
  }
}

TEST_CASE("rationals as text", "[numerics]") {
  CHECK(rational_text(mpq_class(7)) == "7");
  CHECK(rational_text(mpq_class(-1, 3)) == "-1/3");
  CHECK(rational_text(mpq_class(2, 6)) == "1/3");
  CHECK(rational_text(mpq_class(0)) == "0");
}

TEST_CASE("bounds as decimals are rounded to the side that keeps them bounds") {
  const mpq_class values[] = {mpq_class(1, 3), mpq_class(2, 3),         1, mpq_class(99999, 100), mpq_class(1, 8),
                              123456,          mpq_class(7, 1000000000)};
  for (const mpq_class& value : values) {
    for (const int digits : {1, 2, 4}) {
      const auto above = parse_number(decimal_upward(value, digits)),
                 below = parse_number(decimal_downward(value, digits));
      REQUIRE(above);
      REQUIRE(below);
      INFO(value.get_str() << ": " << below->get_str() << " " << above->get_str());
      CHECK(*below <= value);
      CHECK(value <= *above);
      // They are the same number or neighbours: a unit of the last digit is at most a tenth^(digits - 1) of the value.
      mpq_class unit = value;
      for (int k = 1; k < digits; ++k) unit /= 10;
      CHECK(*above - *below <= unit);
    }
  }
  CHECK(decimal_downward(mpq_class(2, 3), 3) == "0.666");
  CHECK(decimal_upward(mpq_class(2, 3), 3) == "0.667");
  CHECK(decimal_downward(mpq_class(99999, 100), 4) == "999.9");
}
