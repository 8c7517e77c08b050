// Kinds of semantics that a program may add: values that are no plain bytes, arithmetic that depends on the format,
// rings, exact numbers, arguments in parentheses.
#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>

#include <reckon/circuit.h>
#include <reckon/semantics.h>

using reckon::Session;
using reckon::Shown;
using reckon::Tensor;
using reckon::semantics::Format;
using reckon::semantics::Properties;
using reckon::semantics::values;
using reckon::semantics::values_of;

namespace {

Session loaded(const std::string& text) {
  Session session;
  const auto names = session.load(text);
  for (const reckon::Message& message : names.messages()) FAIL(message.text);
  return session;
}

template <class T>
const T& must(const reckon::Result<T>& result) {
  for (const reckon::Message& message : result.messages()) FAIL(message.text);
  return *result;
}

/// A value is the text of its computation. Its values own memory, and are counted.
struct Symbolic {
  struct Value {
    Value() noexcept { ++alive; }
    explicit Value(std::string of) : text(std::move(of)) { ++alive; }
    Value(const Value& other) : text(other.text) { ++alive; }
    Value& operator=(const Value&) = default;
    ~Value() { --alive; }
    std::string text;
    static inline int alive = 0;
  };
  using V = const Value&;
  Value number(double x) const { return Value(std::to_string(static_cast<int>(x))); }
  Value add(V a, V b) const { return Value("(" + a.text + " " + b.text + ")"); }
  Value mul(V a, V b) const { return Value(a.text + "*" + b.text); }
  Value sub(V a, V b) const {
    if (b.text == "3") throw std::runtime_error("no three");
    return Value(a.text + "-" + b.text);
  }
  bool same(V a, V b) const { return a.text == b.text; }
  std::string text(V a) const { return a.text; }
};

/// Every operation is computed in f64, and rounded to the format of the circuit.
struct Rounded {
  using Value = double;
  static double to(double x, const Format& format) { return reckon::semantics::rounded(x, format); }
  double number(double x) const { return x; }
  double add(double a, double b, const Format& f) const { return to(a + b, f); }
  double sub(double a, double b, const Format& f) const { return to(a - b, f); }
  double mul(double a, double b, const Format& f) const { return to(a * b, f); }
  double div(double a, double b, const Format& f) const { return to(a / b, f); }
  double sqrt(double a, const Format& f) const { return to(std::sqrt(a), f); }
  double convert(double a, const Format&, const Format& f) const { return to(a, f); }
  bool less(double a, double b) const { return a < b; }
  double as_float(double a) const { return a; }
  std::string text(double a) const { return std::to_string(a); }
};

/// Integers modulo a prime; a float stands for a hash of its bits.
struct Modular {
  static constexpr Properties properties{.ring = true};
  using Value = std::uint64_t;
  std::uint64_t p = 0x1fffffff;
  Value number(double x) const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    return (bits ^ bits >> 29) * 0x9e3779b97f4a7c15 % p;
  }
  Value add(Value a, Value b) const { return (a + b) % p; }
  Value mul(Value a, Value b) const { return a * b % p; }
  bool same(Value a, Value b) const { return a == b; }
  std::string text(Value a) const { return std::to_string(a); }
};

/// Fractions of small integers.
struct Fractions {
  static constexpr Properties properties{.exact = true};
  struct Value {
    long num = 0, den = 1;
  };
  using V = const Value&;
  static long gcd(long a, long b) { return b == 0 ? std::abs(a) : gcd(b, a % b); }
  static Value of(long num, long den) {
    const long common = std::max(gcd(num, den), 1L);
    return {num / common, den / common};
  }
  Value number(double x) const {
    long den = 1;
    for (; x != std::floor(x); x *= 2) den *= 2;
    return of(static_cast<long>(x), den);
  }
  Value literal(const reckon::semantics::Literal& x) const {
    return of(std::stol(x.numerator), std::stol(x.denominator));
  }
  Value add(V a, V b) const { return of(a.num * b.den + b.num * a.den, a.den * b.den); }
  Value mul(V a, V b) const { return of(a.num * b.num, a.den * b.den); }
  reckon::semantics::Enclosure enclosure(V a) const {
    const double x = static_cast<double>(a.num) / static_cast<double>(a.den);
    return {x, x};
  }
  std::string text(V a) const { return std::to_string(a.num) + "/" + std::to_string(a.den); }
};

/// What an expression gives under a semantics.
std::vector<Shown> shown(Session& session, const std::string& expression, const std::string& semantics) {
  session.set_semantics(semantics);
  const auto out = session.evaluate(expression);
  session.set_semantics("");
  return must(out);
}

}  // namespace

TEST_CASE("values that own memory show the tree of every schedule, and none is left over") {
  {
    Session session = loaded(
        "fn id(x: f32[m, n]) -> f32[n, m] = for j, i: x[i, j]\n"
        "fn prefixes(x: f32[n]) -> f32[n] = scan(add) i: x[i]\n"
        "fn minus(x: f32[n]) -> f32[n] = for i: x[i] - x[n - 1 - i]");
    REQUIRE(session.add_semantics("symbolic", [] { return Symbolic{}; }).empty());
    for (const std::string order : {"seq", "tree", "halving", "lanes(4, seq) then tree", "tile(3, tree) then seq"}) {
      for (const int n : {1, 2, 7, 33}) {
        INFO(order << " " << n);
        const auto sum = shown(session, "sum i < " + std::to_string(n) + ": f32(i) by " + order, "symbolic");
        CHECK(sum.at(0).numbers[0].text == must(session.tree_of_schedule(order, n)));
      }
    }
    const std::vector<float> six{0, 1, 2, 3, 4, 5};
    const auto turned = session.call("id", {Tensor::of<float>(six, {2, 3})}, {.semantics = "symbolic"});
    std::string all;
    for (const reckon::Number& each : must(turned).at(0).numbers) all += each.text + " ";
    CHECK(all == "0 3 1 4 2 5 ");
    const auto typed = values_of<Symbolic>(turned->at(0));
    REQUIRE(typed.size() == 6);
    CHECK(typed[1].text == "3");
    // What a call gave can be given to another one.
    const auto back = session.call_on_values("id", {*turned->at(0).own}, {.semantics = "symbolic"});
    CHECK(must(back).at(0).numbers[1].text == "1");
    const auto scanned = session.call("prefixes", {Tensor::of<float>(six)}, {.semantics = "symbolic"});
    CHECK(must(scanned).at(0).numbers[2].text == "((0 1) 2)");
    // An exception in the middle of an evaluation.
    const auto failed = session.call("minus", {Tensor::of<float>(six)}, {.semantics = "symbolic"});
    REQUIRE_FALSE(failed);
    CHECK(failed.messages().front().code == "E0506");
    CHECK(Symbolic::Value::alive > 0);
  }
  CHECK(Symbolic::Value::alive == 0);
}

TEST_CASE("operations that are given their format round as `float` does") {
  // f64 has more than twice the bits of these formats, and two more: rounding twice is rounding once.
  for (const std::string format : {"f32", "f16", "bf16", "tf32", "f8e5m2", "f6e3m2", "f6e2m3", "f4e2m1"}) {
    INFO(format);
    Session session = loaded("fn f(x: " + format + "[n], y: " + format + "[n]) -> " + format +
                             "[n] = for i: "
                             "sqrt(x[i] * x[i] + y[i]) / (y[i] - 3) + select(x[i] < y[i], x[i], 0.1)\n"
                             "fn g(x: " +
                             format + "[n]) -> f32 = f32(sum i: x[i] * x[i] by lanes(4, seq) then tree)");
    REQUIRE(session.add_semantics("rounded", [] { return Rounded{}; }).empty());
    const std::string x = "random(" + format + "[500], 1)", y = "random(" + format + "[500], 2)";
    for (const std::string& circuit : {"f(" + x + ", " + y + ")", "g(" + x + ")"}) {
      const auto mine = shown(session, circuit, "rounded"), theirs = shown(session, circuit, "float");
      REQUIRE(mine.at(0).tensor);
      CHECK(mine.at(0).tensor->bytes == theirs.at(0).tensor->bytes);
      CHECK(mine.at(0).shape == theirs.at(0).shape);
    }
  }
}

TEST_CASE("what a class states of itself decides what checks and orders may do") {
  Session session = loaded(
      "fn f(a: f64, b: f64, c: f64) -> f64 = (a + b) * c\nfn g(a: f64, b: f64, c: f64) -> f64 = c * a + c * b\n"
      "fn h(a: f64, b: f64, c: f64) -> f64 = a * b + c\nfn s(x: f64[n]) -> f64 = sum i: x[i] by any\n"
      "fn third(x: f64) -> f64 = x * (1 / 3)");
  REQUIRE(session.add_semantics("modular", [] { return Modular{}; }).empty());
  REQUIRE(session.add_semantics("fractions", [] { return Fractions{}; }).empty());
  REQUIRE(session.add_semantics("symbolic", [] { return Symbolic{}; }).empty());
  using F64 = reckon::circuit::Scalar<reckon::circuit::f64>;
  const auto three = [](const char* name) { return reckon::circuit::known<F64, F64, F64, F64>(name); };
  const auto agreed = session.check(reckon::circuit::equal(three("f"), three("g")).in("modular"));
  CHECK(must(agreed).verdict == "holds");
  CHECK(agreed->strength == "agreed");
  CHECK(must(session.check(reckon::circuit::equal(three("f"), three("h")).in("modular"))).verdict == "fails");
  const std::vector<double> x{0.5, 0.25, 3};
  const auto sum = session.call("s", {Tensor::of<double>(x)}, {.semantics = "fractions"});
  CHECK(must(sum).at(0).numbers[0].text == "15/4");
  CHECK(must(session.call("s", {Tensor::of<double>(x)}, {.semantics = "modular"})).at(0).is_scalar);
  const auto refused = session.call("s", {Tensor::of<double>(x)}, {.semantics = "symbolic"});
  REQUIRE_FALSE(refused);  // its sums are not the same in every order
  CHECK(refused.messages().front().code == "E0507");
  CHECK(must(session.call("third", {Tensor::scalar(1.5)}, {.semantics = "fractions"})).at(0).numbers[0].text == "1/2");
}

TEST_CASE("arguments in parentheses reach the maker") {
  Session session;
  REQUIRE(session
              .add_semantics("modulo",
                             [](const std::vector<std::string>& arguments) {
                               if (arguments.size() != 1) throw std::invalid_argument("name one prime: `modulo(97)`");
                               return Modular{std::stoull(arguments[0])};
                             })
              .empty());
  CHECK(std::stoi(shown(session, "f64(2) * 3", "modulo(97)").at(0).numbers[0].text) < 97);
  CHECK(std::stoi(shown(session, "f64(2) * 3", "modulo(5)").at(0).numbers[0].text) < 5);
  session.set_semantics("modulo");
  const auto missing = session.evaluate("f64(2) * 3");
  REQUIRE_FALSE(missing);
  CHECK(missing.messages().front().message == "`modulo` cannot be made: name one prime: `modulo(97)`");
}
