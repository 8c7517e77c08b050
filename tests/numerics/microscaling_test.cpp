// The Microscaling Formats: every pattern's value, and the rounding of every f16, of midpoints and of numbers beyond the
// largest, against the definition of the formats (microscaling.h).
#include <catch2/catch.hpp>

#include "microscaling.h"
#include "numerics/native.h"
#include "reference.h"

using namespace reckon::numerics;
using namespace reckon::numerics::testing;

TEST_CASE("the reference has the values of the specification's tables", "[numerics]") {
  {
    const Microscaling& e3m2 = microscaling_formats[0];
    CHECK(e3m2.value(0x1f) == 28);
    CHECK(e3m2.value(0x04) == 0.25);
    CHECK(e3m2.value(0x03) == 0.1875);
    CHECK(e3m2.value(0x01) == 0.0625);
  }
  {
    const Microscaling& e2m3 = microscaling_formats[1];
    CHECK(e2m3.value(0x1f) == 7.5);
    CHECK(e2m3.value(0x08) == 1);
    CHECK(e2m3.value(0x07) == 0.875);
    CHECK(e2m3.value(0x01) == 0.125);
  }
  const double of_f4e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (std::uint64_t bits = 0; bits < 8; ++bits) CHECK(microscaling_formats[2].value(bits) == of_f4e2m1[bits]);
}

TEST_CASE("every pattern of the Microscaling Formats is the number that the specification says", "[numerics]") {
  for (const Microscaling& mx : microscaling_formats) {
    const Format format = mx.format;
    CAPTURE(traits(format).name);
    CHECK(traits(format).width == mx.width());
    CHECK(width_mask(format) == mx.largest() + mx.sign());
    for (std::uint64_t bits = 0; bits <= width_mask(format); ++bits) {
      CAPTURE(bits);
      const double value = mx.value(bits);
      REQUIRE(is_finite(bits, format));
      REQUIRE_FALSE(is_nan(bits, format));
      REQUIRE_FALSE(is_infinite(bits, format));
      REQUIRE(*exact_value(bits, format) == mpq_class(value));
      REQUIRE(widen(bits, format) == value);
      REQUIRE(std::signbit(widen(bits, format)) == std::signbit(value));
      REQUIRE(round_f64(value, format) == bits);
      with_format(format, [&]<Format f>() {
        if constexpr (traits(f).width < 8) {
          for (std::uint64_t above = 0; above < 256; above += width_mask(f) + 1) {  // is ignored
            const float found = Pattern<f>::to_f32(static_cast<std::uint8_t>(bits | above));
            REQUIRE(found == static_cast<float>(value));
            REQUIRE(std::signbit(found) == std::signbit(value));
          }
          REQUIRE(Pattern<f>::from_f32(static_cast<float>(value)) == bits);
        }
      });
    }
  }
}

TEST_CASE("every f16 is rounded to the nearest number of the Microscaling Formats", "[numerics]") {
  for (const Microscaling& mx : microscaling_formats) {
    const Format format = mx.format;
    CAPTURE(traits(format).name);
    for (std::uint64_t bits = 0; bits < 65536; ++bits) {
      const double value = f16_value(bits);
      const std::uint64_t expected = mx.nearest(value);
      if (round_f64(value, format) != expected) FAIL(bits << " gives " << round_f64(value, format) << ", not " << expected);
      if (!std::isfinite(value) || value == 0) continue;
      const std::uint64_t rational = round_rational(mpq_class(value), format);
      if (rational != (expected == mx.sign() ? 0 : expected)) FAIL(bits << " as a rational gives " << rational);
    }
  }
}

TEST_CASE("numbers near midpoints and beyond the largest are rounded to the nearest number, too", "[numerics]") {
  for (const Microscaling& mx : microscaling_formats) {
    CAPTURE(traits(mx.format).name);
    for (std::uint64_t bits = 0; bits < mx.largest(); ++bits) {
      const double middle = (mx.value(bits) + mx.value(bits + 1)) / 2;
      for (const double x : {middle, std::nextafter(middle, 0.0), std::nextafter(middle, 100.0)}) {
        CHECK(round_f64(x, mx.format) == mx.nearest(x));
        CHECK(round_f64(-x, mx.format) == mx.nearest(-x));
      }
    }
    for (const double x : {29.0, 32.0, 1e9, 1e300, HUGE_VAL}) {
      for (const Rounding rounding : all_roundings) {
        CHECK(round_f64(x, mx.format, rounding) == mx.largest());
        CHECK(round_f64(-x, mx.format, rounding) == (mx.largest() | mx.sign()));
        CHECK(round_f64(std::nan(""), mx.format, rounding) == mx.largest());
        CHECK(round_f64(-std::nan(""), mx.format, rounding) == mx.largest());
      }
    }
  }
}
