// The elementary functions of f32 and narrower formats against MPFR (numerics/elementary.h, which elementary_test.cpp
// checks): samples of f32, all of f16 and bf16. bench/exhaustive.cpp has all of f32.
#include <catch2/catch.hpp>

#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "numerics/arrays.h"
#include "numerics/native.h"
#include "reference.h"

using namespace reckon::numerics;
using namespace reckon::numerics::testing;

namespace {

std::uint64_t canonical(float value) {
  return std::isnan(value) ? canonical_nan(Format::f32) : std::bit_cast<std::uint32_t>(value);
}

void check_f32(Function function, const std::vector<float>& x) {
  std::vector<float> result(x.size());
  elementary_array(function, Format::f32, x.data(), result.data(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint64_t expected = mpfr_unary(function, std::bit_cast<std::uint32_t>(x[i]), Format::f32);
    if (canonical(result[i]) == expected) continue;
    CAPTURE(static_cast<int>(function), x[i], result[i]);
    REQUIRE(canonical(result[i]) == expected);
  }
}

/// The f32s that tests/data/<name>_near_midpoints.txt lists.
std::vector<float> near_midpoints(const std::string& name) {
  std::vector<float> x;
  std::ifstream file(RECKON_TEST_DATA "/" + name + "_near_midpoints.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    for (std::uint32_t bits; words >> std::hex >> bits;) x.push_back(std::bit_cast<float>(bits));
  }
  return x;
}

}  // namespace

TEST_CASE("elementary functions of f32 are correctly rounded on a sample", "[numerics]") {
  std::mt19937_64 random = random_stream(41);
  for (int f = 0; f < function_count; ++f) {
    std::vector<float> x;
    for (int trial = 0; trial < 30000; ++trial) {
      // Half of the patterns, uniformly; the rest where results are ordinary, subnormal or near the ends of a domain.
      const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
      const float near_one = std::bit_cast<float>(0x3f800000u + static_cast<std::uint32_t>(random() % 64) - 32);
      x.push_back(trial % 2 == 0   ? std::bit_cast<float>(static_cast<std::uint32_t>(random()))
                  : trial % 8 == 1 ? static_cast<float>(-88 + 177 * unit)
                  : trial % 8 == 3 ? static_cast<float>(-104 + 17 * unit)
                  : trial % 8 == 5 ? static_cast<float>(2.5 * unit - 1.25)
                  : trial % 64 < 32 ? near_one
                                    : -near_one);
    }
    for (const float special : {0.0f, 1.0f, 2.0f, 3.0f, 8.0f, 27.0f, 64.0f, 0.25f, 0.5f, 100.0f, 1e-40f,
                                std::numeric_limits<float>::infinity(), std::numeric_limits<float>::denorm_min(),
                                std::numeric_limits<float>::max(), std::numeric_limits<float>::min(),
                                std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::signaling_NaN()}) {
      x.insert(x.end(), {special, -special});
    }
    check_f32(static_cast<Function>(f), x);
  }
}

TEST_CASE("exp of f32 at the arguments whose results are nearest to a rounding boundary", "[numerics]") {
  std::vector<float> x = near_midpoints("exp");
  REQUIRE(x.size() == 301);
  // Close to 1, where the last operations round.
  for (const std::uint32_t bits : {0xb3000000u, 0x33800000u, 0x337fffffu, 0x343fffffu, 0x34dffffdu, 0x356ffff9u}) {
    x.push_back(std::bit_cast<float>(bits));
  }
  // Around the ends of the range: overflow, the least normal result, the least subnormal one, underflow.
  for (const float centre : {88.72284f, -87.33655f, -103.27893f, -103.97208f, 90.0f, -110.0f}) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(centre);
    for (std::uint32_t i = 0; i < 2000; ++i) x.push_back(std::bit_cast<float>(bits - 1000 + i));
  }
  check_f32(Function::exp, x);
}

TEST_CASE("erf and tanh of f32 at the arguments whose results are nearest to a rounding boundary", "[numerics]") {
  struct Row {
    Function function;
    const char* name;
    std::size_t count;
    float end;  // from about here on the result is 1
  };
  for (const Row& row : {Row{Function::erf, "erf", 1149, 3.9192059f}, Row{Function::tanh, "tanh", 158, 9.010913f}}) {
    std::vector<float> x = near_midpoints(row.name);
    REQUIRE(x.size() == row.count);
    const std::uint32_t end = std::bit_cast<std::uint32_t>(row.end);
    for (std::uint32_t i = 0; i < 20000; ++i) x.push_back(std::bit_cast<float>(end - 10000 + i));
    const std::size_t positive = x.size();
    for (std::size_t i = 0; i < positive; ++i) x.push_back(-x[i]);
    check_f32(row.function, x);
  }
}

TEST_CASE("functions of f32 in plain f64 at the arguments whose results are nearest to a rounding boundary",
          "[numerics]") {
  const std::map<std::string, Function> functions{{"expm1", Function::expm1}, {"sinh", Function::sinh},
                                                  {"cosh", Function::cosh},   {"log", Function::log},
                                                  {"log2", Function::log2},   {"log1p", Function::log1p},
                                                  {"sin", Function::sin},     {"cos", Function::cos}};
  std::map<std::string, std::vector<float>> listed;
  std::ifstream file(RECKON_TEST_DATA "/f32_near_midpoints.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string name;
    words >> name;
    for (std::uint32_t bits; words >> std::hex >> bits;) listed[name].push_back(std::bit_cast<float>(bits));
  }
  REQUIRE(listed.size() == functions.size());
  for (const auto& [name, function] : functions) {
    std::vector<float>& x = listed.at(name);
    for (std::size_t i = x.size(); i-- > 0;) x.push_back(-x[i]);
    check_f32(function, x);
  }
}

TEST_CASE("sin, cos and tan of f32 near multiples of pi/2 and of huge arguments", "[numerics]") {
  std::vector<float> x;
  std::mt19937_64 random = random_stream(43);
  for (int exponent = 0; exponent < 128; ++exponent) {
    for (int k = 0; k < 40; ++k) {
      const double scale = std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, exponent);
      // The f32s on both sides of a multiple of pi/2, as far as f64 finds it.
      const double multiple = std::nearbyint(scale / 1.5707963267948966) * 1.5707963267948966;
      const auto near = static_cast<float>(multiple);
      x.insert(x.end(), {static_cast<float>(scale), near, std::nextafterf(near, 0), std::nextafterf(near, HUGE_VALF)});
    }
  }
  // The f32 whose distance from a multiple of pi/2 is the least (Muller et al., Handbook of Floating-Point Arithmetic, 11.3).
  x.push_back(16367173.0f * 0x1p72f);
  for (const Function function : {Function::sin, Function::cos, Function::tan}) check_f32(function, x);
}

TEST_CASE("elementary functions of f16 and bf16 are correctly rounded for every argument", "[numerics]") {
  std::vector<std::uint16_t> x(65536), result(65536);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint16_t>(i);
  for (const Format format : {Format::f16, Format::bf16}) {
    for (int f = 0; f < function_count; ++f) {
      const auto function = static_cast<Function>(f);
      elementary_array(function, format, x.data(), result.data(), x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (result[i] == mpfr_unary(function, i, format)) continue;
        CAPTURE(f, traits(format).name, i);
        REQUIRE(bit_digits(result[i], format) == bit_digits(mpfr_unary(function, i, format), format));
      }
    }
  }
}

TEST_CASE("elementary functions of the formats of 8 bits and fewer are correctly rounded for every argument, of tf32 on a sample",
          "[numerics]") {
  for (int f = 0; f < function_count; ++f) {
    const auto function = static_cast<Function>(f);
    for (const Format format : small_formats) {
      std::vector<std::uint8_t> x(width_mask(format) + 1), result(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint8_t>(i);
      elementary_array(function, format, x.data(), result.data(), x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        CAPTURE(f, traits(format).name, i);
        REQUIRE(bit_digits(result[i], format) == bit_digits(mpfr_unary(function, i, format), format));
      }
    }
    std::vector<std::uint32_t> x, result;
    for (std::uint32_t i = 0; i < 1u << 19; i += 1 + (i * 2654435761u >> 27)) x.push_back(i << 13);
    result.resize(x.size());
    elementary_array(function, Format::tf32, x.data(), result.data(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::uint64_t expected = mpfr_unary(function, x[i], Format::tf32);
      if (result[i] == expected) continue;
      CAPTURE(f, x[i]);
      REQUIRE(bit_digits(result[i], Format::tf32) == bit_digits(expected, Format::tf32));
    }
  }
}

TEST_CASE("functions of two operands are correctly rounded on samples and on hard pairs", "[numerics]") {
  std::mt19937_64 random = random_stream(44);
  const float specials[] = {0,    1,       2,     3,        0.5f,     1.5f,  2.5f, 3.4e38f, 1e-45f, 16777215,
                            33.f, 0.125f, 1e-20f, 16777216, 33554432, 1e20f, 7,    HUGE_VALF, NAN};
  auto pick = [&] { return (random() % 2 ? 1 : -1) * specials[random() % std::size(specials)]; };
  auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  std::vector<float> x, y;
  auto add = [&](auto a, auto b) {
    x.push_back(static_cast<float>(a));
    y.push_back(static_cast<float>(b));
  };
  for (int trial = 0; trial < 60000; ++trial) {
    switch (trial % 8) {
      case 0:
      case 1:
        add(std::bit_cast<float>(static_cast<std::uint32_t>(random())), std::bit_cast<float>(static_cast<std::uint32_t>(random())));
        break;
      case 2: add(pick(), pick()); break;
      case 3: add(10 * unit(), 80 * unit() - 40); break;
      case 4: add(1 + 0x1p-12 * (unit() - 0.5), 0x1p26 * (unit() - 0.5)); break;
      case 5: {  // a power that is exact, or a midpoint: the odd factor to a multiple of 1/8
        const int root = 1 << (random() % 4);
        add(std::pow(static_cast<double>(3 + 2 * (random() % 40)), root) * std::ldexp(1.0, root * (static_cast<int>(random() % 9) - 4)),
            static_cast<double>(static_cast<int>(random() % 33) - 16) / root);
        break;
      }
      case 6: {  // Pythagorean pairs, whose hypotenuses may be midpoints
        const auto m = static_cast<double>(1 + random() % 5000), k = static_cast<double>(1 + random() % 5000);
        add(m * m - k * k, 2 * m * k);
        break;
      }
      default: add(static_cast<double>(random() % 4000) - 2000, static_cast<double>(random() % 64) - 32);
    }
  }
  std::vector<float> result(x.size());
  for (int f = 0; f < binary_function_count; ++f) {
    const auto function = static_cast<BinaryFunction>(f);
    elementary_array(function, Format::f32, x.data(), y.data(), result.data(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::uint64_t expected = mpfr_binary(function, std::bit_cast<std::uint32_t>(x[i]), std::bit_cast<std::uint32_t>(y[i]), Format::f32);
      if (canonical(result[i]) == expected) continue;
      CAPTURE(f, x[i], y[i], result[i]);
      REQUIRE(canonical(result[i]) == expected);
    }
    std::vector<std::uint16_t> a(40000), b(a.size()), narrow(a.size());
    for (const Format format : {Format::f16, Format::bf16}) {
      for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = static_cast<std::uint16_t>(random());
        b[i] = static_cast<std::uint16_t>(random());
      }
      elementary_array(function, format, a.data(), b.data(), narrow.data(), a.size());
      for (std::size_t i = 0; i < a.size(); ++i) {
        CAPTURE(f, traits(format).name, a[i], b[i]);
        const std::uint64_t expected = mpfr_binary(function, a[i], b[i], format);
        if (narrow[i] != expected) REQUIRE(bit_digits(narrow[i], format) == bit_digits(expected, format));
      }
    }
    for (const Format format : small_formats) {
      const std::size_t count = width_mask(format) + 1;
      std::vector<std::uint8_t> left(count * count), right(left.size()), product(left.size());
      for (std::size_t i = 0; i < left.size(); ++i) {
        left[i] = static_cast<std::uint8_t>(i % count);
        right[i] = static_cast<std::uint8_t>(i / count);
      }
      elementary_array(function, format, left.data(), right.data(), product.data(), left.size());
      for (std::size_t i = 0; i < left.size(); ++i) {
        const std::uint64_t expected = mpfr_binary(function, left[i], right[i], format);
        if (product[i] == expected) continue;
        CAPTURE(f, traits(format).name, left[i], right[i]);
        REQUIRE(bit_digits(product[i], format) == bit_digits(expected, format));
      }
    }
  }
}
