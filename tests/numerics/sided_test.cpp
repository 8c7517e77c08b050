// Functions of f32 for rounding down and up (numerics/functions/sided.h) against MPFR rounded down and up: random
// arguments, and those beside which results hug an f32 or are one. bench/ends.cpp goes through all arguments of one
// operand. RECKON_TRIALS is how many random ones each function gets.
#include <catch2/catch.hpp>

#include <limits>
#include <string>
#include <vector>

#include "numerics/functions/sided.h"
#include "numerics/functions/table.h"
#include "numerics/native_builder.h"
#include "numerics/wide_float.h"
#include "reference.h"
#include "tests/support/long_run.h"

using namespace reckon::numerics;
using namespace reckon::numerics::testing;

namespace {

/// An f64 rounded on to f32, by the C library.
float rounded(double value, bool up) {
  const auto near = static_cast<float>(value);
  if (up ? near >= value : near <= value) return near;
  return std::nextafterf(near, up ? HUGE_VALF : -HUGE_VALF);
}

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value + 0.0f); }

/// Rounded once by MPFR; one zero.
template <class Which>
float reference(Which function, bool up, auto... x) {
  const Rounding rounding = up ? Rounding::upward : Rounding::downward;
  std::uint64_t pattern = 0;
  if constexpr (std::is_same_v<Which, Function>) pattern = mpfr_unary(function, bits(x)..., Format::f32, rounding);
  else pattern = mpfr_binary(function, bits(x)..., Format::f32, rounding);
  return std::bit_cast<float>(static_cast<std::uint32_t>(pattern)) + 0.0f;
}

template <class Which>
void check(Which function, auto... x) {
  NativeBuilder b;
  const double value = sided(b, function, static_cast<double>(x)...);
  for (const bool up : {false, true}) {
    const float expected = reference(function, up, x...);
    if (bits(rounded(value, up)) == bits(expected)) continue;
    std::string arguments;
    ((arguments += " " + std::to_string(bits(x))), ...);
    INFO("function " << static_cast<int>(function) << " of the patterns" << arguments << (up ? ", up" : ", down"));
    REQUIRE(bits(rounded(value, up)) == bits(expected));
  }
}

/// Endpoints of intervals in the domain; a pole's, too, and infinities where there is a limit.
bool is_argument(Function function, float x) {
  const Domain& domain = traits(function).domain;
  const bool wave = function == Function::sin || function == Function::cos || function == Function::tan;
  if (holds_pole(traits(function).poles, x, x)) return false;  // the rules of intervals take no value there
  return !std::isnan(x) && x >= domain.low && x <= domain.high && !(wave && std::isinf(x));
}

}  // namespace

TEST_CASE("functions of f32 rounded down and up are MPFR's") {
  const auto trials = reckon::test::trials<int>(6000);
  std::mt19937_64 random = random_stream(reckon::test::stream(71));
  for (int f = 0; f < static_cast<int>(Function::sqrt); ++f) {
    const auto function = static_cast<Function>(f);
    std::vector<float> x;
    for (int trial = 0; trial < trials; ++trial) {
      const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
      const float near_one = std::bit_cast<float>(0x3f800000u + static_cast<std::uint32_t>(random() % 4096) - 2048);
      switch (trial % 8) {
        case 0:
        case 1:
        case 2: x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random()))); break;
        case 3: x.push_back(static_cast<float>(200 * unit - 105)); break;
        case 4: x.push_back(static_cast<float>(2.5 * unit - 1.25)); break;
        case 5: x.push_back(random() % 2 ? near_one : -near_one); break;
        case 6:
          x.push_back(static_cast<float>(std::ldexp(unit - 0.5, -static_cast<int>(random() % 60))));
          break;    // hugging
        default: {  // cubes and powers of 4, their roots' neighbours, and integers
          const auto n = static_cast<float>(random() % 256);
          const float scale = std::ldexp(1.0f, 3 * static_cast<int>(random() % 30) - 45);
          x.push_back(random() % 3 == 0 ? n - 128 : n * n * n * scale * (random() % 2 ? 1 : -1));
          x.push_back(std::ldexp(1.0f, 2 * static_cast<int>(random() % 130) - 140));
        }
      }
    }
    for (const float special : {0.0f,
                                1.0f,
                                2.0f,
                                4.0f,
                                8.0f,
                                27.0f,
                                0.25f,
                                0.5f,
                                0x1p-26f,
                                0x1p-27f,
                                0x1p-28f,
                                0x1p-30f,
                                6.0f,
                                9.0f,
                                10.05f,
                                11.0f,
                                13.0f,
                                14.0f,
                                18.0f,
                                35.04f,
                                2.4570248f,
                                1.4616321f,
                                22.0f,
                                50.0f,
                                88.7f,
                                89.5f,
                                90.0f,
                                91.0f,
                                104.0f,
                                127.99999f,
                                128.0f,
                                149.0f,
                                149.5f,
                                150.0f,
                                151.0f,
                                16367173.0f * 0x1p72f,
                                std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::max(),
                                std::numeric_limits<float>::denorm_min(),
                                std::numeric_limits<float>::min()}) {
      for (const float neighbour : {special, std::nextafterf(special, 0), std::nextafterf(special, HUGE_VALF)}) {
        x.insert(x.end(), {neighbour, -neighbour});
      }
    }
    for (const float each : x) {
      // Of an infinity, the ends that there are: the lower one is never inf, the upper one never -inf.
      if (is_argument(function, each) && std::isfinite(each)) check(function, each + 0.0f);
    }
  }
}

TEST_CASE("functions of two f32s rounded down and up are MPFR's") {
  const auto trials = reckon::test::trials<int>(40'000);
  std::mt19937_64 random = random_stream(reckon::test::stream(72));
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const auto any = [&] {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    return std::isfinite(value) ? value + 0.0f : 0.75f;
  };
  const auto few_bits = [&] {
    return std::ldexp(static_cast<float>(1 + random() % 64), static_cast<int>(random() % 120) - 60);
  };
  for (int trial = 0; trial < trials; ++trial) {
    float x = any(), y = any();
    if (trial % 4 == 1) x = few_bits(), y = few_bits();
    if (trial % 8 == 0) {  // y/x is an f32, and small
      x = std::ldexp(static_cast<float>(1 + random() % 4095), static_cast<int>(random() % 60) - 30);
      y = std::ldexp(x * static_cast<float>(1 + random() % 4095), -static_cast<int>(30 + random() % 70));
    }
    if (trial % 4 == 2) y = static_cast<float>(x * unit());
    if (trial % 8 == 3) x = 3.0f * static_cast<float>(random() % 4000), y = 4.0f * static_cast<float>(random() % 4000);
    check(BinaryFunction::hypot, x, y);
    if (random() % 2) y = -y;
    if (random() % 2) x = -x;
    if (x != 0 || y != 0) check(BinaryFunction::atan2, y + 0.0f, x + 0.0f);

    float base = std::fabs(any()), exponent = any();
    switch (trial % 6) {
      case 1: base = static_cast<float>(10 * unit()), exponent = static_cast<float>(80 * unit() - 40); break;
      case 2:
        base = static_cast<float>(1 + 0x1p-12 * (unit() - 0.5)), exponent = static_cast<float>(0x1p26 * (unit() - 0.5));
        break;
      case 3: {  // powers that are f32s: of an odd factor by a multiple of 1/8, and of 2
        const int root = 1 << (random() % 4);
        base = static_cast<float>(std::pow(static_cast<double>(1 + 2 * (random() % 40)), root) *
                                  std::ldexp(1.0, root * (static_cast<int>(random() % 9) - 4)));
        exponent = static_cast<float>(static_cast<int>(random() % 33) - 16) / static_cast<float>(root);
        break;
      }
      case 4:
        exponent = static_cast<float>(std::ldexp(unit() - 0.5, -static_cast<int>(random() % 150)));
        break;  // beside 1
      case 5: base = static_cast<float>(random() % 3000), exponent = static_cast<float>(random() % 12); break;
      default: break;
    }
    check(BinaryFunction::pow, base, exponent + 0.0f);
  }
}

TEST_CASE("quarter turns of f32s are counted as MPFR counts them") {
  std::mt19937_64 random = random_stream(73);
  NativeBuilder b;
  for (int trial = 0; trial < 30'000; ++trial) {
    const auto pattern = static_cast<std::uint32_t>(random());
    float x = std::bit_cast<float>(pattern);
    if (trial % 2 == 0) {  // beside a multiple of pi/2
      x = static_cast<float>(static_cast<double>(random() % (std::uint64_t{1} << (1 + random() % 50))) *
                             1.5707963267948966);
      x = trial % 4 == 0 ? x : -x;
    }
    if (!std::isfinite(x)) continue;
    const double wide = x;
    const mpz_class expected = quadrant(wide);
    const std::uint64_t number = quarter_turns(b, quadrant_of(b, wide), wide) & 3;
    CAPTURE(x);
    REQUIRE(number == mpz_fdiv_ui(expected.get_mpz_t(), 4));
  }
}

TEST_CASE("halves are counted as floor(2x)") {
  std::mt19937_64 random = random_stream(74);
  NativeBuilder b;
  for (int trial = 0; trial < 30'000; ++trial) {
    double x = std::bit_cast<double>(random());
    if (trial % 2 == 0) x = static_cast<double>(random() >> (8 + random() % 54)) / 8 * (trial % 4 ? 1 : -1);
    if (trial % 6 == 0) x = std::nextafter(x, trial % 12 ? 0 : HUGE_VAL);
    if (!std::isfinite(x)) continue;
    CAPTURE(x);
    // fmod is exact; floor takes a number between -8 and 8.
    const auto expected = static_cast<std::int64_t>(std::floor(2 * std::fmod(x, 4))) & 3;
    REQUIRE(static_cast<std::int64_t>(floor_of_half_turns(b, x) & 3) == expected);
    REQUIRE(static_cast<std::int64_t>(half_turns_modulo_4(WideFloat(x))) == expected);
  }
}
