// Identities of real functions: each is proved, and none of its near misses (a wrong sign, constant, or domain) is.
// Both are compared under `exact`, too, at random points of a range in which they are defined.
#include <fmt/format.h>

#include <sstream>

#include "tests/prove/pair.h"

using namespace reckon;
using namespace reckon::normal;

namespace {

struct Range {
  double low = -4, high = 4;
};

/// `x, y`: numbers in f64; otherwise a list in parentheses with the result's type.
std::string program(const std::string& parameters, const std::string& f, const std::string& g) {
  std::string head = parameters;
  if (!head.starts_with('(')) {
    head = "(";
    std::stringstream names(parameters);
    for (std::string name; std::getline(names, name, ',');) head += (head.size() > 1 ? ", " : "") + name + ": f64";
    head += ") -> f64";
  }
  return "fn f" + head + " = " + f + "\nfn g" + head + " = " + g + "\n";
}

struct Compared {
  int equal = 0, different = 0;
};
Compared compare(Pair& pair, const Range& range) {
  Random random(29);
  Compared out;
  for (int trial = 0; trial < 40 && out.different == 0 && out.equal < 12; ++trial) {
    std::vector<interp::Argument> arguments;
    for (const ir::Parameter& parameter : pair.f->parameters) {
      const ir::Type type = pair.session.module().types()[parameter.type];
      ir::HostTensor tensor(type.scalar, std::vector<std::int64_t>(type.extents.size(), 1 + trial % 3));
      for (std::int64_t i = 0; i < tensor.size(); ++i) {
        // Few numbers, so that some are equal, and zeros among them.
        const double steps = trial % 2 == 0 ? 8 : 64;
        const double part = static_cast<double>(random.below(static_cast<std::uint64_t>(steps) + 1)) / steps;
        tensor.set_bits(i, std::bit_cast<std::uint64_t>(range.low + part * (range.high - range.low)));
      }
      arguments.emplace_back(std::move(tensor));
    }
    const auto truth = pair.compare(arguments);
    if (truth == interp::Truth::no) ++out.different;
    else if (truth) ++out.equal;
  }
  return out;
}

void proved(const std::string& parameters, const std::string& f, const std::string& g, const Range& range = {}) {
  Pair pair(program(parameters, f, g));
  INFO(pair.text);
  CHECK(pair.prove());
  const Compared found = compare(pair, range);
  CHECK(found.different == 0);
  CHECK(found.equal > 0);
}

void not_proved(const std::string& parameters, const std::string& f, const std::string& g, const Range& range = {}) {
  Pair pair(program(parameters, f, g));
  INFO(pair.text);
  CHECK_FALSE(pair.prove());
  CHECK(compare(pair, range).different > 0);
}

constexpr Range inside_one{-0.9375, 0.9375}, above_one{1, 5}, above_zero{0.25, 4};

}  // namespace

TEST_CASE("logarithms of sums of exponentials, with the largest taken out") {
  const char* sum = "log(exp(x) + exp(y))";
  proved("x,y", sum, "max(x, y) + log1p(exp(-abs(x - y)))");
  proved("x,y", sum, "min(x, y) + log1p(exp(abs(x - y)))");
  proved("x,y", sum, "x + log1p(exp(y - x))");
  not_proved("x,y", sum, "max(x, y) + log1p(exp(abs(x - y)))");
  not_proved("x,y", sum, "min(x, y) + log1p(exp(-abs(x - y)))");
  not_proved("x,y", sum, "max(x, y) + log1p(exp(-abs(x + y)))");
  proved(
      "x,y,z", "log(exp(x) + exp(y) + exp(z))",
      "max(max(x, y), z) + log(exp(x - max(max(x, y), z)) + exp(y - max(max(x, y), z)) + exp(z - max(max(x, y), z)))");
  const char* softplus = "log1p(exp(x))";
  proved("x", softplus, "max(x, 0) + log1p(exp(-abs(x)))");
  proved("x", softplus, "x + log1p(exp(-x))");
  not_proved("x", softplus, "max(x, 0) + log1p(exp(abs(x)))");
  not_proved("x", softplus, "max(x, 1) + log1p(exp(-abs(x)))");
  proved("x", "log(1 / (1 + exp(-x)))", "min(x, 0) - log1p(exp(-abs(x)))");
  const char* sigmoid = "1 / (1 + exp(-x))";
  proved("x", "select(x >= 0, 1 / (1 + exp(-x)), exp(x) / (1 + exp(x)))", sigmoid);
  not_proved("x", "select(x >= 0, 1 / (1 + exp(-x)), exp(x) / (2 + exp(x)))", sigmoid);
  const std::string vector = "(v: f64[n]) -> f64";
  proved(vector, "log(sum i: exp(v[i]))", "(max i: v[i]) + log(sum i: exp(v[i] - (max j: v[j])))");
  proved(vector, "sum i: log1p(exp(v[i]))", "sum i: max(v[i], 0) + log1p(exp(-abs(v[i])))");
  proved(vector, "sum i: log1p(exp(v[i]))", "(sum i: max(v[i], 0)) + (sum i: log1p(exp(-abs(v[i]))))");
  proved("(v: f64[n]) -> f64[n]", "for i: log1p(exp(v[i]))", "for i: max(v[i], 0) + log1p(exp(-abs(v[i])))");
  not_proved(vector, "sum i: log1p(exp(v[i]))", "sum i: max(v[i], 0) + log1p(exp(abs(v[i])))");
}

TEST_CASE("maxima and minima by cases") {
  proved("x,y", "max(x, y)", "(x + y + abs(x - y)) / 2");
  proved("x,y", "min(x, y)", "(x + y - abs(x - y)) / 2");
  not_proved("x,y", "max(x, y)", "(x + y - abs(x - y)) / 2");
  proved("x,y", "max(x, y) * min(x, y)", "x * y");
  not_proved("x,y", "max(x, y) * min(x, y)", "x * x");
  proved("x,y", "max(exp(x), exp(y))", "exp(max(x, y))");
  not_proved("x,y", "max(exp(x), exp(-y))", "exp(max(x, y))");
  proved("x,y", "max(log(x), log(y))", "log(max(x, y))", above_zero);
  proved("x", "clamp(clamp(x, 0, 6), 0, 6)", "clamp(x, 0, 6)", {-2, 8});
  not_proved("x", "clamp(clamp(x, 0, 6), 0, 6)", "clamp(x, 0, 5)", {-2, 8});
  proved("x", "clamp(clamp(x, 0, 6), 1, 5)", "clamp(x, 1, 5)", {-2, 8});
  not_proved("x", "clamp(clamp(x, 0, 6), 1, 7)", "clamp(x, 1, 7)", {-2, 9});
  proved("x,y,z", "clamp(clamp(x, y, z), y, z)", "clamp(x, y, z)");
  proved("x,y", "min(x, max(x, y))", "x");
  not_proved("x,y", "min(x, max(x, y))", "y");
  proved("x,y,z", "max(x, min(y, z))", "min(max(x, y), max(x, z))");
  not_proved("x,y,z", "max(x, min(y, z))", "min(max(x, y), z)");
  proved("x", "select(x < 0, 0, select(x > 6, 6, x))", "clamp(x, 0, 6)", {-2, 8});
  proved("x", "max(x, 0) * max(-x, 0)", "f64(0)");
  proved("(v: f64[n]) -> f64", "max i: exp(v[i])", "exp(max i: v[i])");
  not_proved("(v: f64[n]) -> f64", "max i: exp(v[i])", "exp(min i: v[i])");
  proved("(v: f64[n], w: f64[n]) -> f64", "sum i: max(v[i], w[i])", "sum i: (v[i] + w[i] + abs(v[i] - w[i])) / 2");
}

TEST_CASE("powers of two, and choices that may have no value") {
  proved("x", "ldexp(ldexp(x, 3), -1)", "4 * x");
  proved("x,y", "ldexp(x, floor(y)) * ldexp(2, 1 - floor(y))", "4 * x");
  proved("x,y", "ldexp(x, floor(y))", "x * exp2(floor(y))");
  not_proved("x,y", "ldexp(x, floor(y))", "x * exp2(floor(y) + 1)");
  not_proved("x,y", "ldexp(x, floor(y))", "y * exp2(floor(y))");
  proved("x,y", "select(x < 0, nan, y) * x", "x * y");
  proved("x,y", "select(x < 0, y, nan) + x", "select(x >= 0, nan, x + y)");
  not_proved("x,y", "select(x < 0, nan, y) * x", "x * x");
  // What is chosen elsewhere has a value there.
  not_proved("x,y", "select(y < 1, select(x < 0, nan, x), y)", "x");
  not_proved("x,y", "select(x < 0, y, select(x < 1, nan, x))", "x");
}

TEST_CASE("absolute values and signs") {
  proved("x", "abs(x) * abs(x)", "x * x");
  not_proved("x", "abs(x) * abs(x) * abs(x)", "x * x * x");
  proved("x,y", "abs(x * y)", "abs(x) * abs(y)");
  proved("x,y", "abs(x / y)", "abs(x) / abs(y)");
  not_proved("x,y", "abs(x + y)", "abs(x) + abs(y)");
  proved("x,y", "abs(x) + abs(y)", "max(abs(x + y), abs(x - y))");
  proved("x", "abs(abs(x))", "abs(x)");
  proved("x,y", "sqrt(x * x - 2 * x * y + y * y)", "abs(x - y)");
  not_proved("x,y", "sqrt(x * x - 2 * x * y + y * y)", "x - y");
  proved("x", "copysign(x, x)", "x");
  proved("x,y,z", "copysign(copysign(x, y), z)", "copysign(x, z)");
  not_proved("x,y,z", "copysign(copysign(x, y), z)", "copysign(x, y)");
  proved("x", "sign(x) * abs(x)", "x");
  proved("x", "sign(x) * x", "abs(x)");
  not_proved("x", "sign(x) * abs(x)", "-x");
  not_proved("x", "sign(x) * sign(x)", "f64(1)");
  proved("x,y", "sign(x * y)", "sign(x) * sign(y)");
  not_proved("x,y", "sign(x + y)", "sign(x) + sign(y)");
  proved("x", "sign(sign(x))", "sign(x)");
  not_proved("x,y", "select(x == y, x, 0)", "select(x == y, -y, 0)");
  proved("x,y", "select(x == y, x * x, 0)", "select(x == y, x * y, 0)");
  proved("(v: f64[n]) -> f64", "sum i: abs(v[i]) * abs(v[i])", "sum i: v[i] * v[i]");
  not_proved("(v: f64[n]) -> f64", "sum i: abs(v[i])", "abs(sum i: v[i])");
  proved("(v: f64[n], c: f64) -> f64", "sum i: abs(c) * abs(v[i])", "sum i: abs(c * v[i])");
  not_proved("(v: f64[n], c: f64) -> f64", "sum i: abs(c) * abs(v[i])", "sum i: c * abs(v[i])");
}

TEST_CASE("sines and their kin of inverse functions") {
  proved("x", "sin(asin(x))", "x", inside_one);
  proved("x", "cos(acos(x))", "x", inside_one);
  proved("x", "tan(atan(x))", "x");
  for (const char* inverse : {"asin(sin(x))", "acos(cos(x))", "atan(tan(x))"}) not_proved("x", inverse, "x");
  proved("x", "sin(acos(x))", "sqrt(1 - x * x)", inside_one);
  not_proved("x", "sin(acos(x))", "-sqrt(1 - x * x)", inside_one);
  proved("x", "cos(asin(x))", "sqrt(1 - x * x)", inside_one);
  not_proved("x", "cos(asin(x))", "sqrt(1 + x * x)", inside_one);
  proved("x", "sin(atan(x))", "x / sqrt(1 + x * x)");
  not_proved("x", "sin(atan(x))", "x / sqrt(1 - x * x)", inside_one);
  proved("x", "cos(atan(x))", "1 / sqrt(1 + x * x)");
  proved("x", "tan(asin(x))", "x / sqrt(1 - x * x)", inside_one);
  proved("x", "tan(acos(x))", "sqrt(1 - x * x) / x", inside_one);
  proved("x", "cos(2 * acos(x))", "2 * x * x - 1", inside_one);
  proved("x", "sin(2 * atan(x))", "2 * x / (1 + x * x)");
  proved("x", "asin(x) + acos(x)", "pi / 2", inside_one);
  not_proved("x", "asin(x) + acos(x)", "pi / 3", inside_one);
  proved("x", "acos(-x)", "pi - acos(x)", inside_one);
  not_proved("x", "acos(-x)", "acos(x)", inside_one);
  proved("x", "atan(x) + atan(1 / x)", "pi / 2 * sign(x)");
  not_proved("x", "atan(x) + atan(1 / x)", "pi / 2");
  not_proved("x,y", "atan(x) + atan(y)", "atan((x + y) / (1 - x * y))");
  proved("x,y", "atan2(exp(x), exp(y))", "atan(exp(x - y))");
  not_proved("x,y", "atan2(x, y)", "atan(x / y)");
}

TEST_CASE("hyperbolic functions of inverse functions") {
  proved("x", "sinh(asinh(x))", "x");
  proved("x", "cosh(asinh(x))", "sqrt(x * x + 1)");
  proved("x", "tanh(asinh(x))", "x / sqrt(x * x + 1)");
  proved("x", "cosh(acosh(x))", "x", above_one);
  not_proved("x", "cosh(acosh(x))", "-x", above_one);
  proved("x", "sinh(acosh(x))", "sqrt(x * x - 1)", above_one);
  not_proved("x", "sinh(acosh(x))", "sqrt(x * x + 1)", above_one);
  proved("x", "tanh(acosh(x))", "sqrt(x * x - 1) / x", above_one);
  proved("x", "tanh(atanh(x))", "x", inside_one);
  proved("x", "sinh(atanh(x))", "x / sqrt(1 - x * x)", inside_one);
  not_proved("x", "sinh(atanh(x))", "x / sqrt(1 + x * x)", inside_one);
  proved("x", "cosh(atanh(x))", "1 / sqrt(1 - x * x)", inside_one);
  proved("x", "exp(2 * atanh(x))", "(1 + x) / (1 - x)", inside_one);
  not_proved("x", "exp(2 * atanh(x))", "(1 - x) / (1 + x)", inside_one);
  proved("x", "exp(atanh(x))", "sqrt((1 + x) / (1 - x))", inside_one);
  proved("x", "atanh(x)", "0.5 * log((1 + x) / (1 - x))", inside_one);
  proved("x", "atanh(x)", "0.5 * (log1p(x) - log1p(-x))", inside_one);
  not_proved("x", "atanh(x)", "log((1 + x) / (1 - x))", inside_one);
  proved("x", "asinh(x)", "log(x + sqrt(x * x + 1))");
  proved("x", "asinh(x)", "-log(sqrt(x * x + 1) - x)");
  not_proved("x", "asinh(x)", "log(sqrt(x * x + 1) - x)");
  proved("x", "acosh(x)", "log(x + sqrt(x * x - 1))", above_one);
  proved("x", "-acosh(x)", "log(x - sqrt(x * x - 1))", above_one);
  not_proved("x", "acosh(x)", "log(x - sqrt(x * x - 1))", above_one);
}

TEST_CASE("half angles") {
  proved("x", "tan(x / 2)", "sin(x) / (1 + cos(x))");
  proved("x", "tan(x / 2)", "(1 - cos(x)) / sin(x)");
  not_proved("x", "tan(x / 2)", "sin(x) / (1 - cos(x))");
  proved("x", "abs(cos(x / 2))", "sqrt((1 + cos(x)) / 2)");
  not_proved("x", "cos(x / 2)", "sqrt((1 + cos(x)) / 2)", {-8, 8});
  proved("x", "tanh(x / 2)", "sinh(x) / (1 + cosh(x))");
  proved("x", "cosh(x / 2)", "sqrt((1 + cosh(x)) / 2)");
  proved("x", "cos(acos(x) / 2)", "sqrt((1 + x) / 2)", inside_one);
  not_proved("x", "cos(acos(x) / 2)", "sqrt((1 - x) / 2)", inside_one);
  proved("x", "sin(acos(x) / 2)", "sqrt((1 - x) / 2)", inside_one);
  proved("x", "cos(asin(x) / 2)", "sqrt((1 + sqrt(1 - x * x)) / 2)", inside_one);
  not_proved("x", "sin(asin(x) / 2)", "sqrt((1 - sqrt(1 - x * x)) / 2)", inside_one);
}

TEST_CASE("roots and powers that are no whole numbers") {
  proved("x", "cbrt(x) * cbrt(x) * cbrt(x)", "x");
  not_proved("x", "cbrt(x) * cbrt(x)", "x");
  proved("x,y", "cbrt(x * y)", "cbrt(x) * cbrt(y)");
  proved("x,y", "cbrt(x / y)", "cbrt(x) / cbrt(y)");
  not_proved("x,y", "cbrt(x + y)", "cbrt(x) + cbrt(y)");
  proved("x", "cbrt(8 * x)", "2 * cbrt(x)");
  not_proved("x", "cbrt(9 * x)", "2 * cbrt(x)");
  proved("x", "cbrt(-x * x * x)", "-x");
  proved("x", "pow(x, 2.5)", "x * x * sqrt(x)", above_zero);
  not_proved("x", "pow(x, 2.5)", "x * x * x * sqrt(x)", above_zero);
  proved("x", "pow(x, 1.5) * pow(x, 1.5)", "x * x * x", above_zero);
  proved("x", "pow(x, 0.25) * pow(x, 0.25)", "sqrt(x)", above_zero);
  proved("x", "pow(x, 0.3) * pow(x, 0.7)", "x", above_zero);
  not_proved("x", "pow(x, 0.3) * pow(x, 0.6)", "x", above_zero);
  proved("x", "pow(pow(x, 0.3), 2)", "pow(x, 0.6)", above_zero);
  proved("x", "pow(pow(x, 2), 0.5)", "abs(x)");
  not_proved("x", "pow(pow(x, 2), 0.5)", "x");
  proved("x", "pow(0, 2 + x * x)", "f64(0)");
  not_proved("x", "pow(0, x)", "f64(0)", {0, 4});
  proved("x", "exp(0.5 * log(x))", "sqrt(x)", above_zero);
  not_proved("x", "log(x * x)", "2 * log(x) + 1", above_zero);
}

TEST_CASE("remainders and steps") {
  const Range wide{-8.5, 8};
  proved("x,y", "(x % y) % y", "x % y", wide);
  proved("x,y", "(-x) % y", "-(x % y)", wide);
  proved("x,y", "x % (-y)", "x % y", wide);
  not_proved("x,y", "(-x) % y", "x % y", wide);
  not_proved("x,y", "(x + y) % y", "x % y", wide);
  not_proved("x,y", "(x % y) % (2 * y)", "x % (2 * y)", wide);
  proved("x", "floor(x + 3)", "floor(x) + 3", wide);
  proved("x", "ceil(floor(x))", "floor(x)", wide);
  not_proved("x", "round(x + 1)", "round(x) + 1", wide);  // ties go to even numbers
  not_proved("x", "trunc(x + 1)", "trunc(x) + 1", wide);
}

TEST_CASE("closed constants") {
  const std::vector<std::pair<std::string, std::string>> equal{{"asin(f64(1))", "pi / 2"},
                                                               {"acos(f64(0))", "pi / 2"},
                                                               {"acos(f64(-1))", "f64(pi)"},
                                                               {"asin(f64(1/2))", "pi / 6"},
                                                               {"asin(-sqrt(f64(2)) / 2)", "-pi / 4"},
                                                               {"atan(f64(1))", "pi / 4"},
                                                               {"atan(sqrt(f64(3)))", "pi / 3"},
                                                               {"atan(2 - sqrt(f64(3)))", "pi / 12"},
                                                               {"cos(f64(pi) / 3)", "1 / 2"},
                                                               {"sin(f64(pi) / 6)", "1 / 2"},
                                                               {"exp(log(f64(2)))", "2"},
                                                               {"exp2(f64(1/2))", "sqrt(f64(2))"},
                                                               {"floor(f64(7/2))", "3"},
                                                               {"ceil(f64(-7/2))", "-3"},
                                                               {"trunc(f64(-7/2))", "-3"},
                                                               {"round(f64(5/2))", "2"},
                                                               {"round(f64(7/2))", "4"},
                                                               {"f64(7) % 3", "1"},
                                                               {"f64(-7) % 3", "-1"},
                                                               {"cbrt(f64(27/8))", "3 / 2"},
                                                               // Machin (1706); Euler.
                                                               {"4 * atan(f64(1/5)) - atan(f64(1/239))", "pi / 4"},
                                                               {"atan(f64(1/2)) + atan(f64(1/3))", "pi / 4"},
                                                               {"atan(f64(2)) + atan(f64(3))", "3 * pi / 4"}};
  for (const auto& [f, g] : equal) proved("", f, g + " + f64(0)");
  const std::vector<std::pair<std::string, std::string>> wrong{{"asin(f64(1))", "pi / 3"},
                                                               {"acos(f64(0))", "pi / 3"},
                                                               {"atan(f64(1))", "pi / 2"},
                                                               {"atan(sqrt(f64(2)))", "pi / 3"},
                                                               {"floor(f64(-7/2))", "-3"},
                                                               {"round(f64(5/2))", "3"},
                                                               {"f64(-7) % 3", "2"},
                                                               {"4 * atan(f64(1/5)) - atan(f64(1/238))", "pi / 4"},
                                                               {"atan(f64(2)) + atan(f64(3))", "-pi / 4"}};
  for (const auto& [f, g] : wrong) not_proved("", f, g + " + f64(0)");
}

TEST_CASE("sums over two indices, and products of sums") {
  const std::string two = "(v: f64[n], w: f64[m]) -> f64", matrix = "(a: f64[n, m]) -> f64";
  proved("(v: f64[n], w: f64[n]) -> f64", "(sum i: v[i]) * (sum j: w[j])", "sum i < n, j < n: v[i] * w[j]");
  not_proved("(v: f64[n], w: f64[n]) -> f64", "(sum i: v[i]) * (sum j: w[j])", "sum i: v[i] * w[i]");
  proved(two, "sum i, j: v[i] * w[j]", "sum j: sum i: v[i] * w[j]");
  proved(matrix, "sum i, j: a[i, j]", "sum i: sum j: a[i, j]");
  proved(matrix, "sum i, j: a[i, j]", "sum j: sum i: a[i, j]");
  not_proved(matrix, "sum i, j: a[i, j]", "sum i < n: sum j < m: a[i, 0]");
  // Convolution is linear: nine dimensions, five of them of the result and the weights' images.
  const std::string images =
      "(x: f64[b, c, h, w], y: f64[b, c, h, w], k: f64[o, c, r, s]) -> f64[b, o, h - r + 1, w - s + 1]";
  const std::string each = "for bb < b, oo < o, i < h - r + 1, j < w - s + 1: ";
  const auto sum = [](const std::string& of) { return "(sum cc < c, p < r, q < s: " + of + " * k[oo, cc, p, q])"; };
  const std::string x = "x[bb, cc, i + p, j + q]", y = "y[bb, cc, i + p, j + q]";
  Pair linear(program(images, each + sum("(" + x + " + " + y + ")"), each + sum(x) + " + " + sum(y)));
  CHECK(linear.prove());
  Pair wrong(program(images, each + sum("(" + x + " + " + y + ")"), each + sum(x) + " - " + sum(y)));
  CHECK_FALSE(wrong.prove());
}

TEST_CASE("what holds for positive inputs alone is proved for these alone") {
  const std::vector<std::pair<std::string, std::string>> equal{{"log(x * y)", "log(x) + log(y)"},
                                                               {"sqrt(x * y)", "sqrt(x) * sqrt(y)"},
                                                               {"abs(x)", "x"},
                                                               {"pow(x, y)", "exp(y * log(x))"},
                                                               {"atan(x) + atan(1 / x)", "pi / 2"}};
  for (const auto& [f, g] : equal) {
    Pair pair(program("x,y", f, g));
    INFO(pair.text);
    CHECK(ir::prove_equal(pair.session.module(), *pair.f, *pair.g, {0, 1}));
  }
  for (const char* wrong : {"-x", "y"}) {
    Pair pair(program("x,y", "abs(x)", wrong));
    CHECK_FALSE(ir::prove_equal(pair.session.module(), *pair.f, *pair.g, {0, 1}));
  }
  Pair other(program("x,y", "abs(x)", "x"));
  CHECK_FALSE(ir::prove_equal(other.session.module(), *other.f, *other.g, {1}));
}
