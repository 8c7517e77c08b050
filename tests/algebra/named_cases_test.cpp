// What the ring was made for, one case after the other, in `padic` itself and in `algebra`, which may prove what it
// can: constants that a kernel computes on the way, circles, maxima after logarithms, rows that are normalised by a
// root each.
#include "check/algebra.h"
#include "tests/algebra/program.h"

using namespace reckon;
using namespace reckon::algebra;

namespace {

struct Case {
  const char* name;
  const char* circuits;  ///< left and right
  const char* clause;
  bool equal = true;
};
/// The reals that confirm a difference lie between -1 and 1 unless a check says otherwise.
constexpr const char *ten = "(x) for x: -10..10", *thousand = "(x) for x: -1000..1000";
constexpr Case cases[] = {
    {"exp(x rsqrt(64)) = exp(x 0.125)",
     "fn left(x: f32) -> f32 = exp(x * rsqrt(f32(64)))\nfn right(x: f32) -> f32 = exp(x * 0.125)\n", ""},
    {"exp(x rsqrt(64)) and exp(x 0.25)",
     "fn left(x: f32) -> f32 = exp(x * rsqrt(f32(64)))\nfn right(x: f32) -> f32 = exp(x * 0.25)\n", "", false},
    {"sqrt(64) = 8", "fn left(x: f32) -> f32 = x * sqrt(f32(64))\nfn right(x: f32) -> f32 = 8 * x\n", ""},
    {"exp2(10) = 1024", "fn left(x: f32) -> f32 = x * exp2(f32(10))\nfn right(x: f32) -> f32 = 1024 * x\n", ""},
    {"exp2(10) and 1000", "fn left(x: f32) -> f32 = x * exp2(f32(10))\nfn right(x: f32) -> f32 = 1000 * x\n", "",
     false},
    {"sin^2 + cos^2 = 1",
     "fn left(x: f32) -> f32 = sin(x) * sin(x) + cos(x) * cos(x)\nfn right(x: f32) -> f32 = x / x\n", ""},
    {"1 / sin is defined", "fn left(x: f32) -> f32 = cos(x) / sin(x)\nfn right(x: f32) -> f32 = 1 / tan(x)\n", ""},
    {"products of sines are not all 0",
     "fn left(x: f32) -> f32 = sin(x) * sin(2 * x) * sin(3 * x) * sin(4 * x) * sin(5 * x)\nfn right(x: f32) -> f32 = 0 "
     "* x\n",
     "", false},
    {"a maximum after logarithms",
     "fn left(x: f32, y: f32) -> f32 = max(log(exp(x)), log(exp(y)))\nfn right(x: f32, y: f32) -> f32 = max(x, y)\n",
     ""},
    {"a minimum after logarithms",
     "fn left(x: f32, y: f32) -> f32 = max(log(exp(x)), log(exp(y)))\nfn right(x: f32, y: f32) -> f32 = min(x, y)\n",
     "", false},
    {"log-sum-exp of two halves",
     "fn left(x: f32[n]) -> f32 = log(sum i: exp(x[i]))\n"
     "fn right(x: f32[n]) -> f32 {\n  let a = log(sum i < n // 2: exp(x[i]));\n  let b = log(sum i < n - n // 2: "
     "exp(x[n // 2 + i]));\n"
     "  let m = max(a, b);\n  m + log(exp(a - m) + exp(b - m))\n}\n",
     " for n: {2, 7}"},
    {"a clamped value and its steps",
     "fn left(x: f32) -> f32 = min(max(x, 0), 6)\nfn right(x: f32) -> f32 = select(x < 0, 0, select(x < 6, x, 6))\n",
     ""},
    {"relu6 and relu", "fn left(x: f32) -> f32 = min(max(x, 0), 6)\nfn right(x: f32) -> f32 = max(x, 0)\n", ten, false},
    {"relu6 and a step",
     "fn left(x: f32) -> f32 = min(max(x, 0), 6)\nfn right(x: f32) -> f32 = select(x > 0, f32(6), f32(0))\n", ten,
     false},
    {"another bound", "fn left(x: f32) -> f32 = clamp(x, -448, 448)\nfn right(x: f32) -> f32 = clamp(x, -240, 240)\n",
     thousand, false},
};

/// Only what lies between the two constants tells these apart.
constexpr Case of_constants[] = {
    {"a condition's constant",
     "fn left(x: f32, y: f32) -> f32 = select(2 <= x, log(y * y), y)\n"
     "fn right(x: f32, y: f32) -> f32 = select(2.0625 <= x, log(y * y), y)\n",
     "", false},
    {"a condition on a sum",
     "fn left(x: f32, y: f32) -> f32 = select(log(y) < 1, select(2 + x < 8, x - x, x), log(y))\n"
     "fn right(x: f32, y: f32) -> f32 = select(log(y) < 1, select(2 + x < 7, x - x, x), log(y))\n",
     "", false}};

/// 64 queries, each normalised by its root mean square, before attention; the second with the division where the scores
/// are.
constexpr const char* attention =
    "fn norm(x: f32[m, d]) -> f32[m] = for i: rsqrt((sum j: x[i, j] * x[i, j]) / f32(d))\n"
    "fn left(q: f32[m, d], k: f32[n, d], v: f32[n]) -> f32[m] {\n  let r = norm(q);\n  let s = for i, j: (sum c: q[i, "
    "c] * r[i] * k[j, c]) * 0.125;\n"
    "  for i: { let top = max j: s[i, j]; (sum j: exp(s[i, j] - top) * v[j]) / (sum j: exp(s[i, j] - top)) }\n}\n"
    "fn right(q: f32[m, d], k: f32[n, d], v: f32[n]) -> f32[m] {\n  let r = norm(q);\n  let s = for i, j: (sum c: q[i, "
    "c] * k[j, c] by tree) * r[i];\n"
    "  for i: (sum j: exp2(s[i, j] * (log2e * FACTOR)) * v[j] by tree) / (sum j: exp(s[i, j] * FACTOR))\n}\n";

check::Outcome outcome_of(const std::string& circuits, std::string how) {
  // `padic(x) for x: ...` gives the input a name, and a range.
  const std::size_t named = how.find("(x)");
  const std::string input = named == std::string::npos ? "" : "(x)";
  if (named != std::string::npos) how.erase(named, 3);
  Program program(circuits + "check left" + input + " == right" + input + " in " + how + "\n");
  REQUIRE(program.items().size() == 1);
  const auto& item = program.items().front();
  const auto ring = make_ring("padic");
  auto outcome = item.semantics->name == "algebra" ? check::run_algebra(program.module(), item, {})
                                                   : check::run(program.module(), item, *ring);
  if (!outcome) FAIL(outcome.error().message);
  return *outcome;
}

std::string with_factor(std::string factor) {
  std::string out = attention;
  for (std::size_t at; (at = out.find("FACTOR")) != std::string::npos;) out.replace(at, 6, factor);
  return out;
}

}  // namespace

TEST_CASE("the cases that padic was made for") {
  for (const Case& each : cases) {
    INFO(each.name);
    const auto expected = each.equal ? check::Verdict::holds : check::Verdict::fails;
    CHECK(outcome_of(each.circuits, std::string("padic") + each.clause).verdict == expected);
    CHECK(outcome_of(each.circuits, std::string("algebra") + each.clause).verdict == expected);
  }
}

TEST_CASE("real points lie near the circuits' own constants") {
  for (const Case& each : of_constants) {
    INFO(each.name);
    CHECK(outcome_of(each.circuits, "algebra").verdict == check::Verdict::fails);
  }
}

TEST_CASE("64 rows, each normalised by its own root, before attention") {
  const std::string clause = " for m: {64}, n: {4}, d: {3} trials 5";
  const check::Outcome equal = outcome_of(with_factor("0.125"), "padic" + clause);
  CHECK(equal.verdict == check::Verdict::holds);
  // Every row has a root in every trial: drawn together, the rows would have one once in 2^64 draws.
  const auto outputs = [&](const char* name) {
    const auto fact = std::ranges::find(equal.evidence, name, &check::Fact::name);
    return fact == equal.evidence.end() ? -1 : std::get<std::int64_t>(fact->value);
  };
  CHECK(outputs("outputs") == 320);
  CHECK(outputs("outputs_defined") == 320);
  CHECK(outcome_of(with_factor("0.125"), "algebra" + clause).verdict == check::Verdict::holds);
  CHECK(outcome_of(with_factor("0.25"), "padic" + clause).verdict == check::Verdict::fails);
  CHECK(outcome_of(with_factor("0.25"), "algebra" + clause).verdict == check::Verdict::fails);
}

TEST_CASE("sines are multiples of p once in 163 times") {
  Program program("fn left(x: f32[t]) -> f32[t] = for i: sin(x[i])\n");
  const auto ring = make_ring("padic");
  constexpr std::int64_t count = 163 * 200;
  const auto values = program.evaluate("left", *ring, {random_elements(ir::Scalar::f32, {count}, 3)});
  std::int64_t multiples = 0;
  for (std::int64_t i = 0; i < count; ++i) multiples += ring->is_degenerate(values.scalar(), values.at(i));
  CHECK(multiples > 200 - 5 * 15);
  CHECK(multiples < 200 + 5 * 15);
}
