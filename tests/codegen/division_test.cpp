// The division that GPU code uses where many numbers are divided by one (ScalarCode::prepare_divisor), restated: its
// quotients against the machine's, at the edges of where it is used above all; and what it does beyond (quotient.h).
// tests/gpu/place.sh compares the code.
#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "numerics/functions/quotient.h"
#include "numerics/native_builder.h"

namespace {

float quotient(float x, float d) {
  const float y = 1.0F / d;
  const float q = x * y;
  return std::fmaf(std::fmaf(-d, q, x), y, q);
}

/// To 11 bits, of what f64 holds exactly.
double rounded(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, 11)), exponent - 11);
}

bool same(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace

TEST_CASE("dividing by one number: one correction gives the correctly rounded quotient, for all pairs of 11 bits") {
  std::int64_t wrong = 0;
  for (int j = 1024; j < 2048; ++j) {
    const double d = j, y = rounded(1 / d);
    for (int i = 1024; i < 2048; ++i) {
      const double x = i, q = rounded(x * y), remainder = rounded(x - q * d);
      // x / d in f64 is no midpoint of 11 bits unless it is one exactly, and none is.
      wrong += rounded(q + remainder * y) == rounded(x / d) ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("dividing by one number: one correction gives the correctly rounded quotient") {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<float> mantissa(1, 2);
  const auto draw = [&](int least, int most) {
    const int exponent = std::uniform_int_distribution<int>(least, most)(random);
    const float size =
        std::ldexp(random() % 8 == 0 ? 2 - std::ldexp(static_cast<float>(random() % 64), -23) : mantissa(random),
                   exponent);
    return random() % 2 == 0 ? size : -size;
  };
  std::int64_t wrong = 0;
  const auto check = [&](float x, float d) { wrong += same(quotient(x, d), x / d) ? 0 : 1; };
  for (int trial = 0; trial < 6'000'000; ++trial) {
    check(draw(-90, 59), draw(-30, 29));
    check(draw(-90, -80), draw(-30, 29));  // small remainders
    check(draw(0, 0), draw(0, 0));
    // Quotients beside a midpoint: x is a product that was rounded.
    const float d = draw(-30, 29), q = draw(-50, 20);
    check(d * q, d);
    check(std::nextafterf(d * q, 0), d);
  }
  for (float d : {0x1p-30F, 0x1p30F, 0x1.fffffep29F, -0x1.000002p-30F, 1.0F, 3.0F, 0x1.fffffep0F}) {
    for (float x : {0x1p-90F, 0x1p60F, -0x1.fffffep59F, 0x1.000002p-90F, 1.0F, 0x1.fffffep0F}) check(x, d);
  }
  CHECK(wrong == 0);
}

TEST_CASE("dividing by one number: beyond that range, the correctly rounded quotient of any two f32s") {
  std::mt19937_64 random(2);
  std::int64_t wrong = 0;
  reckon::numerics::NativeBuilder b;
  const auto check = [&](float x, float d) {
    const auto actual = static_cast<float>(reckon::numerics::quotient_of_f32(b, double{x}, double{d}, 1.0 / d));
    const float expected = x / d;
    wrong += same(actual, expected) || (std::isnan(actual) && std::isnan(expected)) ? 0 : 1;
  };
  const auto any = [&] {
    const auto word = static_cast<std::uint32_t>(random());
    // One of four has few bits: quotients that are exact, midpoints among the subnormal ones.
    return std::bit_cast<float>(random() % 4 == 0 ? word & 0xfff80000U : word);
  };
  for (int trial = 0; trial < 20'000'000; ++trial) {
    const float x = any(), d = any();
    check(x, d);
    check(x * d, d);
  }
  const float infinity = std::numeric_limits<float>::infinity();
  const float endpoints[] = {0.0F,      -0.0F,      infinity,  -infinity,       std::nanf(""),
                             0x1p-149F, -0x1p-149F, 0x1p-126F, 0x1.fffffep127F, 0x1.fffffcp-127F,
                             1.0F,      -3.0F,      0x1p127F,  0x1.8p-148F};
  for (float x : endpoints) {
    for (float d : endpoints) check(x, d);
    for (int trial = 0; trial < 100'000; ++trial) {
      check(x, any());
      check(any(), x);
    }
  }
  // Subnormal quotients, every one of them, and what lies half way between them.
  for (int k = 0; k < 1 << 23; k += 7) {
    const float q = std::ldexp(static_cast<float>(k), -149);
    check(q * 0x1p20F, 0x1p20F);
    check((q + 0x1p-149F) * 0x1p40F, 0x1p41F);
    check(q * 0x1p20F, 3.0F * 0x1p19F);
  }
  CHECK(wrong == 0);
}
