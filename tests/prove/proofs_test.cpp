// Circuits that are equal, of kinds that people write, and others that nearly are. Each pair is compared under `exact`,
// too: what is proved has no counterexample there, and what must not be proved has one.
#include "tests/prove/pair.h"

using namespace reckon;
using namespace reckon::normal;

namespace {

/// Whether `exact` finds inputs that tell the two apart, among some; `compared` counts those with values.
bool refuted(Pair& pair, int& compared) {
  Random random(17);
  for (int trial = 0; trial < 12; ++trial) {
    ir::Dimensions sizes;
    for (ir::SymbolId dimension : pair.f->dimensions) sizes[dimension] = 1 + static_cast<std::int64_t>(random.below(4));
    const auto truth = pair.compare(pair.inputs(random, sizes, trial % 2 == 0));
    if (!truth) continue;
    ++compared;
    if (*truth == interp::Truth::no) return true;
  }
  return false;
}

void proved(const std::string& program) {
  Pair pair(program);
  INFO(program);
  CHECK(pair.prove());
  int compared = 0;
  CHECK_FALSE(refuted(pair, compared));
  CHECK(compared > 2);
}

void not_proved(const std::string& program) {
  Pair pair(program);
  INFO(program);
  CHECK_FALSE(pair.prove());
  int compared = 0;
  CHECK(refuted(pair, compared));
}

const std::string two = "(x: f64[n], y: f64[n]) -> f64 = ";
std::string both(const std::string& head, const std::string& f, const std::string& g) {
  return "fn f" + head + f + "\nfn g" + head + g + "\n";
}

}  // namespace

TEST_CASE("a dot product in any order is the dot product") {
  const std::string plain = "sum i: x[i] * y[i] by seq";
  for (const char* other :
       {"sum i: y[i] * x[i] by lanes(128, tree) then tree", "sum i: x[i] * y[i] by fused(tree)",
        "sum i: x[i] * y[i] by kahan", "sum i: x[i] * y[i] by neumaier(tile(3, seq) then halving)",
        "sum i: x[i] * y[i] by rounded_once", "sum i: x[i] * y[i] by binned(3)", "sum i: x[i] * y[i] by any",
        "sum i: f64(f32(x[i])) * y[i]", "sum i < n: x[n - 1 - i] * y[n - 1 - i]",
        "sum s < (n + 3) // 4: (sum q < min(4, n - 4 * s): x[4 * s + q] * y[4 * s + q] by seq) by tree",
        "(sum s < n // 4: (sum q < 4: x[4 * s + q] * y[4 * s + q]) else 0) + "
        "(sum q < n % 4: x[4 * (n // 4) + q] * y[4 * (n // 4) + q] else 0)",
        "x[0] * y[0] + (sum i < n - 1: y[i + 1] * x[i + 1] else 0)", "2 * (sum i: x[i] * (y[i] / 2))"}) {
    proved(both(two, plain, other));
  }
  for (const char* other : {"sum i < n: x[n - 1 - i] * y[i]", "sum i < n: x[i] * y[0]",
                            "sum i < n - 1: x[i] * y[i] else 0", "sum i: x[i] + y[i]",
                            "sum s < (n + 3) // 4: (sum q < min(4, n - 4 * s): x[4 * s + q] * y[4 * s] by seq) by tree",
                            "sum s < n // 4: (sum q < 4: x[4 * s + q] * y[4 * s + q]) else 0",
                            "x[0] * y[0] + (sum i < n - 1: y[i + 1] * x[i] else 0)"}) {
    not_proved(both(two, plain, other));
  }
}

TEST_CASE("matrix products by tiles, and three in a row") {
  const std::string head = "(a: f64[m, k], b: f64[k, n]) -> f64[m, n] = for i, j: ";
  const std::string plain = "sum p: a[i, p] * b[p, j] by seq";
  proved(both(head, plain,
              "sum s < (k + 3) // 4: (sum q < min(4, k - 4 * s): a[i, 4 * s + q] * b[4 * s + q, j]) by tree"));
  not_proved(both(head, plain, "sum p: a[i, p] * b[p, j] + a[i, 0]"));
  not_proved(both("(a: f64[m, m], b: f64[m, m]) -> f64[m, m] = for i, j: ", plain, "sum p: a[i, p] * b[j, p]"));
  const std::string three = "(a: f64[m, k], b: f64[k, n], c: f64[n, l]) -> f64[m, l] = for i, j: ";
  proved(both(three, "sum p: a[i, p] * (sum q: b[p, q] * c[q, j])", "sum q: (sum p: a[i, p] * b[p, q]) * c[q, j]"));
  // A range of tiles taken lane by lane, and by quotient and remainder.
  const std::string wide = "(x: f64[n, 8]) -> f64 = ";
  proved(both(wide, "sum k < 8 * n: x[k // 8, k % 8]", "sum i: (sum j: x[i, j])"));
  not_proved(both(wide, "sum k < 8 * n: x[k // 8, k % 8]", "sum i: 8 * x[i, 0]"));
}

TEST_CASE("softmax: shifted, online; attention") {
  const std::string merge =
      "fn merge(a: (f64, f64), b: (f64, f64)) -> (f64, f64) { let (am, as) = a; let (bm, bs) = b; let m = max(am, bm);"
      " (m, as * exp(am - m) + bs * exp(bm - m)) }\n";
  const std::string naive =
      "fn f(x: f64[n]) -> f64[n] { let e = for i: exp(x[i]); let s = sum i: e[i]; for i: e[i] / s }\n";
  proved(naive +
         "fn g(x: f64[n]) -> f64[n] { let m = max i: x[i]; let e = for i: exp(x[i] - m); let s = sum i: e[i]; for i: "
         "e[i] / s }");
  const std::string online =
      "fn g(x: f64[n]) -> f64[n] { let (m, s) = reduce(merge) i: (x[i], f64(1)) by tree; for i: exp(x[i] - m) / s }";
  proved(merge + naive + online);
  std::string wrong = merge;
  wrong.replace(wrong.find("exp(bm - m)"), 11, "exp(bm - am)");
  not_proved(wrong + naive + online);

  const std::string attention =
      "fn f(q: f64[s, d], k: f64[t, d], v: f64[t, e]) -> f64[s, e] { let z = for i, j: sum p: q[i, p] * k[j, p];"
      " let w = for i < s, j < t: exp(z[i, j]); let l = for i < s: sum j < t: w[i, j];"
      " for i, c: (sum j: w[i, j] * v[j, c]) / l[i] }\n";
  const std::string flash =
      "fn merge(a: (f64, f64, f64), b: (f64, f64, f64)) -> (f64, f64, f64) { let (am, al, ao) = a; let (bm, bl, bo) = "
      "b;"
      " let m = max(am, bm); let p = exp(am - m); let q = exp(bm - m); (m, al * p + bl * q, ao * p + bo * q) }\n"
      "fn row(z: f64[t], v: f64[t]) -> f64 { let (m, l, o) = reduce(merge) j: (z[j], f64(1), v[j]) by tile(2, seq) "
      "then tree; o / l }\n"
      "fn g(q: f64[s, d], k: f64[t, d], v: f64[t, e]) -> f64[s, e] { let z = for i, j: sum p: q[i, p] * k[j, p];"
      " for i < s, c < e: row(for j < t: z[i, j], for j < t: v[j, c]) }";
  proved(attention + flash);
  // A causal mask, and the triangle that it leaves.
  const std::string masked =
      "fn f(z: f64[s, s], v: f64[s]) -> f64[s] = for i < s: (sum j < s: select(j < i + 1, exp(z[i, j]), 0) * v[j]) / "
      "(sum j < s: select(j < i + 1, exp(z[i, j]), 0))\n";
  proved(masked +
         "fn g(z: f64[s, s], v: f64[s]) -> f64[s] = for i < s: (sum j < i + 1: exp(z[i, j]) * v[j]) / (sum j < i + 1: "
         "exp(z[i, j]))");
  not_proved(masked +
             "fn g(z: f64[s, s], v: f64[s]) -> f64[s] = for i < s: (sum j < i + 1: exp(z[i, j]) * v[j]) / (sum j < s: "
             "exp(z[i, j]))");
}

TEST_CASE("means and variances") {
  const std::string two_pass =
      "fn f(x: f64[n]) -> f64 { let m = (sum i: x[i]) / f64(n); (sum i: (x[i] - m) * (x[i] - m)) / f64(n) }\n";
  const std::string merge =
      "fn merge(a: (f64, f64, f64), b: (f64, f64, f64)) -> (f64, f64, f64) { let (an, am, as) = a; let (bn, bm, bs) = "
      "b;"
      " let d = bm - am; let n = an + bn; (n, am + d * bn / n, as + bs + d * d * an * bn / n) }\n";
  const std::string welford =
      "fn g(x: f64[n]) -> f64 { let (c, m, s) = reduce(merge) i: (f64(1), x[i], f64(0)) by tree; s / c }";
  proved(two_pass + "fn g(x: f64[n]) -> f64 { let m = (sum i: x[i]) / f64(n); (sum i: x[i] * x[i]) / f64(n) - m * m }");
  proved(two_pass + merge + welford);
  std::string wrong = merge;
  wrong.replace(wrong.find("an * bn / n"), 11, "an / n");
  not_proved(two_pass + wrong + welford);
  proved(
      "fn f(x: f64[n], g: f64[n]) -> f64[n] { let m = (sum i: x[i]) / f64(n); let v = (sum i: (x[i] - m) * (x[i] - m)) "
      "/ f64(n);"
      " for i: (x[i] - m) / sqrt(v + 1e-5) * g[i] }\n"
      "fn g(x: f64[n], g: f64[n]) -> f64[n] { let m = (sum i: x[i]) / f64(n);"
      " let r = rsqrt((sum i: x[i] * x[i]) / f64(n) - m * m + 1e-5); for i: x[i] * (r * g[i]) - m * r * g[i] }");
}

TEST_CASE("functions") {
  const std::string head = "(x: f64, y: f64) -> f64 = ";
  const std::pair<const char*, const char*> same[] = {
      {"exp(x * rsqrt(f64(64)))", "exp(x * 0.125)"},
      {"exp2(x + 10)", "1024 * exp(x * ln2)"},
      {"sin(x) * sin(x) + cos(x) * cos(x) + sin(x + y)", "1 + sin(x) * cos(y) + cos(x) * sin(y)"},
      {"1 / (1 + exp(-x))", "exp(x) / (exp(x) + 1)"},
      {"tanh(x + x)", "2 * tanh(x) / (1 + tanh(x) * tanh(x))"},
      {"(x * x - y * y) / (x - y)", "x + y"},
      {"x / (y / x) / x", "x / y"},
      {"log(exp(x) * 6)", "x + log(f64(2)) + log(f64(3))"},
      {"sqrt(x) * sqrt(x) + sqrt(f64(8))", "x + 2 * sqrt(f64(2))"},
      {"max(x, 0)", "select(x > 0, x, 0)"},
      {"max(x, 0)", "(x + abs(x)) / 2"},
      {"max(x + y, 2 * y)", "y + max(x, y)"},
      {"min(max(x, y), 1)", "-max(-max(y, x), -1)"},
      {"cos(f64(pi) / 12)", "(sqrt(f64(6)) + sqrt(f64(2))) / 4"},
      {"pow(x, 3) - pow(y, 3)", "(x - y) * (x * x + x * y + y * y)"},
  };
  for (const auto& [f, g] : same) proved(both(head, f, g));
  const std::pair<const char*, const char*> different[] = {
      {"tanh(tanh(x))", "tanh(x)"},
      {"x + 4 * x", "2 * x + 2 * x"},
      {"sqrt(x * x)", "x"},
      {"exp(x) + exp(y)", "1 + exp(x + y)"},
      {"max(x, y)", "max(x, -y)"},
      {"log(x * x)", "2 * log(x) + 0.1"},
      {"sin(x + y)", "sin(x) + sin(y)"},
      {"select(x < y, x, y)", "max(x, y)"},
      {"abs(x)", "x"},
      {"exp(x) * exp(x)", "exp(x * x)"},
      {"1 / (1 + exp(-x))", "1 / (1 + exp(x))"},
  };
  for (const auto& [f, g] : different) not_proved(both(head, f, g));
}

TEST_CASE("ranges that may be empty") {
  // 1 / i is not evaluated at i = 0: what multiplies it must not leave the sum.
  not_proved(both("(x: f64[n]) -> f64 = ", "sum i < n: (sum j < i: 1 / (f64(i) + 0 * x[j]) else 0)", "f64(n)"));
  not_proved(both("(x: f64[n]) -> f64 = ", "sum i < n: (sum j < i: (sum k: x[k]) / (f64(i) + 0 * x[j]) else 0)",
                  "f64(n) * (sum k: x[k])"));
  not_proved(both("(x: f64[n]) -> f64 = ", "sum i < n - 1: x[i] else 0", "sum i < n - 1: x[i] else 1"));
  // Of one less than nothing there are no tiles of two, and no error.
  not_proved(both("(x: f64[n]) -> f64 = ",
                  "sum s < n: ((sum i < 2: f64(1)) + (sum t < s // 2: (sum q < min(2, s - 1 - 2 * t): f64(1)) else 0))",
                  "sum s < n: f64(s + 1)"));
  proved(both("(x: f64[n]) -> f64 = ", "sum i < n - 1: x[i + 1] else 0", "(sum i < n: x[i]) - x[0]"));
}

TEST_CASE("sizes and shapes") {
  // Names of sizes do not count, sizes do.
  proved("fn f(x: f64[n, k]) -> f64 = sum i: (sum j: x[i, j])\nfn g(x: f64[a, b]) -> f64 = sum i: (sum j: x[i, j])");
}

TEST_CASE("u32 wraps around and truncates, as no real does") {
  not_proved("fn f(x: f32) -> f32 = f32(u32(x))\nfn g(x: f32) -> f32 = x");
  not_proved("fn f(x: f32) -> f32 = f32(u32(x) - 3)\nfn g(x: f32) -> f32 = f32(u32(x)) - 3");
  not_proved("fn f(x: f32) -> f32 = ldexp(x, 2)\nfn g(x: f32) -> f32 = x * 2");
}
