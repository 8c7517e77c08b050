// Widening and narrowing: the fast conversions of native.h and round_f64 against exact rationals and MPFR.
#include <catch2/catch.hpp>

#include "numerics/native.h"
#include "reference.h"

using namespace reckon::numerics;
using namespace reckon::numerics::testing;

namespace {

/// The pattern that `value` must be narrowed to.
std::uint64_t narrowed(double value, Format format) {
  if (std::isnan(value)) return canonical_nan(format);
  return rounded_by_mpfr(format, Rounding::nearest_even,
                         [&](mpfr_ptr result, mpfr_rnd_t where) { return mpfr_set_d(result, value, where); });
}

/// Doubles where narrowing is hard: around every kind of boundary of `format`, and random patterns.
template <class Check>
void for_hard_doubles(Format format, std::uint64_t seed, int count, Check check) {
  std::mt19937_64 random = random_stream(seed);
  for (int trial = 0; trial < count; ++trial) {
    const std::uint64_t bits = trial % 3 == 0 ? random() % 64 * least(format) : random() % finite_end(format) & storage_mask(format);
    const double value = widen(bits, format);
    const double midpoint = (value + widen(std::min(bits + least(format), largest_finite(format)), format)) / 2;
    for (const double magnitude : {value, midpoint, std::nextafter(midpoint, 0.0), std::nextafter(midpoint, HUGE_VAL),
                                   std::bit_cast<double>(random() >> 1)}) {
      check(magnitude);
      check(-magnitude);
    }
  }
  const double largest = widen(largest_finite(format), format);
  const double limit = std::ldexp(1.0, traits(format).emax) * (2 - std::ldexp(1.0, -traits(format).precision));
  for (const double value : {largest, limit, std::nextafter(limit, 0.0), std::nextafter(limit, HUGE_VAL),
                             double(HUGE_VAL), std::nan(""), 0.0, 5e-324, 1.7976931348623157e308}) {
    check(value);
    check(-value);
  }
}

}  // namespace

TEST_CASE("widening is exact for every 16-bit pattern", "[numerics]") {
  for (std::uint64_t bits = 0; bits < 65536; ++bits) {
    for (const Format format : {Format::f16, Format::bf16}) {
      const double value = widen(bits, format);
      const auto pattern = static_cast<std::uint16_t>(bits);
      const float fast = format == Format::f16 ? f16_to_f32(pattern) : bf16_to_f32(pattern);
      if (is_nan(bits, format)) {
        const std::uint64_t sign = (bits & 0x8000) << 48;
        if (std::bit_cast<std::uint64_t>(value) != (canonical_nan(Format::f64) | sign) || !std::isnan(fast)) FAIL(bits);
        if (std::signbit(fast) != std::signbit(value)) FAIL(bits);
        continue;
      }
      if (pattern_of(value, format) != bits) FAIL(bits);
      if (std::bit_cast<std::uint64_t>(static_cast<double>(fast)) != std::bit_cast<std::uint64_t>(value)) FAIL(bits);
      if (round_f64(value, format) != bits) FAIL(bits);
      const std::uint16_t back = format == Format::f16 ? f32_to_f16(fast) : f32_to_bf16(fast);
      if (back != bits) FAIL(bits);
    }
  }
}

TEST_CASE("widen is the machine's conversion for f32 and f64", "[numerics]") {
  std::mt19937_64 random = random_stream(21);
  for (int trial = 0; trial < 100000; ++trial) {
    const std::uint64_t bits = random() & (trial % 2 == 0 ? 0x807fffff : 0xffffffff);
    if (is_nan(bits, Format::f32)) continue;
    const double expected = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    if (std::bit_cast<std::uint64_t>(widen(bits, Format::f32)) != std::bit_cast<std::uint64_t>(expected)) FAIL(bits);
  }
  CHECK(std::bit_cast<std::uint64_t>(widen(0x8000000000000001, Format::f64)) == 0x8000000000000001);
  CHECK(std::bit_cast<std::uint64_t>(widen(0xffffffffffffffff, Format::f64)) == 0xfff8000000000000);
}

TEST_CASE("f64 is narrowed with one rounding", "[numerics]") {
  for (const Format format : all_formats) {
    for_hard_doubles(format, 22, 2000, [&](double value) {
      const std::uint64_t expected = narrowed(value, format);
      const bool fast_agrees = format == Format::f16    ? narrow_f64<Format::f16>(value) == expected
                               : format == Format::bf16 ? narrow_f64<Format::bf16>(value) == expected
                                                        : true;
      for (const Rounding rounding : all_roundings) {
        const std::uint64_t directed =
            std::isnan(value) ? canonical_nan(format)
                              : rounded_by_mpfr(format, rounding, [&](mpfr_ptr result, mpfr_rnd_t where) {
                                  return mpfr_set_d(result, value, where);
                                });
        if (round_f64(value, format, rounding) == directed) continue;
        CAPTURE(value, traits(format).name, static_cast<int>(rounding));
        REQUIRE(round_f64(value, format, rounding) == directed);
      }
      if (round_f64(value, format) == expected && fast_agrees) return;
      CAPTURE(value, traits(format).name);
      REQUIRE(round_f64(value, format) == expected);
      REQUIRE(fast_agrees);
    });
  }
}

TEST_CASE("f32 is narrowed with one rounding", "[numerics]") {
  const auto check = [](float value) {
    const std::uint64_t f16 = round_f64(static_cast<double>(value), Format::f16);
    const std::uint64_t bf16 = round_f64(static_cast<double>(value), Format::bf16);
    if (f32_to_f16(value) != f16 || f32_to_bf16(value) != bf16) FAIL(value);
  };
  // A prime stride reaches every low part and every exponent; round_f64 itself is checked against MPFR above.
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 1021) {
    check(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  for (std::uint64_t bits = 0; bits < 65536; ++bits) {
    // bf16's boundaries are these, f16's are patterns with 13 zero bits and their midpoints.
    for (const std::uint64_t low : {0x0000u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu, 0x1000u, 0x0fffu, 0x1001u, 0x3000u}) {
      check(std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16 | low)));
    }
  }
}
