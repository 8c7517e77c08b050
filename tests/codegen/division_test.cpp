// The division that GPU code uses where many numbers are divided by one (ScalarCode::prepare_divisor), restated: its
// quotients against the machine's, at the edges of where it is used above all. tests/gpu/place.sh compares the code.
#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <random>

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
