// Every strategy of placement, at ragged sizes: its kernels obey the verifier, run without a report, have the
// evaluator's bits, and their results are the trees that the schedules state.
#include <random>

#include "tests/kernel/placed.h"

namespace {

using namespace reckon;
using namespace reckon::test;

/// Ragged lengths, small and large ones as likely, between the two.
std::vector<std::int64_t> lengths(std::size_t count, std::int64_t low, std::int64_t high) {
  std::mt19937_64 random(20261124);
  std::vector<std::int64_t> out{low, high};
  while (out.size() < count) {
    const double share = static_cast<double>(random() % 1'000'000) / 1'000'000;
    const double size =
        static_cast<double>(low) * std::pow(static_cast<double>(high) / static_cast<double>(low), share);
    out.push_back(std::clamp(static_cast<std::int64_t>(size), low, high));
  }
  return out;
}

void try_out(const std::string& text, const Sizes& sizes, std::size_t results = 1) {
  std::string said = text;
  for (const auto& [name, size] : sizes) said += "  " + name + " = " + std::to_string(size);
  INFO(said);
  Placed placed(text, sizes);
  CHECK(placed.broken_rule() == "");
  CHECK(placed.wrong(static_cast<std::uint64_t>(sizes.begin()->second)) == "");
  CHECK(placed.trees() == results);
}

constexpr const char* of_blocks[] = {
    "seq",
    "tree",
    "halving",
    "blelloch",
    "lanes(32, tree) then tree",
    "lanes(128, tree) then tree",
    "lanes(96, seq) then tree",
    "lanes(7, tree) then seq",
    "tile(64, seq) then tree",
    "tile(37, tree) then seq",
    "tile(32, tree) then lanes(8, tree) then tree",
};

}  // namespace

TEST_CASE("kernels of a thread for each reduction fold the stated trees") {
  for (const char* schedule : of_blocks) {
    const std::string text = std::string("fn f(x: f32[m, n]) -> f32[m] = for r: sum i: x[r, i] by ") + schedule;
    for (const std::int64_t n : lengths(8, 1, 90)) try_out(text, {{"m", 67}, {"n", n}}, 67);
  }
}

TEST_CASE("kernels of a block for each reduction fold the stated trees") {
  for (const char* schedule : of_blocks) {
    const std::string text = std::string("fn f(x: f32[m, n]) -> f32[m] = for r: sum i: x[r, i] by ") + schedule;
    for (const std::int64_t n : lengths(8, 256, 3000)) try_out(text, {{"m", 2}, {"n", n}}, 2);
  }
}

TEST_CASE("kernels of a grid for one reduction fold the stated trees") {
  for (const char* schedule : {"tree", "lanes(128, tree) then tree"}) {
    const std::string text = std::string("fn f(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by ") + schedule;
    for (const std::int64_t n : lengths(6, 33'000, 60'000)) try_out(text, {{"n", n}});
  }
}

TEST_CASE("kernels of columns, tiles and rows fold the stated trees") {
  const std::string columns = "fn f(x: f32[m, n]) -> f32[n] = for c: sum r: x[r, c] by ";
  for (const char* schedule : {"tree", "lanes(32, tree) then tree"}) {
    for (const std::int64_t m : lengths(5, 256, 900)) try_out(columns + schedule, {{"m", m}, {"n", 37}}, 37);
  }
  const std::string product = "fn f(a: f32[m, k], b: f32[k, n]) -> f32[m, n] = for i, j: sum p: a[i, p] * b[p, j] by ";
  for (const char* schedule : {"seq", "fused(seq)"}) {
    for (const std::int64_t k : lengths(3, 1, 40))
      try_out(product + schedule, {{"k", k}, {"m", 67}, {"n", 45}}, 67 * 45);
  }
}
