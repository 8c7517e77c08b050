// frexp against the C library's, of every pattern of f16 and of numbers of f32 and f64 of every size, in the
// interpreter and compiled.
#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "api/reckon/reckon.h"

using namespace reckon;

namespace {

constexpr const char* frexp_program =
    "fn of_f16(x: f32[n]) -> (f32[n], i32[n]) {\n"
    "  let (fraction, exponent) = frexp(f16(x));\n"
    "  (f32(fraction), exponent)\n"
    "}\n"
    "fn of_f32(x: f32[n]) -> (f32[n], i32[n]) = frexp(x)\n"
    "fn of_f64(x: f64[n]) -> (f64[n], i32[n]) = frexp(x)\n";

template <class Float>
void check_all(const char* circuit, const std::vector<Float>& x) {
  Session session;
  REQUIRE(session.load(frexp_program));
  for (const On on : {On::interpreter, On::host}) {
    CallOptions options;
    options.on = on;
    const auto result = session.call(circuit, {Tensor::of<Float>(x)}, options);
    REQUIRE(result);
    const auto fractions = (*result)[0].tensor->template as<Float>();
    const auto exponents = (*result)[1].tensor->template as<std::int32_t>();
    REQUIRE(fractions.size() == x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      int exponent = 0;
      const Float fraction = std::frexp(x[i], &exponent);
      if (!std::isfinite(x[i])) exponent = 0;  // C leaves it open
      const bool same = std::isnan(x[i])
                            ? std::isnan(fractions[i])
                            : fractions[i] == fraction && std::signbit(fractions[i]) == std::signbit(fraction);
      CAPTURE(circuit, x[i], fractions[i], exponents[i], static_cast<int>(on));
      if (!same || exponents[i] != exponent) REQUIRE((same && exponents[i] == exponent));
    }
  }
}

}  // namespace

TEST_CASE("frexp is the C library's") {
  std::vector<float> halves;
  for (int sign : {1, -1}) {
    for (int exponent = -24; exponent <= 15; ++exponent) {
      for (int digits = 0; digits < 2048; digits += exponent < -13 ? 1 : 7)
        halves.push_back(static_cast<float>(
            std::ldexp(sign * std::floor(std::ldexp(1 + digits / 2048.0, std::min(10, exponent + 24))),
                       exponent - std::min(10, exponent + 24))));
    }
  }
  halves.insert(halves.end(), {0.0f, -0.0f, HUGE_VALF, -HUGE_VALF, NAN});
  check_all("of_f16", halves);

  std::mt19937_64 random(91);
  std::vector<float> singles{0.0f,
                             -0.0f,
                             HUGE_VALF,
                             -HUGE_VALF,
                             NAN,
                             1e-45f,
                             std::numeric_limits<float>::min(),
                             std::numeric_limits<float>::max()};
  std::vector<double> doubles{0.0,
                              -0.0,
                              HUGE_VAL,
                              -HUGE_VAL,
                              NAN,
                              5e-324,
                              std::numeric_limits<double>::min(),
                              std::numeric_limits<double>::max()};
  for (int k = 0; k < 20'000; ++k) {
    singles.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    doubles.push_back(std::bit_cast<double>(random()));
  }
  for (int exponent = -149; exponent <= 127; ++exponent) {  // powers of two, and their neighbours
    const float power = std::ldexp(1.0f, exponent);
    singles.insert(singles.end(), {power, std::nextafterf(power, 0), std::nextafterf(power, HUGE_VALF)});
  }
  for (int exponent = -1074; exponent <= 1023; ++exponent) {
    const double power = std::ldexp(1.0, exponent);
    doubles.insert(doubles.end(), {power, -std::nextafter(power, 0), std::nextafter(power, HUGE_VAL)});
  }
  check_all("of_f32", singles);
  check_all("of_f64", doubles);
}
