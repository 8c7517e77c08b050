// The operations of native.h and arrays.h.
#include <catch2/catch.hpp>

#include <limits>
#include <vector>

#include "numerics/arrays.h"
#include "numerics/native.h"
#include "numerics/wide_functions.h"
#include "reference.h"

using namespace reckon::numerics;
using namespace reckon::numerics::testing;

namespace {

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

const double infinity = std::numeric_limits<double>::infinity();
const double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("fma of f16 and bf16 rounds once", "[numerics]") {
  std::mt19937_64 random = random_stream(31);
  for (const Format format : {Format::f16, Format::bf16}) {
    for (int trial = 0; trial < 40000; ++trial) {
      const auto pattern = [&] { return static_cast<std::uint16_t>(random()); };
      std::uint16_t a = pattern(), b = pattern(), c = pattern();
      if (trial % 2 == 0) {
        // An addend close to the product or to half of its last place: cancellation, and near ties.
        const double product = widen(a, format) * widen(b, format);
        c = static_cast<std::uint16_t>(round_f64(-product * (trial % 4 == 0 ? 1.0 : 0x1p-11), format));
        c = static_cast<std::uint16_t>(c ^ (random() % 4) ^ (trial % 8 == 0 ? 0x8000 : 0));
        // Short factors, whose products are often ties, and an addend far below.
        if (trial % 8 == 6) {
          a = static_cast<std::uint16_t>(a & 0xbff8), b = static_cast<std::uint16_t>(b & 0xbff8);
          c = static_cast<std::uint16_t>(c & 0x87ff);
        }
      }
      const double wide[3] = {widen(a, format), widen(b, format), widen(c, format)};
      const std::uint64_t result = format == Format::f16 ? fma_narrow<Format::f16>(a, b, c) : fma_narrow<Format::bf16>(a, b, c);
      mpfr_t x, y, z;
      mpfr_inits2(53, x, y, z, static_cast<mpfr_ptr>(nullptr));
      mpfr_set_d(x, wide[0], MPFR_RNDN);
      mpfr_set_d(y, wide[1], MPFR_RNDN);
      mpfr_set_d(z, wide[2], MPFR_RNDN);
      const std::uint64_t expected =
          rounded_by_mpfr(format, Rounding::nearest_even,
                          [&](mpfr_ptr sum, mpfr_rnd_t where) { return mpfr_fma(sum, x, y, z, where); });
      mpfr_clears(x, y, z, static_cast<mpfr_ptr>(nullptr));
      if (result == expected) continue;
      CAPTURE(wide[0], wide[1], wide[2], traits(format).name);
      REQUIRE(result == expected);
    }
  }
  // (1 + 2^-4)^2 = 1 + 2^-3 + 2^-8 is a tie of bf16; a tiny addend decides it, and is lost in an f64 sum.
  CHECK(fma_narrow<Format::bf16>(0x3f88, 0x3f88, 0x0000) == 0x3f90);
  CHECK(fma_narrow<Format::bf16>(0x3f88, 0x3f88, 0x0001) == 0x3f91);
  CHECK(fma_narrow<Format::bf16>(0xbf88, 0x3f88, 0x8001) == 0xbf91);
  CHECK(fma_narrow<Format::bf16>(0x3f88, 0x3f88, 0x8001) == 0x3f90);
  CHECK(fma_narrow<Format::f16>(0x3c00, 0x3c00, 0x1000) == 0x3c00);                       // 1 + 2^-11, a tie of f16
  CHECK(fma_narrow<Format::f16>(0x0001, 0x3c00, narrow_f64<Format::f16>(1.0)) == 0x3c00);              // 1 + 2^-24
  CHECK(fma_narrow<Format::f16>(narrow_f64<Format::f16>(65504), narrow_f64<Format::f16>(65504), narrow_f64<Format::f16>(1)) == 0x7c00);
  CHECK(fma_narrow<Format::f16>(0x7c00, 0x0000, 0x3c00) == canonical_nan(Format::f16));   // inf * 0
  CHECK(fma_narrow<Format::f16>(0x8000, 0x3c00, 0x8000) == 0x8000);                       // -0 * 1 + -0
  CHECK(fma_narrow<Format::f16>(0x8000, 0x3c00, 0x0000) == 0x0000);
  CHECK(fma_narrow<Format::bf16>(0x7f7f, 0x7f7f, 0xff80) == 0xff80);
}

TEST_CASE("minimum and maximum propagate NaN and order the zeros", "[numerics]") {
  const double values[] = {-infinity, -1.5, -0.0, 0.0, 1e-310, 2.0, infinity};
  for (std::size_t i = 0; i < std::size(values); ++i) {
    for (std::size_t j = 0; j < std::size(values); ++j) {
      // The list is in IEEE 754-2019's order, -0 before +0.
      CHECK(same(minimum(values[i], values[j]), values[std::min(i, j)]));
      CHECK(same(maximum(values[i], values[j]), values[std::max(i, j)]));
      CHECK(same(minimum(float(values[i]), float(values[j])), float(values[std::min(i, j)])));
      CHECK(same(maximum(float(values[i]), float(values[j])), float(values[std::max(i, j)])));
    }
    CHECK(std::isnan(minimum(values[i], not_a_number)));
    CHECK(std::isnan(minimum(not_a_number, values[i])));
    CHECK(std::isnan(maximum(values[i], not_a_number)));
    CHECK(std::isnan(maximum(not_a_number, values[i])));
  }
}

TEST_CASE("sign and copysign", "[numerics]") {
  CHECK(same(sign(-3.0), -1.0));
  CHECK(same(sign(5e-324), 1.0));
  CHECK(same(sign(-infinity), -1.0));
  CHECK(same(sign(0.0), 0.0));
  CHECK(same(sign(-0.0), -0.0));
  CHECK(std::isnan(sign(not_a_number)));
  CHECK(same(reckon::numerics::copysign(2.0, -0.0), -2.0));
  CHECK(same(reckon::numerics::copysign(-2.0, 1.0), 2.0));
  CHECK(same(reckon::numerics::copysign(-2.0, not_a_number), 2.0));
  CHECK(same(reckon::numerics::copysign(-2.0, -not_a_number), 2.0));
  CHECK(std::isnan(reckon::numerics::copysign(not_a_number, -1.0)));
}

TEST_CASE("round_to_even is nearbyint", "[numerics]") {
  std::mt19937_64 random = random_stream(32);
  for (int trial = 0; trial < 200000; ++trial) {
    const bool any_pattern = trial % 2 == 0;
    const double halves = static_cast<double>(static_cast<std::int64_t>(random()) >> (random() % 60)) / 2;
    const double value = any_pattern ? std::bit_cast<double>(random()) : halves;
    const float narrow = any_pattern ? std::bit_cast<float>(static_cast<std::uint32_t>(random())) : float(halves);
    if (!same(round_to_even(value), std::nearbyint(value))) FAIL(value);
    if (!same(round_to_even(narrow), std::nearbyint(narrow))) FAIL(narrow);
  }
  CHECK(same(round_to_even(0.5), 0.0));
  CHECK(same(round_to_even(-0.5), -0.0));
  CHECK(same(round_to_even(2.5), 2.0));
  CHECK(same(round_to_even(-infinity), -infinity));
}

TEST_CASE("the truncated remainder is exact", "[numerics]") {
  std::mt19937_64 random = random_stream(33);
  for (int trial = 0; trial < 3000; ++trial) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    const float y = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isfinite(x) || !std::isfinite(y) || y == 0) continue;
    const mpq_class dividend(x), divisor(y);
    const mpq_class quotient = dividend / divisor;
    const mpz_class truncated = quotient.get_num() / quotient.get_den();  // GMP's operator truncates
    const float remainder = truncated_remainder(x, y);
    REQUIRE(mpq_class(remainder) == dividend - truncated * divisor);
    REQUIRE(std::signbit(remainder) == std::signbit(x));
  }
  CHECK(std::isnan(truncated_remainder(1.0, 0.0)));
  CHECK(std::isnan(truncated_remainder(infinity, 1.0)));
  CHECK(same(truncated_remainder(-3.0, infinity), -3.0));
}

TEST_CASE("array loops give what single operations give", "[numerics]") {
  std::mt19937_64 random = random_stream(34);
  constexpr std::size_t count = 10007;  // not a multiple of any vector
  std::vector<double> a(count), b(count), c(count), wide(count);
  std::vector<float> fa(count), fb(count), fc(count), narrow(count);
  std::vector<std::uint16_t> ha(count), hb(count), hc(count), half(count), brain(count);
  for (std::size_t i = 0; i < count; ++i) {
    a[i] = std::bit_cast<double>(random());
    b[i] = std::bit_cast<double>(random());
    c[i] = i % 2 == 0 ? -a[i] * b[i] : std::bit_cast<double>(random());
    fa[i] = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    fb[i] = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    fc[i] = i % 2 == 0 ? -fa[i] * fb[i] : std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    ha[i] = static_cast<std::uint16_t>(random());
    hb[i] = static_cast<std::uint16_t>(random());
    hc[i] = static_cast<std::uint16_t>(random());
  }
  fma_array(Format::f64, a.data(), b.data(), c.data(), wide.data(), count);
  fma_array(Format::f32, fa.data(), fb.data(), fc.data(), narrow.data(), count);
  fma_array(Format::f16, ha.data(), hb.data(), hc.data(), half.data(), count);
  fma_array(Format::bf16, ha.data(), hb.data(), hc.data(), brain.data(), count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!same(wide[i], std::fma(a[i], b[i], c[i]))) FAIL(i);
    if (!same(narrow[i], std::fma(fa[i], fb[i], fc[i]))) FAIL(i);
    if (half[i] != fma_narrow<Format::f16>(ha[i], hb[i], hc[i])) FAIL(i);
    if (brain[i] != fma_narrow<Format::bf16>(ha[i], hb[i], hc[i])) FAIL(i);
  }
}

TEST_CASE("elementary functions give the same bits on machines with and without vectors", "[numerics]") {
  std::mt19937_64 random = random_stream(36);
  for (const std::size_t count : {1, 2, 3, 4, 5, 7, 4096}) {
    std::vector<double> x(count), y(count), result(count), expected(count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto any = [&] {
        return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
      };
      const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
      x[i] = i % 2 ? any() : static_cast<double>(static_cast<float>(4 * unit - 2));
      y[i] = i % 3 ? any() : static_cast<double>(static_cast<int>(random() % 64) - 32);
    }
    const auto compare = [&](int function) {
      for (std::size_t i = 0; i < count; ++i) {
        if (same(result[i], expected[i])) continue;
        CAPTURE(function, x[i], y[i]);
        REQUIRE(result[i] == expected[i]);
      }
    };
    for (int f = 0; f < function_count; ++f) {
      wide_function(static_cast<Function>(f), x.data(), result.data(), count);
      portable::wide_function(static_cast<Function>(f), x.data(), expected.data(), count);
      compare(f);
    }
    for (int f = 0; f < binary_function_count; ++f) {
      wide_function(static_cast<BinaryFunction>(f), x.data(), y.data(), result.data(), count);
      portable::wide_function(static_cast<BinaryFunction>(f), x.data(), y.data(), expected.data(), count);
      compare(f);
    }
  }
}

TEST_CASE("the next number of a narrow format is its neighbour in the order of all its numbers", "[numerics]") {
  std::mt19937_64 random = random_stream(35);
  for (const Format format : narrow_formats) {
    // All numbers by value; of the two zeros, -0 is the step from below, as C's nextafter has it.
    std::vector<std::pair<double, std::uint64_t>> ordered;
    for (std::uint64_t bits = 0; bits <= width_mask(format); ++bits) {
      if (!is_nan(bits, format) && bits != sign_bit(format)) ordered.emplace_back(widen(bits, format), bits);
    }
    std::sort(ordered.begin(), ordered.end());
    const auto signed_like = [&](std::uint64_t bits, double from) {
      return bits == 0 && from < 0 ? sign_bit(format) : bits;
    };
    for (std::size_t k = 0; k + 1 < ordered.size(); ++k) {
      const auto [low, low_bits] = ordered[k];
      const auto [high, high_bits] = ordered[k + 1];
      CAPTURE(traits(format).name, low, high);
      const std::size_t above = k + 1 + random() % (ordered.size() - k - 1), below = random() % (k + 1);
      CHECK(next_after(low_bits, ordered[above].second, format) == signed_like(high_bits, low));
      CHECK(next_after(high_bits, ordered[below].second, format) == signed_like(low_bits, high));
      CHECK(next_after(low_bits, low_bits, format) == low_bits);
    }
    const std::uint64_t minus = sign_bit(format);
    CHECK(next_after(0, minus, format) == minus);
    CHECK(next_after(minus, 0, format) == 0);
    CHECK(next_after(minus, ordered.back().second, format) == least(format));
    CHECK(next_after(minus, ordered.front().second, format) == (minus | least(format)));
    if (without_nan(format)) continue;
    CHECK(next_after(canonical_nan(format), 0, format) == canonical_nan(format));
    CHECK(next_after(0, canonical_nan(format), format) == canonical_nan(format));
  }
  // tf32's patterns are apart by 2^13; f32 and f64 are the C library's.
  CHECK(next_after(0x3f800000, 0x40000000, Format::tf32) == 0x3f802000);
  CHECK(next_after(0, 0x80002000, Format::tf32) == 0x80002000);
  for (int trial = 0; trial < 20000; ++trial) {
    const std::uint64_t x = random(), y = trial % 3 ? random() : x + random() % 3 - 1;
    const double next = std::nextafter(std::bit_cast<double>(x), std::bit_cast<double>(y));
    CHECK(same(std::bit_cast<double>(next_after(x, y, Format::f64)), next));
  }
}
