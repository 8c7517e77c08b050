// The laws that docs/algebra.md claims for `padic`, as circuits in the language: on random elements, with the share of
// them that has a value; and on what is special: 0, multiples of p, logarithms, roots, ln 2, values with unknown parts,
// -inf.
#include <fmt/format.h>

#include <cmath>

#include "tests/algebra/program.h"
#include "tests/support/long_run.h"

using namespace reckon;
using namespace reckon::algebra;

namespace {

/// Bodies over any x, y, z and positive u, w; which share of random elements has a value on both sides.
struct PadicLaw {
  const char *left, *right;
  double defined = 1;
};
constexpr PadicLaw laws[] = {
    // A commutative ring; quotients.
    {"x + y", "y + x"},
    {"x * y", "y * x"},
    {"(x + y) + z", "x + (y + z)"},
    {"(x * y) * z", "x * (y * z)"},
    {"x * (y + z)", "x * y + x * z"},
    {"x + 0", "x"},
    {"x * 1", "x"},
    {"x - x", "f32(0)"},
    {"-(-x)", "x"},
    {"fma(x, y, z)", "x * y + z"},
    {"x + x", "2 * x"},
    {"x / 2", "0.5 * x"},
    {"x / 10", "0.1 * x"},
    {"x / x", "f32(1)"},
    {"x * y / y", "x"},
    {"x / y * y", "x"},
    {"x / (y * z)", "x / y / z"},
    {"x / (y / z)", "x * z / y"},
    {"(x + y) / z", "x / z + y / z"},
    {"x / y + z", "(x + z * y) / y"},
    // exp and log
    {"exp(x + y)", "exp(x) * exp(y)"},
    {"exp(-x)", "1 / exp(x)"},
    {"exp(x - y)", "exp(x) / exp(y)"},
    {"exp(f32(0))", "f32(1)"},
    {"exp(exp(x + y))", "exp(exp(x) * exp(y))"},
    {"log(exp(x))", "x"},
    {"exp(log(u))", "u"},
    {"exp(log(x))", "x", 0.5},
    {"exp(exp(log(u)))", "exp(u)"},
    {"exp(log(u) + log(w))", "u * w"},
    {"exp(log(u) / 2)", "sqrt(u)"},
    {"exp(3 * log(u))", "u * u * u"},
    {"log(u * w)", "log(u) + log(w)"},
    {"log(x * y)", "log(x) + log(y)", 0.25},
    {"log(u / w)", "log(u) - log(w)"},
    {"log(sqrt(u))", "0.5 * log(u)"},
    {"log(f32(1))", "f32(0)"},
    {"exp2(x)", "exp(x * ln2)"},
    {"exp2(x + 1)", "2 * exp2(x)"},
    {"exp2(x + y)", "exp2(x) * exp2(y)"},
    {"exp2(x * log2e)", "exp(x)"},
    {"exp(exp2(x * log2e))", "exp(exp(x))"},
    {"log2(exp2(x))", "x"},
    {"log2(u)", "log(u) / ln2"},
    {"log2(u) * ln2", "log(u)"},
    {"exp2(f32(10))", "f32(1024)"},
    {"expm1(x)", "exp(x) - 1"},
    {"log1p(exp(x) - 1)", "x"},
    {"f32(e)", "exp(f32(1))"},
    // Roots and powers
    {"sqrt(u) * sqrt(u)", "u"},
    {"sqrt(x) * sqrt(x)", "x", 0.5},
    {"sqrt(u * w)", "sqrt(u) * sqrt(w)"},
    {"sqrt(u / w)", "sqrt(u) / sqrt(w)"},
    {"sqrt(u * u)", "u"},
    {"sqrt(x * x)", "abs(x)"},
    {"rsqrt(u)", "1 / sqrt(u)"},
    {"u * rsqrt(u)", "sqrt(u)"},
    {"sqrt(f32(64))", "f32(8)"},
    {"exp(x * rsqrt(f32(64)))", "exp(x * 0.125)"},
    {"cbrt(x) * cbrt(x) * cbrt(x)", "x"},
    {"cbrt(x * y)", "cbrt(x) * cbrt(y)"},
    {"cbrt(-x)", "-cbrt(x)"},
    {"rootn(x, 5) * rootn(x, 5) * rootn(x, 5) * rootn(x, 5) * rootn(x, 5)", "x"},
    {"rootn(x * y, 5)", "rootn(x, 5) * rootn(y, 5)"},
    {"rootn(-x, 7)", "-rootn(x, 7)"},
    {"rootn(u, 4)", "sqrt(sqrt(u))"},
    {"rootn(u, 2)", "sqrt(u)"},
    {"rootn(u, 12)", "cbrt(rootn(u, 4))"},
    {"rootn(u, -6)", "1 / rootn(u, 6)"},
    {"rootn(u, 5)", "pow(u, 1 / 5)"},
    {"pow(x, 3)", "x * x * x"},
    {"pow(x, -2)", "1 / (x * x)"},
    {"pow(u, 0.5)", "sqrt(u)"},
    {"pow(u, 1.5)", "u * sqrt(u)"},
    {"pow(u, x)", "exp(x * log(u))"},
    {"hypot(x, y)", "sqrt(x * x + y * y)", 0.5},
    // The circle, hyperbolic functions
    {"sin(x) * sin(x) + cos(x) * cos(x)", "f32(1)"},
    {"sin(x + y)", "sin(x) * cos(y) + cos(x) * sin(y)"},
    {"cos(x + y)", "cos(x) * cos(y) - sin(x) * sin(y)"},
    {"sin(2 * x)", "2 * sin(x) * cos(x)"},
    {"sin(-x)", "-sin(x)"},
    {"cos(-x)", "cos(x)"},
    {"tan(x)", "sin(x) / cos(x)"},
    {"sinh(x)", "(exp(x) - exp(-x)) / 2"},
    {"cosh(x) * cosh(x) - sinh(x) * sinh(x)", "f32(1)"},
    {"tanh(x)", "(exp(2 * x) - 1) / (exp(2 * x) + 1)"},
    {"atanh(tanh(x))", "x"},
    // -inf
    {"exp(f32(-inf))", "f32(0)"},
    {"max(f32(-inf), x)", "x"},
    {"x + f32(-inf)", "f32(-inf)"},
    {"u * f32(-inf)", "f32(-inf)"},
    // The order
    {"max(x, y)", "max(y, x)"},
    {"max(max(x, y), z)", "max(x, max(y, z))"},
    {"max(x, min(x, y))", "x"},
    {"max(x, min(y, z))", "min(max(x, y), max(x, z))"},
    {"max(x, y) + min(x, y)", "x + y"},
    {"min(x, y)", "-max(-x, -y)"},
    {"max(x, 0)", "select(x > 0, x, 0)"},
    {"max(x, y)", "select(x < y, y, x)"},
    {"select(x < y, x, y)", "select(y <= x, y, x)"},
    {"max(u, 0)", "u"},
    {"abs(x)", "max(x, -x)"},
    {"abs(x * y)", "abs(x) * abs(y)"},
    {"sign(x) * abs(x)", "x"},
    {"sign(x * y)", "sign(x) * sign(y)"},
    {"clamp(x, f32(-2), u)", "min(max(x, -2), u)"},
    {"select(exp(x) >= 0, x, y)", "x"},
    {"select(x * x >= 0, x, y)", "x"},
    {"max(log(exp(x)), log(exp(y)))", "max(x, y)"},
    // Constants stand among each other as they do among the reals.
    {"max(f32(0.5), f32(1))", "f32(1)"},
    {"max(f32(1e-3), f32(2))", "f32(2)"},
    {"min(f32(6), f32(448))", "f32(6)"},
    {"max(f32(-3), f32(-1/3))", "f32(-1/3)"},
    // Steps and functions without rules
    {"ceil(x)", "-floor(-x)"},
    {"trunc(x)", "select(x < 0, ceil(x), floor(x))"},
    {"x % y", "x - y * trunc(x / y)"},
    {"floor(floor(x))", "floor(x)"},
    {"floor(f32(17))", "f32(17)"},
    {"round(-x)", "-round(x)"},
    {"erf(-x)", "-erf(x)"},
    {"asin(-x)", "-asin(x)"},
    {"atan(-x)", "-atan(x)"},
    {"asin(x) + acos(x)", "f32(pi) / 2"},
};

/// What may stand for x, y, z; and, positive or undefined, for u and w.
const std::vector<std::string> specials{"x[i, 0]",
                                        "x[i, 1]",
                                        "w[i, 0]",
                                        "-w[i, 1]",
                                        "f32(0)",
                                        "f32(1)",
                                        "f32(-1)",
                                        "f32(1/2)",
                                        "f32(3)",
                                        "f32(-7/10)",
                                        "39119 * x[i, 0]",
                                        "39119 * 39119 * x[i, 1]",
                                        "39119 * 39119 * 39119 * w[i, 0]",
                                        "f32(1/19559)",
                                        "x[i, 0] / 163",
                                        "f32(1/39119)",
                                        "log(w[i, 0])",
                                        "log(w[i, 0]) * x[i, 1]",
                                        "log(w[i, 0]) - log(w[i, 1])",
                                        "log(log(w[i, 1]))",
                                        "log(f32(5))",
                                        "3 * log(w[i, 1])",
                                        "sqrt(w[i, 0])",
                                        "sqrt(x[i, 0])",
                                        "f32(ln2)",
                                        "x[i, 0] * ln2",
                                        "f32(log2e)",
                                        "x[i, 1] * log2e",
                                        "exp(x[i, 0])",
                                        "exp(log(w[i, 0]) / 2)",
                                        "exp2(x[i, 1])",
                                        "sin(x[i, 0])",
                                        "cos(x[i, 1])",
                                        "tanh(x[i, 0])",
                                        "f32(-inf)",
                                        "x[i, 0] / 19559",
                                        "floor(x[i, 0])",
                                        "sqrt(log(w[i, 0]))"};
const std::vector<std::string> positive_specials{"w[i, 0]",
                                                 "w[i, 1]",
                                                 "w[i, 0] * w[i, 1]",
                                                 "f32(1)",
                                                 "f32(1/2)",
                                                 "f32(3)",
                                                 "f32(10)",
                                                 "exp(x[i, 0])",
                                                 "exp(log(w[i, 0]) / 2)",
                                                 "sqrt(w[i, 0])",
                                                 "exp2(x[i, 1])",
                                                 "exp2(log(w[i, 0]))",
                                                 "w[i, 0] / 163",
                                                 "rsqrt(w[i, 1])",
                                                 "exp(f32(-inf))",
                                                 "exp(sin(x[i, 0]))",
                                                 "exp(2 * log(w[i, 1]))"};

struct Sides {
  std::string left, right;
};
std::vector<Comparison> compared(const std::vector<Sides>& sides, std::int64_t points, std::uint64_t seed) {
  std::string text;
  for (std::size_t k = 0; k < sides.size(); ++k) {
    for (const auto& [name, body] : {std::pair("left", &sides[k].left), std::pair("right", &sides[k].right)}) {
      text += fmt::format("fn {}{}(x: f32[t, 3], w: f32[t, 2]) -> f32[t] = for i < t: {}\n", name, k, *body);
    }
  }
  Program program(text);
  const auto ring = make_ring("padic");
  const std::vector<interp::Argument> inputs{random_elements(ir::Scalar::f32, {points, 3}, seed),
                                             random_elements(ir::Scalar::f32, {points, 2}, seed + 1,
                                                             interp::Draw::Sign::positive)};
  std::vector<Comparison> out;
  for (std::size_t k = 0; k < sides.size(); ++k) {
    out.push_back(compare(*ring, program.evaluate("left" + std::to_string(k), *ring, inputs),
                          program.evaluate("right" + std::to_string(k), *ring, inputs)));
  }
  return out;
}

std::string body(const std::vector<std::string>& x, const std::vector<std::string>& u, const char* law) {
  return fmt::format("{{ let a = {}; let b = {}; let c = {}; let u = {}; let v = {}; {} }}", x[0], x[1], x[2], u[0],
                     u[1], law);
}

/// The law with its x, y, z, u, w named as `body` names them.
std::string renamed(const char* law) {
  std::string out;
  const std::string text = law;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto letter = [&](std::size_t at) {
      return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
    };
    const bool alone = letter(k) && (k == 0 || !letter(k - 1)) && !letter(k + 1);
    const std::size_t which = alone ? std::string("xyzuw").find(text[k]) : std::string::npos;
    out += which == std::string::npos ? text[k] : "abcuv"[which];
  }
  return out;
}

}  // namespace

TEST_CASE("padic's laws hold on random elements, and have as many values as is claimed") {
  const auto points = test::trials<std::int64_t>(2000);
  std::vector<Sides> sides;
  for (const PadicLaw& law : laws) {
    const std::vector<std::string> x{"x[i, 0]", "x[i, 1]", "x[i, 2]"}, u{"w[i, 0]", "w[i, 1]"};
    sides.push_back({body(x, u, renamed(law.left).c_str()), body(x, u, renamed(law.right).c_str())});
  }
  const auto found = compared(sides, points, test::stream(21));
  for (std::size_t k = 0; k < std::size(laws); ++k) {
    INFO(laws[k].left << " = " << laws[k].right);
    CHECK(found[k].different == 0);
    const double expected = laws[k].defined * static_cast<double>(points);
    // A division has no value once in 39119 times.
    const double spread = laws[k].defined == 1 ? 0.005 * expected : 5 * std::sqrt(expected * (1 - laws[k].defined));
    CHECK(std::abs(static_cast<double>(found[k].equal) - expected) <= spread);
  }
}

TEST_CASE("padic's laws hold on special elements wherever both sides are defined") {
  const auto rounds = test::trials<std::int64_t>(12);
  interp::testing::Random random(test::stream(22));
  std::int64_t equal = 0, undefined = 0;
  for (std::int64_t round = 0; round < rounds; ++round) {
    std::vector<Sides> sides;
    for (const PadicLaw& law : laws) {
      std::vector<std::string> x, u;
      for (int k = 0; k < 3; ++k) x.push_back(specials[random.below(specials.size())]);
      if (random.below(4) == 0) x[1] = x[0];
      for (int k = 0; k < 2; ++k) u.push_back(positive_specials[random.below(positive_specials.size())]);
      sides.push_back({body(x, u, renamed(law.left).c_str()), body(x, u, renamed(law.right).c_str())});
    }
    const auto found = compared(sides, 3, random.word());
    for (std::size_t k = 0; k < sides.size(); ++k) {
      INFO(sides[k].left << "\n  " << laws[k].right);
      CHECK(found[k].different == 0);
      equal += found[k].equal;
      undefined += found[k].undefined;
    }
  }
  CHECK(equal > undefined);
}
