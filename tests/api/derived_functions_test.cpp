// Functions that stand for a few operations: isnan, isinf, isfinite, round_away, sigmoid. Expected values: <cmath>.
#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <limits>

#include "api/reckon/reckon.h"

using namespace reckon;

namespace {

/// Every float whose bits are 0 but the upper 16 and a few below, and what rounding to integers is wrong about most often.
std::vector<float> many_floats() {
  std::vector<float> out;
  for (std::uint32_t high = 0; high < 0x10000; ++high) {
    for (const std::uint32_t low : {0u, 1u, 0xffffu}) out.push_back(std::bit_cast<float>(high << 16 | low));
  }
  for (int k = -40; k <= 40; ++k) {
    const float half = 0.5f + static_cast<float>(k);
    for (const float x : {half, std::nextafter(half, -100.0f), std::nextafter(half, 100.0f)}) out.push_back(x);
  }
  for (const float x : {8388607.5f, 4194303.75f, 16777216.0f, -8388607.5f}) out.push_back(x);
  return out;
}

constexpr const char* derived_program =
    "fn away(x: f32[n]) -> f32[n] = round_away(x)\n"
    "fn wide(x: f64[n]) -> f64[n] = for i: round_away(x[i])\n"
    "fn kinds(x: f32[n]) -> f32[n] = for i: select(isnan(x[i]), 1, 0) + select(isinf(x[i]), 2, 0) + select(isfinite(x[i]), 4, 0)\n"
    "fn bytes(x: f8e4m3[n]) -> f32[n] =\n"
    "  for i: select(isnan(x[i]), 1, 0) + select(isinf(x[i]), 2, 0) + select(isfinite(x[i]), 4, 0)\n"
    "fn logistic(x: f32[n]) -> f32[n] = sigmoid(x)\n"
    "fn written(x: f32[n]) -> f32[n] = 1 / (1 + exp(-x))\n";

template <class T>
std::vector<T> results_of(Session& session, const char* circuit, const Tensor& argument, On on) {
  CallOptions options;
  options.on = on;
  auto result = session.call(circuit, {argument}, options);
  REQUIRE(result);
  return result->at(0).tensor->as<T>();
}

}  // namespace

TEST_CASE("round_away is C's round") {
  Session session;
  REQUIRE(session.load(derived_program));
  const std::vector<float> x = many_floats();
  std::vector<double> wide;
  for (const float each : x) wide.push_back(static_cast<double>(each) * (1 + std::numeric_limits<double>::epsilon()));
  for (const On on : {On::interpreter, On::host}) {
    const auto found = results_of<float>(session, "away", Tensor::of<float>(x), on);
    const auto found_wide = results_of<double>(session, "wide", Tensor::of<double>(wide), on);
    REQUIRE((found.size() == x.size() && found_wide.size() == x.size()));
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const bool same = std::isnan(x[k]) ? std::isnan(found[k]) : std::bit_cast<std::uint32_t>(found[k]) == std::bit_cast<std::uint32_t>(std::round(x[k]));
      const bool same_wide = std::isnan(wide[k]) ? std::isnan(found_wide[k]) : std::bit_cast<std::uint64_t>(found_wide[k]) == std::bit_cast<std::uint64_t>(std::round(wide[k]));
      if (same && same_wide) continue;
      if (++wrong > 5) continue;
      CAPTURE(x[k], found[k], wide[k], found_wide[k]);
      CHECK((same && same_wide));
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("isnan, isinf and isfinite tell the kinds of numbers apart") {
  Session session;
  REQUIRE(session.load(derived_program));
  const std::vector<float> x = many_floats();
  for (const On on : {On::interpreter, On::host}) {
    const auto found = results_of<float>(session, "kinds", Tensor::of<float>(x), on);
    REQUIRE(found.size() == x.size());
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < x.size(); ++k) wrong += found[k] != (std::isnan(x[k]) ? 1 : std::isinf(x[k]) ? 2 : 4);
    CHECK(wrong == 0);
    // f8e4m3 has two NaNs, and no infinity (OCP 8-bit Floating Point Specification, section 5.1).
    Tensor patterns{"f8e4m3", {256}, {}};
    for (int k = 0; k < 256; ++k) patterns.bytes.push_back(static_cast<std::uint8_t>(k));
    const auto kinds = results_of<float>(session, "bytes", patterns, on);
    REQUIRE(kinds.size() == 256);
    for (std::size_t k = 0; k < 256; ++k) CHECK(kinds[k] == ((k & 0x7f) == 0x7f ? 1 : 4));
  }
}

TEST_CASE("sigmoid is its definition, bit for bit") {
  Session session;
  REQUIRE(session.load(derived_program));
  const std::vector<float> x = many_floats();
  for (const On on : {On::interpreter, On::host}) {
    const auto found = results_of<std::uint32_t>(session, "logistic", Tensor::of<float>(x), on);
    CHECK(found == results_of<std::uint32_t>(session, "written", Tensor::of<float>(x), on));
  }
}
