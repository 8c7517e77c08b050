// `show bound(f) in accept(P) for ...` is about all compilations, and `spread` and `attains` about all at one input.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/cli/reckon_run.h"
#include "tests/compilations/random_circuit.h"
#include "tests/support/golden.h"

using namespace reckon::test;

namespace {

/// The circuit in f64, as a real of twice the digits: long double is enough to tell f32's errors.
long double real_value(const SmallCircuit& circuit, const std::vector<float>& x) {
  std::vector<long double> v(circuit.nodes.size());
  for (std::size_t k = 0; k < v.size(); ++k) {
    const SmallNode& node = circuit.nodes[k];
    const long double a = node.op == Sign::input ? 0 : v[node.first], b = node.op == Sign::input ? 0 : v[node.second];
    v[k] = node.op == Sign::input ? x[k]
           : node.op == Sign::add ? a + b
           : node.op == Sign::sub ? a - b
           : node.op == Sign::mul ? a * b
                                  : -a;
  }
  return v.back();
}

std::vector<Json> bounds(const std::vector<SmallCircuit>& circuits, const std::string& profile) {
  std::string program = "import \"profiles/compilers\"\n";
  for (std::size_t k = 0; k < circuits.size(); ++k) program += circuits[k].text("f" + std::to_string(k));
  for (std::size_t k = 0; k < circuits.size(); ++k) {
    program += "show bound(f" + std::to_string(k) + ")" + profile + " for x0: -1..1, x1: 1..2, x2: 3/4..1, x3: -1/8..1/2\n";
  }
  const RunResult done = run_text(program, {"--format=json"});
  INFO(done.err);
  REQUIRE(done.status == 0);
  std::vector<Json> out = json_lines(done.out);
  REQUIRE(out.size() == circuits.size());
  return out;
}

std::vector<float> in_ranges(std::mt19937_64& random) {
  const auto draw = [&](double low, double high) {
    return static_cast<float>(low + (high - low) * (static_cast<double>(random() >> 11) * 0x1p-53));
  };
  return {draw(-1, 1), draw(1, 2), draw(0.75, 1), draw(-0.125, 0.5)};
}

}  // namespace

TEST_CASE("no contraction errs by more than the bound of all contractions") {
  std::mt19937_64 random(31);
  std::vector<SmallCircuit> circuits;
  for (int k = 0; k < 60; ++k) circuits.emplace_back(random, 2 + static_cast<int>(random() % 6));
  const std::vector<Json> found = bounds(circuits, " in accept(compilers)"), written = bounds(circuits, "");
  int larger = 0;
  for (std::size_t k = 0; k < circuits.size(); ++k) {
    const double bound = std::stod(found[k].at("bound").get<std::string>());
    larger += bound > std::stod(written[k].at("bound").get<std::string>()) ? 1 : 0;
    for (int sample = 0; sample < 400; ++sample) {
      const std::vector<float> x = in_ranges(random);
      const auto results = circuits[k].contracted(x);
      if (!results) break;
      const long double real = real_value(circuits[k], x);
      for (const float each : *results) {
        INFO(circuits[k].text("f") << found[k].dump() << " " << each);
        REQUIRE(std::fabs(static_cast<double>(each - real)) <= bound * (1 + 1e-9));
      }
    }
  }
  CHECK(larger > 5);
}

TEST_CASE("no order of a sum errs by more than the bound of all orders") {
  std::mt19937_64 random(32);
  std::vector<SmallCircuit> circuits;
  while (circuits.size() < 40) {
    SmallCircuit made(random, 3 + static_cast<int>(random() % 5));
    // Products of products are refused: orders of them may underflow.
    const bool deep = std::ranges::any_of(made.nodes, [&](const SmallNode& node) {
      bool negative = false;
      return node.op == Sign::mul && (made.product(node.first, negative) || made.product(node.second, negative));
    });
    if (!deep) circuits.push_back(std::move(made));
  }
  const std::vector<Json> found = bounds(circuits, " in accept(compilers_fast)");
  for (std::size_t k = 0; k < circuits.size(); ++k) {
    const double bound = std::stod(found[k].at("bound").get<std::string>());
    for (int sample = 0; sample < 1000; ++sample) {
      const std::vector<float> x = in_ranges(random);
      const float result = circuits[k].reassociated(x, random);
      INFO(circuits[k].text("f") << found[k].dump() << " " << result);
      REQUIRE(std::fabs(static_cast<double>(result - real_value(circuits[k], x))) <= bound * (1 + 1e-9));
    }
  }
}

TEST_CASE("questions about compilations, and what they refuse") {
  const RunResult done = run_text(R"(
import "profiles/compilers"
import "profiles/ieee"
profile rounding = ieee with { contract may }
fn product_error(x: f32, y: f32) -> f32 = x * y - x * y
fn determinant(a: f32, b: f32, c: f32, d: f32) -> f32 = a * d - b * c
fn two_sum(a: f32, b: f32) -> f32 { let s = a + b; let bb = s - a; (a - (s - bb)) + (b - bb) }
fn fast_two_sum(a: f32, b: f32) -> f32 { let s = a + b; b - (s - a) }
fn root(x: f32, y: f32) -> f32 = sqrt(x * x - y * y)
fn two_prod(x: f32, y: f32) -> f32 { let p = x * y; fma(x, y, -p) }
fn split(x: f32) -> f32 { let c = 4097 * x; c - (c - x) }
fn dekker(x: f32, y: f32) -> f32 {
  let p = x * y;
  let xh = split(x);
  let yh = split(y);
  let xl = x - xh;
  let yl = y - yh;
  xl * yl - (((p - xh * yh) - xl * yh) - xh * yl)
}
fn kahan_step(s: f32, c: f32, x: f32) -> f32 { let y = x - c; let t = s + y; (t - s) - y }
fn dot(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by seq
fn any_dot(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by any
fn folds(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by any_seq
fn compensated(x: f32[n]) -> f32 = sum i: x[i] by neumaier(seq)
fn bins(x: f32[n]) -> f32 = sum i: x[i] by binned(3)
let x = [0.1, 0.2, 0.3]
let y = [0.4, 0.5, 0.6]
show spread(product_error, 0.1, 0.3) in accept(compilers)
show spread(determinant, 0.1, 0.2, 0.3, 0.4) in accept(compilers)
show spread(two_sum, 1, 1e-9) in accept(compilers)
show spread(two_sum, 1, 1e-9) in accept(compilers_fast)
show spread(root, f32#3f800001, f32#3f800001) in accept(compilers)
show spread(dot, x, y) in accept(compilers)
show spread(any_dot, x, y) in accept(compilers)
show spread(dot, x, y) in accept(compilers_fast)
show attains(determinant, 0.1, 0.2, 0.3, 0.4, -0.02) in accept(compilers)
show attains(determinant, 0.1, 0.2, 0.3, 0.4, -0.03) in accept(compilers)
check attains(determinant, 0.1, 0.2, 0.3, 0.4, -0.02) in accept(compilers)
check attains(determinant, 0.1, 0.2, 0.3, 0.4, -0.03) in accept(compilers)
show rewrites(product_error) in accept(compilers) for x: -1..1, y: -1..1
show rewrites(two_sum) in accept(compilers) for a: -1..1, b: -1..1
show rewrites(fast_two_sum) in accept(compilers_fast) for a: 1..2, b: -1..1
show rewrites(dekker) in accept(compilers) for x: 1..2, y: 1..2
show rewrites(two_prod) in accept(compilers) for x: 1..2, y: 1..2
show rewrites(kahan_step) in accept(compilers_fast) for s: 1..2, c: 0..0.0000001, x: 0..1
check unchanged(two_sum) in accept(compilers)
check unchanged(two_prod) in accept(compilers)
check unchanged(determinant) in accept(compilers)
show bound(determinant) in accept(compilers) for a: 0..1, b: 0..1, c: 0..1, d: 0..1
show bound(product_error) in accept(compilers) for x: 0..1, y: 0..1
show bound(dot) in accept(compilers) for x: 0..1, y: 0..1, n: {10}
show bound(dot) in accept(compilers_fast) for x: 0..1, y: 0..1, n: {10}
)");
  INFO(done.err);
  check_golden("compilations/questions.txt", done.out);
  CHECK(done.status == 1);

  const RunResult refused = run_text(R"(
import "profiles/compilers"
import "profiles/ieee"
profile rounding = ieee with { contract may }
fn determinant(a: f32, b: f32, c: f32, d: f32) -> f32 = a * d - b * c
fn cube(x: f32) -> f32 = x * x * x + 1
fn folds(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by any_seq
fn compensated(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by neumaier(seq)
fn bins(x: f32[n]) -> f32 = sum i: x[i] by binned(3)
let x = [0.1, 0.2, 0.3]
show spread(folds, x, x) in accept(compilers)
show spread(bins, x) in accept(compilers)
show rewrites(determinant) for a: 0..1, b: 0..1, c: 0..1, d: 0..1
show rewrites(determinant) in accept(ieee) for a: 0..1, b: 0..1, c: 0..1, d: 0..1
check unchanged(determinant) in accept(ieee)
show bound(determinant) in accept(rounding) for a: 0..1, b: 0..1, c: 0..1, d: 0..1
show bound(compensated) in accept(compilers) for x: 0..1, y: 0..1, n: {3}
show bound(cube) in accept(compilers_fast) for x: 0..1
show determinant(1, 2, 3, 4) in accept(compilers, const)
)");
  check_golden("compilations/refused.txt", refused.out + refused.err);

  const RunResult settings = run_text(R"(
import "profiles/wgsl"
profile sometimes = wgsl with { contract sometimes }
profile twice = wgsl with { contract may; contract never }
profile at_ends = wgsl with {
  evaluate ends
  reassociate may
}
profile without_fma {
  formats f32
  contract may
  add, sub, mul : rounded
}
)");
  CHECK(settings.status == 3);
  check_golden("compilations/settings.txt", settings.err);
}
