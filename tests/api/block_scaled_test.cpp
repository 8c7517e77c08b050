// stdlib/mx.rk against the definitions of the MX specification, written out for f4e2m1.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "api/reckon/reckon.h"

using namespace reckon;

namespace {

constexpr std::array<float, 8> magnitudes{0, 0.5f, 1, 1.5f, 2, 3, 4, 6};  // of the patterns 0 to 7 of f4e2m1

float value(std::uint8_t pattern) { return (pattern & 8 ? -1.f : 1.f) * magnitudes[pattern & 7]; }

/// The nearest number, of two the one with the even pattern; what is larger than all is the largest.
std::uint8_t nearest(double x) {
  std::uint8_t best = 0;
  for (std::uint8_t k = 1; k < 8; ++k) {
    const double before = std::abs(std::abs(x) - magnitudes[best]), now = std::abs(std::abs(x) - magnitudes[k]);
    if (now < before || (now == before && k % 2 == 0)) best = k;
  }
  return static_cast<std::uint8_t>(best | (std::signbit(x) ? 8 : 0));
}

constexpr std::int64_t blocks = 6, length = 32;

struct Blocks {
  std::vector<std::uint8_t> elements;
  std::vector<std::uint8_t> scales;
  Tensor element_tensor() const { return {"f4e2m1", {blocks, length}, elements}; }
  Tensor scale_tensor() const { return Tensor::of<std::uint8_t>(scales, {blocks}, "u8"); }
};

constexpr const char* block_program =
    "import \"mx\"\n"
    "fn scales(e: u8[n]) -> f32[n] = for i: e8m0(e[i])\n"
    "fn blocks(x: f32[m, k]) -> (f4e2m1[m, k], u8[m]) = to_mx[f4e2m1, 2](x)\n"
    "fn dot(a: f4e2m1[m, k], sa: u8[m], b: f4e2m1[m, k], sb: u8[m]) -> f32 = dot_mx(a, sa, b, sb)\n"
    "fn products(a: f4e2m1[r, m, k], s: u8[r, m]) -> f32[r, r] = dot_scaled(a, s, a, s)\n";

std::vector<Shown> called(Session& session, const char* circuit, std::vector<Tensor> arguments, On on) {
  CallOptions options;
  options.on = on;
  auto result = session.call(circuit, std::move(arguments), options);
  REQUIRE(result);
  return *result;
}

}  // namespace

TEST_CASE("the value of an E8M0 scale is 2^(e - 127), and NaN for 255") {
  Session session;
  REQUIRE(session.load(block_program));
  std::vector<std::uint8_t> all(256);
  for (std::size_t e = 0; e < 256; ++e) all[e] = static_cast<std::uint8_t>(e);
  for (const On on : {On::interpreter, On::host}) {
    const auto found = called(session, "scales", {Tensor::of<std::uint8_t>(all, {}, "u8")}, on)[0].tensor->as<float>();
    REQUIRE(found.size() == 256);
    for (int e = 0; e < 255; ++e) CHECK(found[static_cast<std::size_t>(e)] == std::ldexp(1.0, e - 127));
    CHECK(std::isnan(found[255]));
  }
}

TEST_CASE("numbers become blocks of f4e2m1 and their scales as the MX specification says, and dot products of these") {
  Session session;
  REQUIRE(session.load(block_program));
  std::mt19937 random(31);
  for (int trial = 0; trial < 40; ++trial) {
    std::array<Blocks, 2> both;
    for (Blocks& each : both) {
      std::vector<float> x;
      for (std::int64_t i = 0; i < blocks; ++i) {
        // The last kinds of blocks have the smallest and the largest exponents.
        const int exponent = trial % 8 == 6 ? -140 : trial % 8 == 7 ? 127 : static_cast<int>(random() % 20) - 10;
        double largest = 0;
        const auto first = x.size();
        for (std::int64_t j = 0; j < length; ++j) {
          // Few bits, so that there are ties.
          const double part = (static_cast<double>(random() % 65) - 32) / 32;
          x.push_back(static_cast<float>(std::ldexp(part, exponent)));
          largest = std::max(largest, std::abs(static_cast<double>(x.back())));
        }
        const int scale = largest == 0 ? -127 : std::max(std::ilogb(largest) - 2, -127);
        each.scales.push_back(static_cast<std::uint8_t>(scale + 127));
        for (std::int64_t j = 0; j < length; ++j) each.elements.push_back(nearest(std::ldexp(x[first + static_cast<std::size_t>(j)], -scale)));
      }
      for (const On on : {On::interpreter, On::host}) {
        const auto found = called(session, "blocks", {Tensor::of<float>(x, {blocks, length})}, on);
        CHECK(found[0].tensor->bytes == each.elements);
        CHECK(found[1].tensor->as<std::uint8_t>() == each.scales);
      }
    }
    // A block's sum is exact in f32, and so is its scaling where the exponents are moderate.
    float expected = 0;
    for (std::size_t i = 0; i < blocks; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < length; ++j) sum += static_cast<double>(value(both[0].elements[i * length + j])) * value(both[1].elements[i * length + j]);
      const float scaled = static_cast<float>(std::ldexp(sum, static_cast<int>(both[0].scales[i] + both[1].scales[i]) - 254));
      expected = i == 0 ? scaled : expected + scaled;
    }
    for (const On on : {On::interpreter, On::host}) {
      const auto found = called(session, "dot", {both[0].element_tensor(), both[0].scale_tensor(), both[1].element_tensor(), both[1].scale_tensor()}, on);
      const auto same = [&](float number) {
        return number == expected || (std::isnan(number) && std::isnan(expected));
      };
      CHECK(same(found[0].tensor->as<float>()[0]));
      std::vector<std::uint8_t> elements = both[0].elements, scales = both[0].scales;
      elements.insert(elements.end(), both[1].elements.begin(), both[1].elements.end());
      scales.insert(scales.end(), both[1].scales.begin(), both[1].scales.end());
      const auto products =
          called(session, "products",
                 {{"f4e2m1", {2, blocks, length}, elements}, Tensor::of<std::uint8_t>(scales, {2, blocks}, "u8")}, on);
      CHECK(same(products[0].tensor->as<float>()[1]));
      CHECK(same(products[0].tensor->as<float>()[2]));
    }
  }
}
