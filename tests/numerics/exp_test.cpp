// exp on samples and on the hardest arguments; bench/exp_exhaustive.cpp has all of them.
#include <catch2/catch.hpp>

#include <limits>

#include "numerics/native.h"
#include "reference.h"

using namespace reckon::numerics;
using namespace reckon::numerics::testing;

namespace {

std::uint64_t expected_exp(double x, Format format) {
  if (std::isnan(x)) return canonical_nan(format);
  mpfr_t argument;
  mpfr_init2(argument, 53);
  mpfr_set_d(argument, x, MPFR_RNDN);
  const std::uint64_t bits = rounded_by_mpfr(format, Rounding::nearest_even, [&](mpfr_ptr result, mpfr_rnd_t where) {
    return mpfr_exp(result, argument, where);
  });
  mpfr_clear(argument);
  return bits;
}

void check_f32(float x) {
  const float result = exp_f32(x);
  const std::uint64_t bits = std::isnan(result) ? canonical_nan(Format::f32) : std::bit_cast<std::uint32_t>(result);
  if (bits == expected_exp(static_cast<double>(x), Format::f32)) return;
  CAPTURE(x, result);
  REQUIRE(bits == expected_exp(static_cast<double>(x), Format::f32));
}

}  // namespace

TEST_CASE("exp of f32 is correctly rounded on a sample", "[numerics]") {
  std::mt19937_64 random = random_stream(41);
  for (int trial = 0; trial < 600000; ++trial) {
    // Half of the patterns, uniformly; the rest uniformly where results are ordinary, and where subnormal.
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    const float x = trial % 2 == 0   ? std::bit_cast<float>(static_cast<std::uint32_t>(random()))
                    : trial % 4 == 1 ? static_cast<float>(-88 + 177 * unit)
                                     : static_cast<float>(-104 + 17 * unit);
    check_f32(x);
  }
}

TEST_CASE("exp of f32 at the arguments whose results are nearest to a rounding boundary", "[numerics]") {
  // Found by a search over all arguments, hardest first: the first is within 2^-52.7 of a midpoint.
  for (const std::uint32_t bits :
       {0xc16912cdu, 0xbbf0edf1u, 0x377eff81u, 0xbae0e25cu, 0xb3000000u, 0x39c6be5bu, 0x38e69cc1u, 0x383a3ef1u,
        0x3d1a274eu, 0x40315b33u, 0x4001b249u, 0x39e5bb1du, 0x36fdffc1u, 0x4288942bu, 0x367bffe1u, 0x35f7fff1u,
        0x356ffff9u, 0x33800000u, 0x337fffffu, 0x343fffffu, 0x34dffffdu, 0xbc2a461au, 0x3fe67199u, 0xc0781533u}) {
    check_f32(std::bit_cast<float>(bits));
  }
  // Around the ends of the range: overflow, the least normal result, the least subnormal one, underflow.
  for (const float centre : {88.72284f, -87.33655f, -103.27893f, -103.97208f, 90.0f, -110.0f}) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(centre);
    for (std::uint32_t i = 0; i < 2000; ++i) check_f32(std::bit_cast<float>(bits - 1000 + i));
  }
}

TEST_CASE("exp of special values", "[numerics]") {
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(exp_f32(infinity) == infinity);
  CHECK(std::bit_cast<std::uint32_t>(exp_f32(-infinity)) == 0);
  CHECK(exp_f32(0.0f) == 1.0f);
  CHECK(exp_f32(-0.0f) == 1.0f);
  CHECK(exp_f32(std::bit_cast<float>(1u)) == 1.0f);
  CHECK(std::isnan(exp_f32(std::numeric_limits<float>::quiet_NaN())));
  CHECK(std::isnan(exp_f32(std::numeric_limits<float>::signaling_NaN())));
  CHECK(exp_f16(0x7c00) == 0x7c00);
  CHECK(exp_f16(0xfc00) == 0x0000);
  CHECK(exp_f16(0xfe01) == canonical_nan(Format::f16));
  CHECK(exp_bf16(0xff80) == 0x0000);
  CHECK(exp_bf16(0x7f81) == canonical_nan(Format::bf16));
}

TEST_CASE("exp of f16 and bf16 is correctly rounded for every argument", "[numerics]") {
  for (std::uint64_t bits = 0; bits < 65536; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    if (exp_f16(pattern) != expected_exp(widen(bits, Format::f16), Format::f16)) FAIL("f16 " << bits);
    if (exp_bf16(pattern) != expected_exp(widen(bits, Format::bf16), Format::bf16)) FAIL("bf16 " << bits);
  }
}
