// What a program is told that adds a semantics with mistakes, or uses one as it cannot be used.
#include <catch2/catch.hpp>

#include <stdexcept>

#include "examples/affine.h"
#include "examples/dual.h"

using reckon::On;
using reckon::Session;
using reckon::Tensor;
using reckon::semantics::value;

namespace {

/// It has an addition, and operations that fail in every way.
struct Poor {
  using Value = double;
  double number(double x) const {
    if (x == 13) throw std::domain_error("thirteen is no number");
    return x;
  }
  double add(double a, double b) const { return a + b; }
  double mul(double, double) const { throw std::runtime_error("the multiplier is broken"); }
  double div(double, double) const { throw 42; }
  double sqrt(double) const { throw reckon::semantics::NoValue("there are no roots here", "multiply instead"); }
  double exp(double) const { throw std::bad_alloc(); }
  reckon::semantics::Truth less(double, double) const { return reckon::semantics::Truth::unknown; }
  std::string text(double a) const {
    if (a == 7) throw std::runtime_error("seven has no name");
    return std::to_string(a);
  }
};

/// Comparisons of results fail.
struct Shy {
  using Value = double;
  double number(double x) const { return x; }
  bool same(double, double) const { throw std::runtime_error("it does not want to be compared"); }
  reckon::semantics::Enclosure enclosure(double) const { throw std::runtime_error("it does not want to be measured"); }
  std::string text(double) const { return "shy"; }
};

Session with(const std::string& text) {
  Session session;
  const auto names = session.load(text);
  for (const reckon::Message& message : names.messages()) FAIL(message.text);
  REQUIRE(session.add_semantics("poor", [] { return Poor{}; }).empty());
  REQUIRE(session.add_semantics("shy", [] { return Shy{}; }).empty());
  REQUIRE(session.add_semantics("dual", [] { return Dual{}; }).empty());
  REQUIRE(session.add_semantics("affine", [] { return Affine{}; }).empty());
  return session;
}

/// The first message of a program.
reckon::Message complaint(Session& session, const std::string& text) {
  std::optional<reckon::Message> out;
  session.run(text, "program", [&](const reckon::Event& event) {
    const auto* messages = std::get_if<std::vector<reckon::Message>>(&event);
    if (messages != nullptr && !out) out = messages->front();
  });
  INFO(text);
  REQUIRE(out);
  return *out;
}

struct Expected {
  std::string program, code, message, help;
  std::uint32_t line = 1, column = 1;
};

}  // namespace

TEST_CASE("an operation that is missing or fails is told at its place") {
  Session session = with("fn unused(x: f64) -> f64 = x");
  const std::string thrown =
      "its class has thrown an exception; semantics::NoValue says that an operation has no value";
  const std::vector<Expected> all{
      {"show f64(1) - 2 in poor", "E0501", "`sub` has no meaning under `poor`",
       "its class has no function `sub` of these operands", 1, 6},
      {"show 1 +\n  sin(f64(2)) in poor", "E0501", "`sin` has no meaning under `poor`",
       "its class has no function `sin` of these operands", 2, 3},
      {"show f64(2) * 3 in poor", "E0506", "`mul` of `poor` failed: the multiplier is broken", thrown, 1, 6},
      {"show f64(2) / 3 in poor", "E0506", "`div` of `poor` failed: an exception that is no std::exception", thrown, 1,
       6},
      {"show sqrt(f64(2)) in poor", "E0502", "there are no roots here", "multiply instead", 1, 6},
      {"show f64(13) + 1 in poor", "E0506", "`poor` failed: thirteen is no number", thrown, 1, 10},
      {"show prod i < 3: f64(i) by seq in poor", "E0506", "`mul` of `poor` failed: the multiplier is broken", thrown, 1,
       6},
      {"show f32(f64(1) + 1) in poor", "E0501", "`convert` has no meaning under `poor`",
       "its class has no function `convert` of these operands", 1, 6},
      {"show select(f64(1) < 2, f64(1), f64(2)) in poor", "E0502",
       "the condition is unknown, and the class has no function `hull` for that", "", 1, 6},
      {"show sum i < 4: f64(i) by rounded_once in poor", "E0501", "`rounded_once` has no meaning under `poor`",
       "sum in a plain order, such as `tree`", 1, 6},
      {"show bits(f32(1)) in poor", "E0501", "`bits` has no meaning under `poor`: its values are no bit patterns",
       "`float` and `fpsan` have patterns", 1, 6},
  };
  for (const Expected& each : all) {
    INFO(each.program);
    const reckon::Message found = complaint(session, each.program);
    INFO(found.text);
    CHECK(found.code == each.code);
    CHECK(found.message == each.message);
    CHECK((found.helps.empty() ? "" : found.helps.front()) == each.help);
    CHECK(found.line == each.line);
    CHECK(found.column == each.column);
  }
  CHECK(complaint(session, "show exp(f64(1)) in poor").code == "E0410");  // memory
  // The session goes on.
  session.set_semantics("poor");
  CHECK(session.evaluate("f64(1) + 2"));
  // A result whose text fails is shown with the reason.
  const auto seven = session.evaluate("f64(3) + 4");
  REQUIRE(seven);
  CHECK(seven->at(0).numbers[0].text == "no text: seven has no name");
}

TEST_CASE("checks that a class does not answer are refused") {
  Session session = with("fn f(x: f64) -> f64 = x\nfn g(x: f64) -> f64 = x + 0\nfn h(x: f64) -> f64 = x");
  const auto says = [&](const std::string& program, const std::string& code, const std::string& message) {
    const reckon::Message found = complaint(session, program);
    INFO(found.text);
    CHECK(found.code == code);
    CHECK(found.message == message);
  };
  says("check f == g in poor", "E0601", "`poor` does not say when two values are the same");
  says("check f ~ g in dual within 1e-3", "E0503", "`dual` has no distance between values");
  says("check f within 0..1 in dual", "E0503", "`dual` has no distance between values");
  says("check f == h in shy", "E0506", "`shy` failed: it does not want to be measured");
  says("check f within 0..1 in shy", "E0506", "`shy` failed: it does not want to be measured");
  says("check f ~ g in dual within bound", "E0503", complaint(session, "check f ~ g in dual within bound").message);
  says("check f == g in affine for x > 0", "E0601",
       "a condition is no range, and `affine` takes the whole range of each input at once");
  says("show f(1) in dual(3)", "E0204", "`dual` has no variant `3`");
}

TEST_CASE("a name that exists, or that is no name, is refused") {
  Session session = with("fn f(x: f64) -> f64 = x");
  for (const std::string name : {"float", "interval", "algebra", "dual"}) {
    const auto messages = session.add_semantics(name, [] { return Dual{}; });
    REQUIRE(messages.size() == 1);
    CHECK(messages[0].code == "E0201");
    CHECK(messages[0].message == "there is a semantics `" + name + "` already");
  }
  for (const std::string name : {"", "2d", "a b", "x(3)", "show", "fn"}) {
    const auto messages = session.add_semantics(name, [] { return Dual{}; });
    REQUIRE(messages.size() == 1);
    CHECK(messages[0].message == "`" + name + "` is no name for a semantics");
  }
  REQUIRE(session.add_semantics("broken", []() -> Dual { throw std::runtime_error("no parts"); }).empty());
  CHECK(complaint(session, "show f(1) in broken").message == "`broken` cannot be made: no parts");
}

TEST_CASE("a semantics of the program's own is interpreted alone") {
  Session session = with("fn f(x: f64) -> f64 = x + 1");
  const auto refused = [](const auto& result, const std::string& code, const std::string& message) {
    REQUIRE_FALSE(result);
    REQUIRE(result.messages().size() == 1);
    CHECK(result.messages()[0].code == code);
    CHECK(result.messages()[0].message == message);
  };
  const std::string not_compiled = "`dual` cannot be compiled";
  for (const auto emit : {reckon::Emit::ptx, reckon::Emit::llvm, reckon::Emit::kernels, reckon::Emit::report,
                          reckon::Emit::object, reckon::Emit::cpp_launcher}) {
    refused(session.compile("f", {.emit = emit, .semantics = "dual"}), "E0700", not_compiled);
  }
  for (const On on : {On::host, On::gpu}) {
    refused(session.call("f", {Tensor::scalar(1.0)}, {.on = on, .semantics = "dual"}), "E0700", not_compiled);
    refused(session.call_on_values("f", {value<Dual>(Dual::variable(1))}, {.on = on, .semantics = "dual"}), "E0700",
            not_compiled);
    refused(session.bench("f", {.call = {.on = on, .semantics = "dual"}}), "E0700", not_compiled);
  }
}

TEST_CASE("values of another class, or of another shape, are refused") {
  Session session = with("fn f(x: f64[n], y: f64[n]) -> f64 = sum i: x[i] + y[i] by seq\nfn b(x: bool) -> bool = x");
  const auto message = [&](const std::string& circuit,
                           const std::vector<std::variant<Tensor, reckon::OwnTensor>>& given,
                           const std::string& semantics) {
    const auto result = session.call_on_values(circuit, given, {.semantics = semantics});
    REQUIRE_FALSE(result);
    return result.messages().front().message;
  };
  const std::vector<Dual::Value> two{{1, 1}, {2, 0}};
  const auto duals = reckon::semantics::values<Dual>(two);
  const std::string foreign = "argument `x` has values of a class that is not the one of ";
  CHECK(message("f", {duals, duals}, "affine") == foreign + "`affine`");
  CHECK(message("f", {duals, duals}, "float") == foreign + "`float`");
  CHECK(message("f", {reckon::OwnTensor{}, duals}, "dual") == foreign + "`dual`");
  CHECK(message("f", {reckon::semantics::values<Dual>(two, {3}), duals}, "dual") ==
        "argument `x` has 2 values, and its shape is [3]");
  CHECK(message("f", {reckon::semantics::values<Dual>(two, {-2}), duals}, "dual") ==
        "argument `x` has 2 values, and its shape is [-2]");
  CHECK(message("f", {duals}, "dual") == "`f` takes 2 arguments and was given 1");
  CHECK(message("b", {value<Dual>({1, 0})}, "dual") ==
        "argument `x` has elements of type `bool`, which are no values of `dual`");
  const std::vector<double> three{1, 2, 3};
  CHECK(session.call_on_values("f", {duals, Tensor::of<double>(three)}, {.semantics = "dual"}).messages().size() == 1);
  // A result is of its own class alone.
  const auto result = session.call_on_values("f", {duals, duals}, {.semantics = "dual"});
  REQUIRE(result);
  CHECK(reckon::semantics::values_of<Dual>(result->at(0)).size() == 1);
  CHECK(reckon::semantics::values_of<Affine>(result->at(0)).empty());
  const auto floats = session.call("b", {Tensor{"bool", {}, {1}}}, {.semantics = "dual"});
  REQUIRE(floats);
  CHECK(reckon::semantics::values_of<Dual>(floats->at(0)).empty());
  CHECK(floats->at(0).tensor);
}
