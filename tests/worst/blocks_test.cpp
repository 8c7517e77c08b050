// Sums that accumulators of their own compute, over ranges: no bound is below the error of random inputs, which `in
// bound` encloses by rules of its own (semantics/bound/), and none is far above what Kahan's, the bins' and tensor
// cores' factors say (ir/schedule/bounds.h).
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include "tests/worst/values_shown.h"

using namespace reckon::test;

namespace {

struct BlockSum {
  std::string format, inputs, body;
  int terms;
  double factor;  ///< of the sum of |term|, which the bound is not above; terms are 1 at most
};

double real_of(const nlohmann::json& json) { return std::stod(json.get<std::string>()); }

}  // namespace

TEST_CASE("Kahan's sums of Kahan's sums are bounded by the roundings of both") {
  // sums(x, 0..2) = x[0] + x[1], and so on: each sum is the next one's first leaf. Its roundings go up at inputs
  // near 1.
  std::string body = "x[0]";
  for (int k = 1; k < 24; ++k) body = fmt::format("(sum i < 2: select(i > 0, x[{}], {}) by kahan)", k, body);
  std::string program = fmt::format("fn f(x: f16[24]) -> f16 = {}\nshow bound(f) for x: 0..1\n", body);
  for (int seed = 0; seed < 200; ++seed)
    program += fmt::format("show f(for i < 24: 1 - f16(random(u32[24], {})[i] % 8) / 2048) in bound\n", seed);
  const auto found = values_shown(program);
  REQUIRE(found.size() == 201);
  const double bound = real_of(found[0]["bound"]);
  double most = real_of(found[0]["found"]);
  for (std::size_t k = 1; k < found.size(); ++k) most = std::max(most, real_of(found[k]["bound"]));
  INFO(found[0].dump());
  CHECK(most <= bound);
  // 23 sums, each with an error of at most 2 u + 4 u^2 times the sum of its sizes, which is 24 at most.
  CHECK(bound <= 23 * 0x1p-10 * 24);
}

TEST_CASE("sums by accumulators of their own are bounded over ranges") {
  const std::vector<BlockSum> sums{
      {"f16", "x: f16[n], y: f16[n]", "sum i: f32(x[i]) * f32(y[i]) by mma(hopper)", 100,
       17 * 0x1p-25 * 8 + 8 * 0x1p-23},
      {"f16", "x: f16[n], y: f16[n]", "sum i: f32(x[i]) * f32(y[i]) by mma(volta)", 7, 0x1p-18},
      {"f16", "x: f16[n], y: f16[n]", "sum i: x[i] * y[i] by mma(ampere)", 40, 0.01},
      {"bf16", "x: bf16[n], y: bf16[n]", "sum i: f32(x[i]) * f32(y[i]) by mma(blackwell)", 33, 0x1p-18},
      {"f8e4m3", "x: f8e4m3[n], y: f8e4m3[n]", "sum i: f32(x[i]) * f32(y[i]) by mma(hopper)", 64, 0x1p-6},
      {"f32", "x: f32[n], y: f32[n]", "sum i: x[i] * y[i] by binned(2)", 30, 30 * 0x1p-14 + 0x1p-22},
      {"f32", "x: f32[n], y: f32[n]", "sum i: x[i] by binned(3)", 200, 200 * 0x1p-27 + 0x1p-23},
      {"f64", "x: f64[n], y: f64[n]", "sum i: x[i] * y[i] by binned(2)", 20, 20 * 0x1p-41},
      {"f32", "x: f32[n], y: f32[n]", "sum i: x[i] by kahan", 300, 4 * 0x1p-24},
      {"f32", "x: f32[n], y: f32[n]", "sum i: x[i] * y[i] by kahan", 20, 5 * 0x1p-24},
      {"f16", "x: f16[n], y: f16[n]", "(sum i: x[i] by kahan) * 2 + 1", 30, 3 * 5 * 0x1p-11},
      {"f16", "x: f16[n], y: f16[n]", "sum j < 3: (sum i: x[i] * y[i] by kahan) by seq", 10, 3 * 0.02},
      // A sum that is another sum's first leaf has its own rounding.
      {"f16", "x: f16[n], y: f16[n]", "sum j < 3: (sum i: x[i] by kahan) by kahan", 8, 3 * 8 * 0x1p-11},
      {"f16", "x: f16[n], y: f16[n]", "sum j < n: select(j > 0, y[j], (sum i: x[i] by kahan)) by kahan", 12,
       3 * 5 * 0x1p-11},
  };
  for (const BlockSum& sum : sums) {
    INFO(sum.body);
    const bool narrow = sum.body.find("f32(") != std::string::npos;
    std::string program = fmt::format("fn f({}) -> {} = {}\n", sum.inputs, narrow ? "f32" : sum.format, sum.body);
    program += fmt::format("show bound(f) for x: -1..1, y: -1..1, n: {{{}}}\n", sum.terms);
    constexpr int trials = 25;
    for (int k = 0; k < trials; ++k) {
      program += fmt::format("show f(random({0}[{1}], {2}), random({0}[{1}], {3})) in bound\n", sum.format, sum.terms,
                             2 * k, 2 * k + 1);
    }
    const auto found = values_shown(program);
    REQUIRE(found.size() == trials + 1);
    INFO(found[0].dump());
    REQUIRE(found[0].contains("bound"));
    const double bound = real_of(found[0]["bound"]);
    CHECK(real_of(found[0]["found"]) <= bound * 1.0001);
    CHECK(bound <= sum.factor * sum.terms);
    double most = 0;
    for (int k = 1; k <= trials; ++k) {
      INFO(found[k].dump());
      if (found[k].contains("bound")) most = std::max(most, real_of(found[k]["bound"]));
    }
    CHECK(most <= bound);
    CHECK(real_of(found[0]["found"]) > 0);
  }
}

TEST_CASE("terms that tensor cores cut to zero count in a bound over ranges") {
  // Hopper cuts each term to a multiple of 2^-25 times the power of two below the largest: fifteen products, each just
  // below that, are lost beside 1.
  const auto found = values_shown(
      "fn f(z: f16, w: f16) -> f32 =\n"
      "  sum i < 16: f32(select(i == 0, f16(1), z)) * f32(select(i == 0, f16(1), w)) by mma(hopper)\n"
      "show bound(f) for z: 0.0002..0.000244, w: 0.0001..0.00013\nshow f(f16#0bff, f16#0800) - 1\n");
  REQUIRE(found.size() == 2);
  INFO(found[0].dump() << found[1].dump());
  CHECK(real_of(found[1]["value"]) == 0);
  const double z = 0x1.ffcp-13, w = 0x1p-13;  // f16#0bff and f16#0800, in the ranges
  CHECK(15 * z * w <= real_of(found[0]["bound"]));
  CHECK(real_of(found[0]["bound"]) <= 3 * 15 * z * w);
}
