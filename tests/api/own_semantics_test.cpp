// Semantics that a program adds (reckon/semantics.h). The examples are compared with what they are not made of:
// derivatives with formulas and with differences in `exact`, affine enclosures with rational numbers and with
// intervals.
#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <random>
#include <sstream>

#include "examples/affine.h"
#include "examples/dual.h"
#include "tests/support/files.h"

using reckon::On;
using reckon::OwnTensor;
using reckon::Session;
using reckon::Shown;
using reckon::Tensor;
using reckon::semantics::value;
using reckon::semantics::values;
using reckon::semantics::values_of;

namespace {

using Given = std::vector<std::variant<Tensor, OwnTensor>>;

Session loaded(const std::string& text) {
  Session session;
  const auto names = session.load(text);
  for (const reckon::Message& message : names.messages()) FAIL(message.text);
  return session;
}

void must(const std::vector<reckon::Message>& messages) {
  for (const reckon::Message& message : messages) FAIL(message.text);
}

template <class T>
const T& must(const reckon::Result<T>& result) {
  must(result.messages());
  return *result;
}

/// The verdict of the only check of a program.
reckon::Checked checked(Session& session, const std::string& text) {
  std::optional<reckon::Checked> out;
  session.run(text, "check", [&](const reckon::Event& event) {
    if (const auto* messages = std::get_if<std::vector<reckon::Message>>(&event)) must(*messages);
    if (const auto* check = std::get_if<reckon::Checked>(&event)) out = *check;
  });
  REQUIRE(out);
  return *out;
}

/// The first message of a program.
reckon::Message complaint(Session& session, const std::string& text) {
  std::optional<reckon::Message> out;
  session.run(text, "complaint", [&](const reckon::Event& event) {
    const auto* messages = std::get_if<std::vector<reckon::Message>>(&event);
    if (messages != nullptr && !out) out = messages->front();
  });
  REQUIRE(out);
  return *out;
}

double number(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

/// The inputs as dual numbers, of which one is the variable.
std::vector<Dual::Value> seeded(const std::vector<double>& x, std::size_t variable) {
  std::vector<Dual::Value> out;
  for (std::size_t k = 0; k < x.size(); ++k) out.push_back({x[k], k == variable ? 1.0 : 0.0});
  return out;
}

const std::vector<std::string> schedules{
    "seq", "tree", "halving", "lanes(4, seq) then tree", "tile(3, seq) then tree", "blelloch", "kahan"};

/// What an expression gives under a semantics.
std::vector<Shown> shown(Session& session, const std::string& expression, const std::string& semantics) {
  session.set_semantics(semantics);
  const auto out = session.evaluate(expression);
  session.set_semantics("");
  return must(out);
}

}  // namespace

TEST_CASE("dual numbers give the derivative of a dot product and of a softmax, in every order") {
  const std::vector<double> x{0.5, -1.25, 2, 0.75, 3.5, -0.5, 1.5}, y{1, -2, 0.25, 4, -0.125, 3, 0.5};
  for (const std::string& schedule : schedules) {
    INFO(schedule);
    Session session = loaded("fn dot(x: f64[n], y: f64[n]) -> f64 = sum i: x[i] * y[i] by " + schedule +
                             "\nfn softmax(x: f64[n]) -> f64[n] = {\n  let top = max i: x[i];\n"
                             "  let powers = for i: exp(x[i] - top);\n  let total = sum i: powers[i] by " +
                             schedule + ";\n  for i: powers[i] / total\n}");
    must(session.add_semantics("dual", [] { return Dual{}; }));
    const double top = *std::max_element(x.begin(), x.end());
    double total = 0;
    for (const double each : x) total += std::exp(each - top);
    const auto share = [&](std::size_t k) { return std::exp(x[k] - top) / total; };
    for (std::size_t k = 0; k < x.size(); ++k) {
      const OwnTensor input = values<Dual>(seeded(x, k));
      const auto dot = session.call_on_values("dot", {input, Tensor::of<double>(y)}, {.semantics = "dual"});
      const auto product = values_of<Dual>(must(dot).at(0));
      REQUIRE(product.size() == 1);
      CHECK(product.front().slope == y[k]);  // every other term is exactly 0
      const auto softmax = session.call_on_values("softmax", {input}, {.semantics = "dual"});
      const auto shares = values_of<Dual>(must(softmax).at(0));
      REQUIRE(shares.size() == x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        CHECK(shares[i].value == Approx(share(i)).epsilon(1e-14));
        CHECK(shares[i].slope == Approx(share(i) * ((i == k) - share(k))).epsilon(1e-13).margin(1e-16));
      }
    }
  }
}

TEST_CASE("dual numbers agree with differences of reals") {
  const std::string f = "sin(x * x) / (1 + exp(0.1 - x)) + sqrt(x) * log(x + 2) - tanh(x) * cos(3 * x)";
  Session session =
      loaded("fn f(x: f64) -> f64 = " + f + "\nfn difference(x: f64, h: f64) -> f64 = (f(x + h) - f(x - h)) / (2 * h)");
  must(session.add_semantics("dual", [] { return Dual{}; }));
  for (const double x : {0.25, 0.5, 1.0, 1.75, 3.0}) {
    INFO(x);
    const auto dual = session.call_on_values("f", {value<Dual>(Dual::variable(x))}, {.semantics = "dual"});
    const auto exact = session.call("difference", {Tensor::scalar(x), Tensor::scalar(0x1p-60)}, {.semantics = "exact"});
    CHECK(values_of<Dual>(must(dual).at(0)).front().slope ==
          Approx(number(must(exact).at(0).numbers[0].text)).epsilon(1e-13));
  }
}

TEST_CASE("a name of one's own stands wherever a name of a semantics does") {
  Session session =
      loaded("fn f(x: f64) -> f64 = x * x + 0.5\nfn g(x: f64) -> f64 = 0.5 + x * x\nfn h(x: f64) -> f64 = x + x");
  must(session.add_semantics("dual", [] { return Dual{}; }));
  CHECK(shown(session, "f(3)", "dual").at(0).numbers[0].text == "9.5 slope 0");
  session.set_semantics("dual");
  CHECK(must(session.evaluate("f(3)")).at(0).semantics == "dual");
  CHECK(must(session.evaluate("f(3)")).at(0).tensor->as<double>()[0] == 9.5);
  CHECK(session.check_semantics("dual").empty());
  CHECK(checked(session, "check f == g in dual").verdict == "holds");
  CHECK(checked(session, "check f == g in dual").strength == "observed");
  const auto wrong = checked(session, "check f == h in dual");
  CHECK(wrong.verdict == "fails");
  REQUIRE(wrong.counterexample);
  CHECK(wrong.counterexample->left.text.find(" slope 0") != std::string::npos);
  const auto names = session.all_semantics();
  CHECK(std::find(names.begin(), names.end(), "dual") != names.end());
  const auto near = complaint(session, "show f(1) in duel");
  CHECK(near.code == "E0204");
  CHECK(near.helps == std::vector<std::string>{"did you mean `dual`?"});
  Session other = loaded("fn f(x: f64) -> f64 = x");
  CHECK(complaint(other, "show f(1) in dual").code == "E0204");  // a session knows its own alone
}

TEST_CASE("terms that cancel are 0 in affine arithmetic and not in intervals") {
  Session session = loaded(
      "fn zero(x: f64) -> f64 = x - x\nfn sums(x: f64, y: f64) -> f64 = x + y - x - y\nfn far(x: f64[n]) -> f64 = x[0] "
      "- x[1] + 0 * x[n - 1]\n"
      "fn square(x: f64) -> f64 = { let y = x * x + 0.1; y / 3 - y / 3 }");
  must(session.add_semantics("affine", [] { return Affine{}; }));
  const auto proved = [&](const std::string& check) {
    const auto out = checked(session, check);
    return out.verdict == "holds" && out.strength == "proved";
  };
  CHECK(proved("check zero(x) within 0..0 in affine for x: -1..1"));
  // Intervals know that one value is one value, and no more.
  CHECK(proved("check sums(x, y) within 0..0 in affine for x: -1..1, y: -2..2"));
  CHECK(checked(session, "check sums(x, y) within 0..0 in interval for x: -1..1, y: -2..2").verdict == "undecided");
  CHECK(proved("check square(x) within -1e-12..1e-12 in affine for x: -1..1"));
  // Elements of a tensor are different numbers.
  CHECK(checked(session, "check far(x) within 0..0 in affine for n: {3}, x: -1..1").verdict != "holds");
  CHECK(proved("check far(x) within -2..2 in affine for n: {3}, x: -1..1"));
}

namespace {

/// A random expression of a, b and c, and what its subtrees are combined by.
std::string random_expression(std::mt19937& random, int depth, const std::vector<std::string>& operations) {
  if (depth == 0 || random() % 8 == 0) {
    static const std::vector<std::string> leaves{"a", "b", "c", "0.1", "3", "-1.75"};
    return leaves[random() % leaves.size()];
  }
  const std::string left = random_expression(random, depth - 1, operations);
  const std::string right = random_expression(random, depth - 1, operations);
  const std::string& by = operations[random() % operations.size()];
  if (by.size() == 1) return "(" + left + " " + by + " " + right + ")";
  return by == "abs" ? "abs(" + left + ")" : by + "(" + left + ", " + right + (by == "fma" ? ", a)" : ")");
}

}  // namespace

TEST_CASE("affine values enclose the rational results of random programs") {
  std::mt19937 random(20260730);
  const std::vector<std::string> operations{"+", "-", "*", "/", "abs", "max", "min", "max", "fma"};
  std::size_t compared = 0, tight = 0;
  for (int program = 0; program < 150; ++program) {
    const std::string body = random_expression(random, 4, operations);
    INFO(body);
    // `exact` compares the result with the ends of the enclosure, in rational numbers.
    Session session = loaded("fn f(a: f64, b: f64, c: f64) -> f64 = f64(0) + " + body +
                             "\nfn inside(a: f64, b: f64, c: f64, low: f64, high: f64) -> bool = "
                             "{ let x = f(a, b, c); low <= x and x <= high }");
    must(session.add_semantics("affine", [] { return Affine{}; }));
    Affine inputs;
    std::uniform_real_distribution<double> centre(-3, 3), width(0, 0.5), part(0, 1);
    std::vector<std::pair<double, double>> ranges;
    Given given;
    for (int k = 0; k < 3; ++k) {
      const double low = centre(random);
      ranges.emplace_back(low, program % 3 == 0 ? low : low + width(random));
      given.push_back(value<Affine>(inputs.range(ranges.back().first, ranges.back().second)));
    }
    const auto result = session.call_on_values("f", given, {.semantics = "affine"});
    if (!result) {  // a divisor that may be 0
      CHECK(result.messages().front().code == "E0502");
      continue;
    }
    const auto enclosure = Affine().enclosure(values_of<Affine>(result->at(0)).front());
    if (!std::isfinite(enclosure.low) || !std::isfinite(enclosure.high)) continue;
    for (int point = 0; point < 8; ++point) {
      std::vector<Tensor> arguments;
      for (const auto& [low, high] : ranges) {
        const double x = point == 0 ? low : point == 1 ? high : std::min(high, low + part(random) * (high - low));
        arguments.push_back(Tensor::scalar(x));
      }
      arguments.push_back(Tensor::scalar(enclosure.low));
      arguments.push_back(Tensor::scalar(enclosure.high));
      const auto inside = session.call("inside", arguments, {.semantics = "exact"});
      CHECK(must(inside).at(0).numbers[0].text == "true");
      ++compared;
    }
    if (program % 3 == 0) tight += enclosure.high - enclosure.low <= 1e-9 * std::fmax(1, std::fabs(enclosure.low));
  }
  CHECK(compared > 500);
  CHECK(tight > 25);  // inputs that are single numbers give narrow enclosures
}

TEST_CASE("affine `exp` and quotients enclose the real functions on the whole range") {
  Session session = loaded(
      "fn f(x: f64) -> f64 = 1 / (x + 0.125) + exp(x / 4)\n"
      "fn inside(x: f64, low: f64, high: f64) -> bool = low <= f(x) and f(x) <= high");
  must(session.add_semantics("affine", [] { return Affine{}; }));
  for (const auto& [low, high] :
       std::vector<std::pair<double, double>>{{0, 1}, {0.5, 0.75}, {2, 9}, {4, 4}, {1e-3, 20}}) {
    INFO(low << " " << high);
    Affine inputs;
    const auto result = session.call_on_values("f", {value<Affine>(inputs.range(low, high))}, {.semantics = "affine"});
    const auto found = Affine().enclosure(values_of<Affine>(must(result).at(0)).front());
    for (int k = 0; k <= 16; ++k) {
      const double x = std::min(high, low + k * (high - low) / 16);
      const auto inside =
          session.call("inside", {Tensor::scalar(x), Tensor::scalar(found.low), Tensor::scalar(found.high)},
                       {.semantics = "exact"});
      CHECK(must(inside).at(0).numbers[0].text == "true");
    }
    CHECK(found.low >= 1 / (high + 0.125) + std::exp(low / 4) - 8 * (high - low) - 1e-9);  // and it is no wild guess
  }
}
