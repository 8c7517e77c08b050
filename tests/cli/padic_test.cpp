// Checks `in padic`: true rewrites hold, planted bugs fail, what the ring cannot follow is undecided and says why.
#include "tests/cli/reckon_run.h"

using namespace reckon::test;
using Catch::Contains;
using Catch::StartsWith;

namespace {

constexpr const char* circuits_in_padic = R"(
fn softmax(x: f32[n]) -> f32[n] { let e = for i: exp(x[i]); let s = sum i: e[i]; for i: e[i] / s }
fn shifted(x: f32[n]) -> f32[n] { let m = max i: x[i]; let e = for i: exp(x[i] - m); let s = sum i: e[i] by tree; for i: e[i] / s }
fn by_log(x: f32[n]) -> f32[n] { let s = log(sum i: exp(x[i])); for i: exp(x[i] - s) }
fn unshifted(x: f32[n]) -> f32[n] { let m = max i: x[i]; let e = for i: exp(x[i] - m); let s = sum i: exp(x[i]); for i: e[i] / s }

fn masked(x: f32[n]) -> f32[n] { let y = for i: select(i < n // 2 + 1, x[i], -inf); shifted(y) }
fn skipped(x: f32[n]) -> f32[n] { let s = sum i < n // 2 + 1: exp(x[i]); for i: select(i < n // 2 + 1, exp(x[i]) / s, 0) }

fn norm(x: f32[m, n]) -> f32[m, n] { let r = for i: rsqrt((sum j: x[i, j] * x[i, j]) / f32(n)); for i, j: x[i, j] * r[i] }
fn norm_divided(x: f32[m, n]) -> f32[m, n] { let r = for i: sqrt((sum j: x[i, j] * x[i, j]) / f32(n)); for i, j: x[i, j] / r[i] }
fn attention(x: f32[m, n]) -> f32[m, n] {
  let y = norm(x);
  let e = for i, k: exp(sum d: y[i, d] * y[k, d]);
  let s = for i: sum k: e[i, k];
  for i, j: (sum k: e[i, k] * y[k, j]) / s[i]
}
fn attention_shifted(x: f32[m, n]) -> f32[m, n] {
  let y = norm_divided(x);
  let c = for i, k: (sum d: y[i, d] * y[k, d]) * log2e;
  let m = for i: max k: c[i, k];
  let e = for i, k: exp2(c[i, k] - m[i]);
  let s = for i: sum k: e[i, k] by tree;
  for i, j: (sum k: e[i, k] * y[k, j] by tree) / s[i]
}
fn attention_wrong(x: f32[m, n]) -> f32[m, n] {
  let y = norm(x);
  let e = for i, k: exp(sum d: y[i, d] * y[k, d]);
  let s = for i: sum k: e[i, k];
  for i, j: (sum k: e[i, k] * x[k, j]) / s[i]
}

fn relu(x: f32) -> f32 = max(x, 0)
fn relu_select(x: f32) -> f32 = select(x > 0, x, 0)
fn relu_abs(x: f32) -> f32 = (x + abs(x)) / 2
fn relu_wrong(x: f32) -> f32 = select(x < 0, x, 0)

fn root(x: f32) -> f32 = sqrt(x) * sqrt(x)
fn same(x: f32) -> f32 = x
fn powers(x: f32, y: f32) -> f32 = exp(log(x) + log(y))
fn product(x: f32, y: f32) -> f32 = x * y
fn of_negative(x: f32) -> f32 = log(-(x * x))
fn by_constant(x: f32[n]) -> f32 = sqrt(f32(n)) * sqrt(f32(n)) * (sum i: x[i])
fn times(x: f32[n]) -> f32 = f32(n) * (sum i: x[i])
fn five(x: f32) -> f32 = x + 4 * x
fn four(x: f32) -> f32 = 2 * x + 2 * x
)";

}  // namespace

TEST_CASE("true rewrites hold in padic") {
  for (const char* check : {"softmax == shifted", "softmax == by_log", "masked == skipped", "norm == norm_divided", "relu == relu_select",
                            "relu == relu_abs", "root == same", "powers == product", "by_constant == times",
                            "root(x) == same(x)", "attention == attention_shifted"}) {
    INFO(check);
    std::string text = std::string(circuits_in_padic) + "check " + check + " in padic";
    if (std::string_view(check).starts_with("root(x)")) text += " for x > 0";
    if (std::string_view(check).starts_with("attention")) text += " for m: {1, 8, 64}, n: {4}";
    const RunResult run = run_text(text + "\n");
    CHECK(run.status == 0);
    CHECK_THAT(run.out, StartsWith("holds     check ") && Contains("agreed") && Contains("probability of error: "));
  }
}

TEST_CASE("planted bugs fail in padic") {
  for (const char* check : {"softmax == unshifted", "attention == attention_wrong", "relu == relu_wrong", "five == four",
                            "product == powers", "times == times_plus"}) {
    INFO(check);
    std::string text = circuits_in_padic;
    if (std::string_view(check) == "product == powers") text = "fn product(x: f32, y: f32) -> f32 = x * y\nfn powers(x: f32, y: f32) -> f32 = exp(log(x) - log(y))\n";
    text += "fn times_plus(x: f32[n]) -> f32 = f32(n) * (sum i: x[i]) + 1e-30\n";
    const RunResult run = run_text(text + "check " + check + " in padic\n");
    CHECK(run.status == 1);
    CHECK_THAT(run.out, Contains("fails     check ") && Contains(" of the ring, seed "));
  }
}

TEST_CASE("roots of 64 rows are defined together") {
  // Without drawing single rows again all of them would have a root once in 2^64 draws.
  const RunResult run = run_text(std::string(circuits_in_padic) +
                                 "check attention == attention_shifted in padic for m: {64}, n: {8} trials 3\n");
  CHECK_THAT(run.out, StartsWith("holds     ") && Contains("1536 of 1536 outputs defined"));
}

TEST_CASE("a polynomial identity has a proven probability of error") {
  const std::string text =
      "fn f(x: f32, y: f32) -> f32 = (x + y) * (x - y)\nfn g(x: f32, y: f32) -> f32 = x * x - y * y\n"
      "fn h(x: f32, y: f32) -> f32 = x / y + y / x\nfn k(x: f32, y: f32) -> f32 = (x * x + y * y) / (x * y)\n";
  // Degree 2 of the difference: (2 / 19559)^5 < 2^-66.
  CHECK_THAT(run_text(text + "check f == g in padic\n").out, Contains("5 trials; 5 of 5 outputs defined; probability of error 2^-66)"));
  CHECK_THAT(run_text(text + "check f == g in padic trials 2\n").out, Contains("2 trials; 2 of 2 outputs defined; probability of error 2^-26)"));
  // x/y + y/x is (2, 2), the other (2, 2): 4 over 4 after clearing denominators, 8 together.
  CHECK_THAT(run_text(text + "check h == k in padic\n").out, Contains("6 trials; 6 of 6 outputs defined; probability of error 2^-67)"));
}

TEST_CASE("what the ring cannot follow is undecided, with the operation to blame") {
  const RunResult run = run_text(std::string(circuits_in_padic) + "check of_negative == same in padic\n");
  CHECK(run.status == 0);
  CHECK_THAT(run.out, StartsWith("undecided") && Contains("1 output is never defined in `padic`: a logarithm has no value"));
  // 11 has no root in this ring; where the check asked for no sizes, such a size is passed over.
  CHECK_THAT(run_text(std::string(circuits_in_padic) + "check by_constant == times in padic for n: {11}\n").out,
             StartsWith("undecided") && Contains("a square root has no value"));
  const RunResult distance = run_text(std::string(circuits_in_padic) + "check five ~ four within 1e-3 in padic\n");
  CHECK(distance.status == 3);
  CHECK_THAT(distance.err, Contains("`padic` has no distance between values"));
}

TEST_CASE("an input that is positive by its condition or range has roots and logarithms") {
  const auto share = [](const std::string& clause) {
    const RunResult run =
        run_text(std::string(circuits_in_padic) +
                 "fn both(x: f32) -> f32 = exp(log(x)) * sqrt(x) / sqrt(x)\ncheck both(x) == same(x) in padic for x" +
                 clause + " trials 30\n");
    CHECK(run.status == 0);
    return run.out;
  };
  CHECK_THAT(share(" > 0"), StartsWith("holds     ") && Contains("30 of 30 outputs defined"));
  CHECK_THAT(share(": 1/2..8"), StartsWith("holds     ") && Contains("30 of 30 outputs defined"));
  CHECK_THAT(share(" < 0"), StartsWith("undecided"));
  CHECK_THAT(share(": -2..-1"), StartsWith("undecided"));
  const std::string text = std::string(circuits_in_padic) +
                           "fn negative(x: f32) -> f32 = sqrt(-x) * sqrt(-x)\nfn minus(x: f32) -> f32 = -x\n";
  CHECK_THAT(run_text(text + "check negative(x) == minus(x) in padic for 0 > x trials 30\n").out, Contains("30 of 30 outputs defined"));
  // Floats keep to the sign, too, and are never 0.
  const std::string size = "fn size(x: f32[n]) -> f32[n] = for i: abs(x[i]) / x[i]\nfn one(x: f32[n]) -> f32[n] = for i: x[i] / x[i]\n";
  CHECK(run_text(size + "check size(x) == one(x) in float for x > 0, n: {5000}\n").status == 0);
  CHECK(run_text(size + "check size(x) == one(x) in float for x < 0, n: {50}\n").status == 1);
  CHECK_THAT(run_text(size + "check size(x) == one(x) in interval for x > 0, n: {5}\n").err, Contains("a condition is no range"));
}

TEST_CASE("outputs of which the ring sees little are pointed out") {
  const std::string text =
      "fn deep(x: f32) -> f32 = tanh(tanh(tanh(tanh(tanh(tanh(x))))))\nfn other(x: f32) -> f32 = tanh(tanh(tanh(tanh(tanh(tanh(2 * x))))))\n"
      "fn one(x: f32) -> f32 = tanh(x)\nfn by_exp(x: f32) -> f32 = 1 - 2 / (exp(2 * x) + 1)\n";
  CHECK_THAT(run_text(text + "check deep == other in padic\n").out, Contains("1 output was 0 or degenerate in every trial"));
  CHECK_THAT(run_text(text + "check one == by_exp in padic\n").out, StartsWith("holds") && !Contains("degenerate"));
}
