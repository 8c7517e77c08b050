// The library's quick functions (stdlib/quick.rk) within the errors that it states. Expected values: the C library's
// functions of f64. `reckon_tests "[.exhaustive]"` tries all f32s, which takes half an hour of a core; `./dev
// deep exhaustive` shares them among processes.
#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "api/reckon/reckon.h"
#include "tests/support/patterns32.h"

using namespace reckon;

namespace {

constexpr const char* quick_program =
    "import \"quick\"\n"
    "fn exp2s(x: f32[n]) -> f32[n] = for i: quick_exp2(x[i])\n"
    "fn exps(x: f32[n]) -> f32[n] = for i: quick_exp(x[i])\n"
    "fn tanhs(x: f32[n]) -> f32[n] = for i: quick_tanh(x[i])\n"
    "fn erfs(x: f32[n]) -> f32[n] = for i: quick_erf(x[i])\n"
    "fn weights(x: f32[n]) -> f32[n] = for i: quick_weight(x[i])\n"
    "fn halves(x: f16[n]) -> f16[n] = for i: quick_exp(x[i])\n"
    "fn wide(x: f64[n]) -> f64[n] = for i: quick_tanh(x[i]) - tanh(x[i])\n";

std::vector<float> results_at(Session& session, const char* circuit, const std::vector<float>& x, On on) {
  CallOptions options;
  options.on = on;
  auto result = session.call(circuit, {Tensor::of<float>(x)}, options);
  REQUIRE(result);
  return result->at(0).tensor->as<float>();
}

/// How far `found` is from `real`, in units in the last place of f32 at `real`.
double ulps(float found, double real) {
  int exponent = 0;
  std::frexp(real, &exponent);
  return std::abs(found - real) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

struct Quick {
  const char* circuit;
  double (*real)(double);
  double limit;                   ///< in units in the last place
  double zero_below, zero_up_to;  ///< below the first, results are 0; from the second on they are within the limit
};
constexpr double never = -std::numeric_limits<double>::infinity();
const Quick quick_functions[] = {{"exp2s", [](double x) { return std::exp2(x); }, 0.96, -125.5, -125},
                                 {"exps", [](double x) { return std::exp(x); }, 0.9, -87, -86.6},
                                 {"tanhs", [](double x) { return std::tanh(x); }, 5.7, never, never},
                                 {"erfs", [](double x) { return std::erf(x); }, 6, never, never}};

/// Of all patterns one of so many.
void check_quick(std::uint64_t step) {
  Session session;
  REQUIRE(session.load(quick_program));
  const auto [begin, end] = reckon::test::patterns32();
  const std::size_t block = std::size_t{1} << 20;
  for (std::uint64_t next = begin; next < end;) {
    std::vector<float> x;
    for (; next < end && x.size() < block; next += step) {
      x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(next)));
    }
    for (const Quick& each : quick_functions) {
      const std::vector<float> found = results_at(session, each.circuit, x, On::host);
      double worst = 0;
      float at = 0;
      std::size_t wrong = 0;
      for (std::size_t k = 0; k < x.size(); ++k) {
        const double real = each.real(x[k]);
        if (std::isnan(x[k])) {
          wrong += !std::isnan(found[k]);
        } else if (x[k] < each.zero_below) {
          wrong += found[k] != 0;
        } else if (x[k] < each.zero_up_to) {
          wrong += found[k] != 0 && ulps(found[k], real) > each.limit;
        } else if (std::isinf(static_cast<float>(real))) {
          wrong += !std::isinf(found[k]);
        } else if (const double error = ulps(found[k], real); !(error <= worst)) {
          worst = error;
          at = x[k];
        }
      }
      INFO(each.circuit << " at " << at);
      CHECK(wrong == 0);
      CHECK(worst <= each.limit);
    }
    const std::vector<float> weights = results_at(session, "weights", x, On::host);
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (std::isnan(x[k])) wrong += weights[k] != 0;
      else if (x[k] < -126.5f) wrong += weights[k] != 0;
      else if (x[k] >= -126 && x[k] <= 1)
        wrong += std::abs(weights[k] / std::exp2(static_cast<double>(x[k])) - 1) > 1.02e-4;
    }
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("quick functions are within the errors that are stated") { check_quick(4099); }
TEST_CASE("quick functions are within the errors that are stated, all arguments", "[.exhaustive]") { check_quick(1); }

TEST_CASE("quick functions have the same bits in the interpreter and on the host, and at points that matter") {
  Session session;
  REQUIRE(session.load(quick_program));
  std::vector<float> x;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 65521) {
    x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  for (const char* circuit : {"exp2s", "exps", "tanhs", "erfs", "weights"}) {
    const auto host = results_at(session, circuit, x, On::host),
               interpreted = results_at(session, circuit, x, On::interpreter);
    std::size_t differ = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      differ += std::bit_cast<std::uint32_t>(host[k]) != std::bit_cast<std::uint32_t>(interpreted[k]);
    }
    CHECK(differ == 0);
  }
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> points{0, 1, -1, infinity, -infinity, 127, 128};
  CHECK(results_at(session, "exp2s", points, On::host) ==
        std::vector<float>{1, 2, 0.5, infinity, 0, std::ldexp(1.0f, 127), infinity});
  CHECK(results_at(session, "weights", {0, -1, -infinity, -127}, On::host) == std::vector<float>{1, 0.5, 0, 0});
  for (const float limit : results_at(session, "tanhs", {infinity, 20, 9.1f}, On::host))
    CHECK((limit <= 1 && limit > 0.9999998f));
  for (const float limit : results_at(session, "erfs", {infinity, 20, 4}, On::host))
    CHECK((limit <= 1 && limit > 0.9999998f));
  const std::vector<double> few{0.5, 3};
  const auto wide = session.call("wide", {Tensor::of<double>(few)});
  REQUIRE(wide);
  CHECK(wide->at(0).tensor->as<double>() == std::vector<double>{0, 0});
}
