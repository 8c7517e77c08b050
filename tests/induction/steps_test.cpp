// Proofs with steps, of circuits that people write; each is accepted by the checker, which shares no code with what
// finds them.
#include <fmt/ranges.h>

#include <cstdlib>

#include "induction/induction.h"
#include "tests/induction/programs.h"
#include "tests/prove/pair.h"
#include "verify/check.h"

using namespace reckon;
using normal::Pair;

namespace {

std::optional<proof::Proof> steps_of(const std::string& program) {
  Pair pair(program);
  return only(ir::prove_by_steps(pair.session.module(), *pair.f, *pair.g, proof::Relation::equal));
}

void has_proof(const std::string& program) {
  INFO(program);
  const auto proof = steps_of(program);
  REQUIRE(proof);
  if (std::getenv("RECKON_SHOW")) fmt::print("{}\n\n", fmt::join(proof::lines(*proof), "\n"));
  CHECK_FALSE(verify::check(*proof));
}

const std::string two = "(x: f64[n], y: f64[n]) -> f64 = ";

}  // namespace

TEST_CASE("sums in any order and in blocks have proofs with steps") {
  has_proof("fn f" + two + "sum i: x[i] * y[i] by seq\nfn g" + two + "sum i: y[i] * x[i] by tree");
  has_proof(
      "fn f(x: f64[4 * m]) -> f64 = sum i: x[i]\nfn g(x: f64[4 * m]) -> f64 = sum s < m: (sum q < 4: x[4 * s + q])");
  has_proof("fn f(x: f64[n]) -> f64 = sum i < n: f64(2 * i + 1)\nfn g(x: f64[n]) -> f64 = f64(n) * f64(n)");
  has_proof(
      "fn f(x: f64[n]) -> f64[n] = scan(add) i: x[i] by tree\n"
      "fn g(x: f64[n]) -> f64[n] = for i < n: sum j < i + 1: x[j] by seq");
}

TEST_CASE("Horner's and Estrin's rules have proofs by induction") {
  const std::string powers =
      "fn f(c: f64[n], x: f64) -> f64 = sum i: c[i] * (prod j < n - 1 - i: x by seq else 1) by seq\n";
  const std::string step =
      "fn step(a: (f64, f64), b: (f64, f64)) -> (f64, f64) { let (p, v) = a; let (q, w) = b; (p * q, v * q + w) }\n";
  has_proof(powers + step + "fn g(c: f64[n], x: f64) -> f64 { let (p, v) = reduce(step) i: (x, c[i]) by seq; v }\n");
  has_proof(powers + step + "fn g(c: f64[n], x: f64) -> f64 { let (p, v) = reduce(step) i: (x, c[i]) by tree; v }\n");
}

TEST_CASE("the online softmax has a proof by induction, from -inf and by merges") {
  has_proof(plain_softmax + R"(
fn update(state: (f64, f64), next: (f64, f64)) -> (f64, f64) {
  let (m, l) = state;
  let (x, one) = next;
  let m_new = max(m, x);
  (m_new, l * exp(m - m_new) + one * exp(x - m_new))
}
fn g(x: f64[n]) -> f64[n] {
  let (m, l) = reduce(update) i < n + 1:
    (select(i == 0, -inf, x[max(i - 1, 0)]), select(i == 0, f64(0), f64(1))) by seq;
  for i: exp(x[i] - m) / l
})");
  has_proof(plain_softmax + softmax_merge("al * exp2((am - m) * log2e) + bl * exp2((bm - m) * log2e)") + R"(
fn g(x: f64[n]) -> f64[n] {
  let (m, l) = reduce(merge) i: (x[i], f64(1)) by tree;
  for i: exp2((x[i] - m) * log2e) / l
})");
}

TEST_CASE("Welford's update has a proof by induction") {
  has_proof(R"(
fn f(x: f64[n]) -> f64 {
  let mean = (sum i: x[i]) / f64(n);
  (sum i: (x[i] - mean) * (x[i] - mean)) / f64(n)
}
fn update(a: (f64, f64, f64), b: (f64, f64, f64)) -> (f64, f64, f64) {
  let (n, mean, m2) = a;
  let (one, x, zero) = b;
  let count = n + 1;
  let delta = x - mean;
  let m = mean + delta / count;
  (count, m, m2 + delta * (x - m))
}
fn g(x: f64[n]) -> f64 { let (count, mean, m2) = reduce(update) i: (f64(1), x[i], f64(0)) by seq; m2 / count })");
}

TEST_CASE("flash attention in tiles has a proof with steps") {
  has_proof(R"(
fn f(s: f64[4 * m], v: f64[4 * m]) -> f64 {
  let e = for i: exp(s[i]);
  (sum i: e[i] * v[i]) / (sum i: e[i])
}
fn merge(a: (f64, f64, f64), b: (f64, f64, f64)) -> (f64, f64, f64) {
  let (am, al, ao) = a;
  let (bm, bl, bo) = b;
  let m = max(am, bm);
  (m, al * exp(am - m) + bl * exp(bm - m), ao * exp(am - m) + bo * exp(bm - m))
}
fn g(s: f64[4 * m], v: f64[4 * m]) -> f64 {
  let tops = for t < m: max q < 4: s[4 * t + q];
  let sums = for t < m: sum q < 4: exp(s[4 * t + q] - tops[t]);
  let values = for t < m: sum q < 4: exp(s[4 * t + q] - tops[t]) * v[4 * t + q];
  let (top, l, o) = reduce(merge) t < m: (tops[t], sums[t], values[t]) by seq;
  o / l
})");
}

TEST_CASE("each part of a tuple, and each element along a dimension that is a number, has a proof with steps") {
  const auto count = [](const std::string& program) {
    Pair pair(program);
    const auto proofs = ir::prove_by_steps(pair.session.module(), *pair.f, *pair.g, proof::Relation::equal);
    for (const proof::Proof& each : proofs) CHECK_FALSE(verify::check(each));
    return proofs.size();
  };
  CHECK(count(strassen("+ m6")) == 4);
  const std::string head = "(x: f64[n], y: f64[n]) -> ";
  CHECK(count("fn f" + head + "(f64, f64[n]) = (sum i: x[i] + y[i], for i: x[i] * 2)\n" + "fn g" + head +
              "(f64, f64[n]) = ((sum i: x[i]) + (sum i: y[i]), for i: x[i] + x[i])\n") == 2);
  // One part is false.
  CHECK(count("fn f" + head + "(f64, f64[n]) = (sum i: x[i] + y[i], for i: x[i] * 2)\n" + "fn g" + head +
              "(f64, f64[n]) = ((sum i: x[i]) + (sum i: y[i]), for i: x[i] + y[i])\n") == 0);
  // Which term there is depends on the place.
  const std::string square = "(x: f64[n], y: f64[n]) -> f64[2, 2, n] = for i < 2, j < 2, k: ";
  CHECK(count("fn f" + square + "sum l < 3: select(i < j, x[k], y[k])\n" + "fn g" + square +
              "select(i < j, 3 * x[k], 3 * y[k])\n") == 4);
  CHECK(count("fn f" + square + "sum l < 3: select(i < j, x[k], y[k])\n" + "fn g" + square +
              "select(j < i, 3 * x[k], 3 * y[k])\n") == 0);
}
