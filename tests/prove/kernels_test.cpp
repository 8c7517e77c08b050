// Rewrites of real kernels, with bugs planted beside them (issue 5's list): proved, and refuted by `exact`.
#include "tests/prove/pair.h"

using namespace reckon;
using namespace reckon::normal;

namespace {

void check_pair(const std::string& program, bool equal) {
  Pair pair(program);
  INFO(program);
  CHECK(pair.prove().has_value() == equal);
  Random random(23);
  bool differs = false;
  int compared = 0;
  for (int trial = 0; trial < 8 && !differs; ++trial) {
    ir::Dimensions sizes;
    for (ir::SymbolId dimension : pair.f->dimensions) sizes[dimension] = 1 + static_cast<std::int64_t>(random.below(3));
    const auto truth = pair.compare(pair.inputs(random, sizes, trial % 2 == 0));
    compared += truth.has_value();
    differs = truth == interp::Truth::no;
  }
  CHECK(compared > 0);
  CHECK(differs != equal);
}

/// The program proved as it is, and not with `bug` for `right`.
void check_kernel(const std::string& program, const std::string& right, const std::string& bug) {
  check_pair(program, true);
  std::string wrong = program;
  REQUIRE(wrong.rfind(right) != std::string::npos);
  wrong.replace(wrong.rfind(right), right.size(), bug);
  check_pair(wrong, false);
}

}  // namespace

TEST_CASE("kernels: attention in two halves that are normalised already") {
  check_kernel(
      "fn f(x: f64[n], y: f64[m], v: f64[n], w: f64[m]) -> f64 ="
      " ((sum i: exp(x[i]) * v[i]) + (sum i: exp(y[i]) * w[i])) / ((sum i: exp(x[i])) + (sum i: exp(y[i])))\n"
      "fn g(x: f64[n], y: f64[m], v: f64[n], w: f64[m]) -> f64 {\n"
      "  let a = log(sum i: exp(x[i]));\n  let b = log(sum i: exp(y[i]));\n"
      "  let p = (sum i: exp(x[i]) * v[i]) / (sum i: exp(x[i]));\n  let q = (sum i: exp(y[i]) * w[i]) / (sum i: "
      "exp(y[i]));\n"
      "  let m = max(a, b);\n  (p * exp(a - m) + q * exp(b - m)) / (exp(a - m) + exp(b - m))\n}\n",
      "exp(b - m))\n", "exp(b - a))\n");
}

TEST_CASE("kernels: norms, gates, rotations") {
  check_kernel(
      "fn f(x: f64[n]) -> f64[n] { let s = rsqrt((sum i: x[i] * x[i]) / f64(n) + 1e-5); for i: x[i] * s }\n"
      "fn g(x: f64[n]) -> f64[n] { let s = sqrt((sum i: x[i] * x[i]) + 1e-5 * f64(n)); for i: x[i] * sqrt(f64(n)) / s "
      "}\n",
      "1e-5 * f64(n)", "1e-5");
  check_kernel(
      "fn f(x: f64[k], w: f64[n, k], v: f64[n, k]) -> f64[n] {\n"
      "  let a = for i: sum j: w[i, j] * x[j];\n  let b = for i: sum j: v[i, j] * x[j];\n  for i: a[i] / (1 + "
      "exp(-a[i])) * b[i]\n}\n"
      "fn g(x: f64[k], w: f64[n, k], v: f64[n, k]) -> f64[n] = for i: (sum j: w[i, j] * x[j]) * "
      "(1 / (1 + exp2(-log2e * (sum j: w[i, j] * x[j])))) * (sum j: x[j] * v[i, j])\n",
      "-log2e", "-ln2");
  check_kernel(
      "fn turn(x: f64[n, 2], t: f64[n], p: f64) -> f64[n, 2] = for i, c < 2: select(c < 1,"
      " x[i, 0] * cos(p * t[i]) - x[i, 1] * sin(p * t[i]), x[i, 0] * sin(p * t[i]) + x[i, 1] * cos(p * t[i]))\n"
      "fn f(x: f64[n, 2], t: f64[n], p: f64, q: f64) -> f64[n, 2] = turn(x, t, p + q)\n"
      "fn g(x: f64[n, 2], t: f64[n], p: f64, q: f64) -> f64[n, 2] = turn(turn(x, t, p), t, q)\n",
      "turn(x, t, p), t, q", "turn(x, t, p), t, p");
}

TEST_CASE("kernels: fewer multiplications") {
  check_kernel(
      "fn f(a: f64, b: f64, c: f64, d: f64) -> (f64, f64) = (a * c - b * d, a * d + b * c)\n"
      "fn g(a: f64, b: f64, c: f64, d: f64) -> (f64, f64) { let k = c * (a + b); (k - b * (c + d), k + a * (d - c)) "
      "}\n",
      "(d - c)", "(d + c)");
  check_kernel(
      "fn f(a: f64[2, 2], b: f64[2, 2]) -> f64[2, 2] = for i, j: sum p: a[i, p] * b[p, j]\n"
      "fn g(a: f64[2, 2], b: f64[2, 2]) -> f64[2, 2] {\n"
      "  let p = (a[0, 0] + a[1, 1]) * (b[0, 0] + b[1, 1]);\n  let q = (a[1, 0] + a[1, 1]) * b[0, 0];\n"
      "  let r = a[0, 0] * (b[0, 1] - b[1, 1]);\n  let s = a[1, 1] * (b[1, 0] - b[0, 0]);\n  let t = (a[0, 0] + a[0, "
      "1]) * b[1, 1];\n"
      "  let u = (a[1, 0] - a[0, 0]) * (b[0, 0] + b[0, 1]);\n  let v = (a[0, 1] - a[1, 1]) * (b[1, 0] + b[1, 1]);\n"
      "  [[p + s - t + v, r + t], [q + s, p - q + r + u]]\n}\n",
      "p - q + r + u", "p - q - r + u");
  check_kernel(
      "fn f(d: f64[4], w: f64[3]) -> f64[2] = for i < 2: sum j: d[i + j] * w[j]\n"
      "fn g(d: f64[4], w: f64[3]) -> f64[2] {\n  let p = (d[0] - d[2]) * w[0];\n  let q = (d[1] + d[2]) * (w[0] + w[1] "
      "+ w[2]) / 2;\n"
      "  let r = (d[2] - d[1]) * (w[0] - w[1] + w[2]) / 2;\n  let s = (d[1] - d[3]) * w[2];\n  [p + q + r, q - r - "
      "s]\n}\n",
      "q - r - s", "q - r + s");
}

TEST_CASE("kernels: a discrete Fourier transform by halves") {
  check_kernel(
      "fn f(x: f64[8], z: f64[8]) -> f64[8] = for k < 8: sum j < 8: x[j] * cos(2 * pi * f64(j) * f64(k) / 8) + z[j] * "
      "sin(2 * pi * f64(j) * f64(k) / 8)\n"
      "fn g(x: f64[8], z: f64[8]) -> f64[8] {\n"
      "  let e = for k < 8: sum j < 4: x[2 * j] * cos(2 * pi * f64(j) * f64(k) / 4) + z[2 * j] * sin(2 * pi * f64(j) * "
      "f64(k) / 4);\n"
      "  let o = for k < 8: sum j < 4: x[2 * j + 1] * cos(2 * pi * f64(j) * f64(k) / 4) + z[2 * j + 1] * sin(2 * pi * "
      "f64(j) * f64(k) / 4);\n"
      "  let p = for k < 8: sum j < 4: z[2 * j + 1] * cos(2 * pi * f64(j) * f64(k) / 4) - x[2 * j + 1] * sin(2 * pi * "
      "f64(j) * f64(k) / 4);\n"
      "  for k < 8: e[k] + cos(2 * pi * f64(k) / 8) * o[k] + sin(2 * pi * f64(k) / 8) * p[k]\n}\n",
      "+ sin(2 * pi * f64(k) / 8)", "- sin(2 * pi * f64(k) / 8)");
}

TEST_CASE("kernels: a state and one element more, from the left") {
  const std::string two_pass =
      "fn f(x: f64[n]) -> f64 { let m = (sum i: x[i]) / f64(n); sum i: (x[i] - m) * (x[i] - m) }\n";
  const std::string update =
      "fn update(a: (f64, f64, f64), b: (f64, f64, f64)) -> (f64, f64, f64) {\n"
      "  let (count, mean, square) = a; let (one, x, nothing) = b; let next = mean + (x - mean) / (count + 1);\n"
      "  (count + 1, next, square + (x - mean) * (x - next))\n}\n";
  const auto welford = [](const std::string& order) {
    return "fn g(x: f64[n]) -> f64 { let (c, m, s) = reduce(update) i: (f64(1), x[i], f64(0)) by " + order + "; s }\n";
  };
  check_kernel(two_pass + update + welford("seq"), "(x - next)", "(x - mean)");
  // Welford's update counts on the next state being a single element, and by a tree it is not (from four elements on).
  CHECK_FALSE(Pair(two_pass + update + welford("tree")).prove());
  // Tiles of scores, where the weight is a power of 2 (FlashAttention-2).
  check_kernel(
      "fn f(x: f64[n], v: f64[n]) -> f64 = (sum i: exp(x[i]) * v[i]) / (sum i: exp(x[i]))\n"
      "fn add(a: (f64, f64, f64), b: (f64, f64, f64)) -> (f64, f64, f64) {\n"
      "  let (m, l, o) = a; let (x, p, q) = b; let t = max(m, x);\n"
      "  (t, exp2(m - t) * l + exp2(x - t) * p, exp2(m - t) * o + exp2(x - t) * q)\n}\n"
      "fn g(x: f64[n], v: f64[n]) -> f64 {\n"
      "  let (m, l, o) = reduce(add) i: (x[i] * log2e, f64(1), v[i]) by tree; o / l\n}\n",
      "log2e", "ln2");
}

TEST_CASE("kernels: loops, by induction over their rounds") {
  // One step in two spellings; any number of rounds.
  check_kernel(
      "fn one(u: f64[n]) -> f64[n] = for i: u[i] + (u[max(i - 1, 0)] - 2 * u[i] + u[min(i + 1, n - 1)]) / 4\n"
      "fn two(u: f64[n]) -> f64[n] = for i: u[i] / 2 + (u[max(i - 1, 0)] + u[min(i + 1, n - 1)]) / 4\n"
      "fn f(u: f64[n], k: f64[r]) -> f64[n] = fold(first, u) t: k[t]\n"
      "fn g(u: f64[n], k: f64[r]) -> f64[n] = fold(second, u) t: k[t]\n"
      "fn first(u: f64[n], k: f64) -> f64[n] = for i: one(u)[i] * k + k * k\n"
      "fn second(u: f64[n], k: f64) -> f64[n] = for i: (two(u)[i] + k) * k\n",
      "u[i] / 2", "u[i] / 3");
  // A state of a vector and a number; a start in two spellings.
  check_kernel(
      "fn one(s: (f64[n], f64)) -> (f64[n], f64) { let (u, c) = s; (for i < n: u[n - 1 - i] + c, c + sum i: u[i]) }\n"
      "fn two(s: (f64[n], f64)) -> (f64[n], f64) {"
      " let (u, c) = s; (for i < n: c + u[n - 1 - i], (sum i: u[i] + 1) - f64(n) + c) }\n"
      "fn f(u: f64[n]) -> f64[n] { let (v, c) = iterate(20, one, (for i < n: 2 * u[i], f64(1))); v }\n"
      "fn g(u: f64[n]) -> f64[n] { let (v, c) = iterate(20, two, (for i < n: u[i] + u[i], f64(1))); v }\n",
      "+ 1) - f64(n)", "+ 1) - f64(1)");
  // Few rounds are written out.
  check_kernel(
      "fn step(u: f64[n]) -> f64[n] = for i: (u[i] + u[n - 1 - i]) / 2\n"
      "fn f(u: f64[n]) -> f64[n] = iterate(3, step, u)\nfn g(u: f64[n]) -> f64[n] = step(u)\n",
      "= step(u)", "= u");
}
