// round_rational, exact_value, ulp and ulps_apart against MPFR and against each other.
#include <catch2/catch.hpp>

#include "numerics/format.h"
#include "reference.h"

using namespace reckon::numerics;
using namespace reckon::numerics::testing;

namespace {

void compare_with_mpfr(const mpq_class& value, Format format) {
  for (const Rounding rounding : all_roundings) {
    const std::uint64_t expected = rational_by_mpfr(value, format, rounding);
    const std::uint64_t result = round_rational(value, format, rounding);
    if (result == expected) continue;
    CAPTURE(value.get_str(), traits(format).name, static_cast<int>(rounding), bit_digits(result, format));
    REQUIRE(result == expected);
  }
}

mpq_class power_of_two(long exponent) {
  mpq_class power = 1;
  if (exponent >= 0) {
    power <<= static_cast<unsigned long>(exponent);
  } else {
    power >>= static_cast<unsigned long>(-exponent);
  }
  return power;
}

}  // namespace

TEST_CASE("round_rational agrees with MPFR on random rationals", "[numerics]") {
  std::mt19937_64 random = random_stream(1);
  for (int trial = 0; trial < 20000; ++trial) {
    mpq_class value(mpz_class(static_cast<unsigned long>(random() >> (random() % 64))),
                    mpz_class(static_cast<unsigned long>((random() >> (random() % 64)) | 1)));
    value.canonicalize();
    const Format format = all_formats[random() % std::size(all_formats)];
    const int reach = traits(format).emax + traits(format).precision + 70;
    value *= power_of_two(static_cast<long>(random() % static_cast<std::uint64_t>(2 * reach)) - reach);
    if (random() % 2 == 0) value = -value;
    compare_with_mpfr(value, format);
  }
}

TEST_CASE("round_rational decides midpoints and their neighbourhoods", "[numerics]") {
  std::mt19937_64 random = random_stream(2);
  const mpq_class tiny = power_of_two(-3000);
  for (const Format format : all_formats) {
    for (int trial = 0; trial < 1500; ++trial) {
      // Trials near 0 and near the largest finite value take in subnormals, the carry into the normals and overflow.
      const auto place = static_cast<std::uint64_t>(trial);
      const std::uint64_t step = least(format), largest = largest_finite(format);
      const std::uint64_t bits = trial < 200   ? place * step % finite_end(format)
                                 : trial < 220 ? largest - (place - 200) * step
                                 : trial < 240 ? min_normal(format) + (place - 224) * step
                                               : random() % finite_end(format) & storage_mask(format);
      const mpq_class value = *exact_value(bits, format);
      const mpq_class midpoint = value + ulp(bits, format) / 2;
      for (const mpq_class& candidate : {value, midpoint, mpq_class(midpoint - tiny), mpq_class(midpoint + tiny),
                                         mpq_class(value + tiny), mpq_class(-midpoint), mpq_class(-midpoint - tiny)}) {
        compare_with_mpfr(candidate, format);
      }
    }
  }
}

TEST_CASE("rationals far outside of every format cost nothing and have no sign of zero", "[numerics]") {
  mpz_class huge;
  mpz_ui_pow_ui(huge.get_mpz_t(), 10, 100000);
  for (const Format format : all_formats) {
    CHECK(round_rational(mpq_class(huge), format) == pattern_of(HUGE_VAL, format));
    CHECK(round_rational(mpq_class(-huge), format) == pattern_of(-HUGE_VAL, format));
    CHECK(round_rational(mpq_class(huge), format, Rounding::downward) == largest_finite(format));
    CHECK(round_rational(mpq_class(1, huge), format) == 0);
    CHECK(round_rational(mpq_class(-1, huge), format) == 0);
    CHECK(round_rational(mpq_class(-1, huge), format, Rounding::upward) == sign_bit(format));
    CHECK(round_rational(mpq_class(1, huge), format, Rounding::upward) == least(format));
    CHECK(round_rational(mpq_class(0), format) == 0);
    // Numerator and denominator huge, the quotient ordinary.
    CHECK(round_rational(mpq_class(huge * 3 + 1, huge * 2), format) == round_rational(mpq_class(3, 2), format));
  }
}

TEST_CASE("every 16-bit pattern, and random wider ones, are their own rounding", "[numerics]") {
  std::mt19937_64 random = random_stream(3);
  const auto check = [](std::uint64_t bits, Format format) {
    const std::optional<mpq_class> value = exact_value(bits, format);
    if (value.has_value() != is_finite(bits, format)) FAIL(bit_digits(bits, format));
    if (!value) return;
    const std::uint64_t expected = bits == sign_bit(format) ? 0 : bits;
    if (round_rational(*value, format) != expected) FAIL(bit_digits(bits, format));
  };
  for (std::uint64_t bits = 0; bits < 65536; ++bits) {
    check(bits, Format::f16);
    check(bits, Format::bf16);
    for (const Format format : small_formats) {
      if (bits <= width_mask(format)) check(bits, format);
    }
  }
  for (int trial = 0; trial < 20000; ++trial) {
    check(random(), Format::f64);
    check(random() & 0xffffffff, Format::f32);
    check(random() & 0xffffe000, Format::tf32);
  }
}

TEST_CASE("ulp and ulps_apart", "[numerics]") {
  const Format f32 = Format::f32;
  CHECK(ulp(0x3f800000, f32) == power_of_two(-23));
  CHECK(ulp(0xbf7fffff, f32) == power_of_two(-24));
  CHECK(ulp(0, f32) == power_of_two(-149));
  CHECK(ulp(0x00800000, f32) == power_of_two(-149));
  CHECK(ulp(0x7f7fffff, f32) == power_of_two(104));
  CHECK(ulp(0x7f800000, f32) == power_of_two(104));
  for (const Format format : all_formats) {
    std::mt19937_64 random = random_stream(4);
    for (int trial = 0; trial < 1000; ++trial) {
      const std::uint64_t bits = random() % largest_finite(format) & storage_mask(format);
      REQUIRE(*exact_value(bits + least(format), format) - *exact_value(bits, format) == ulp(bits, format));
    }
    CHECK(ulps_apart(0, sign_bit(format), format) == 0u);
    CHECK(ulps_apart(least(format), sign_bit(format) | least(format), format) == 2u);
    const std::uint64_t largest = largest_finite(format);
    CHECK(ulps_apart(largest | sign_bit(format), largest, format) == 2 * (largest / least(format)));
    if (has_infinity(format)) CHECK(ulps_apart(infinity_bits(format), largest, format) == 1u);
    if (without_nan(format)) continue;
    CHECK_FALSE(ulps_apart(canonical_nan(format), 0, format));
    CHECK_FALSE(ulps_apart(0, canonical_nan(format), format));
  }
}

TEST_CASE("formats are found by name", "[numerics]") {
  for (const Format format : all_formats) CHECK(format_named(traits(format).name) == format);
  CHECK_FALSE(format_named("f8"));
  CHECK_FALSE(format_named(""));
}
