// `show bound(f) for ...` and `check f ~ g within e in bound for ...`, as programs.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "tests/support/files.h"
#include "tests/support/process.h"

using namespace reckon::test;

namespace {

RunResult run_text(const std::string& text, const std::vector<std::string>& more = {}) {
  const TemporaryFolder folder;
  write_file(folder / "program.rk", text);
  std::vector<std::string> arguments{"run", (folder / "program.rk").string()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments);
}

/// The value that a program shows, in JSON.
nlohmann::json shown(const std::string& text) {
  const RunResult found = run_text(text, {"--format=json"});
  INFO(found.out << found.err);
  REQUIRE(found.status == 0);
  return nlohmann::json::parse(found.out.substr(0, found.out.find('\n')));
}
double number(const nlohmann::json& json) { return std::stod(json.get<std::string>()); }

}  // namespace

TEST_CASE("show bound(f) gives the bound, the range, a witness and where the error comes from") {
  const std::string text = "fn f(x: f64, y: f64) -> f64 = x * y + 1\nshow bound(f) for x: 1..2, y: 1..2\n";
  const nlohmann::json found = shown(text);
  // Half units: of the product below 4, 2^-52, and of the sum below 8, 2^-51.
  CHECK(number(found["bound"]) >= 0x1p-52 + 0x1p-51 - 1e-20);
  CHECK(number(found["bound"]) <= (0x1p-52 + 0x1p-51) * 1.001);
  CHECK(number(found["found"]) <= number(found["bound"]));
  CHECK(number(found["found"]) >= number(found["bound"]) / 2);
  CHECK(number(found["lo"]) <= 2);
  CHECK(number(found["hi"]) >= 5);
  CHECK(number(found["hi"]) <= 5.01);
  CHECK(number(found["relative"]) <= 0x1p-52);
  CHECK(number(found["bound_with_inputs"]) > number(found["bound"]));
  REQUIRE(found["shares"].size() == 2);
  CHECK(found["shares"][0]["line"] == 1);
  CHECK(found["shares"][0]["operation"] == "add");
  CHECK(std::abs(found["shares"][0]["percent"].get<double>() - 100.0 * 2 / 3) < 1);
  CHECK(found["found_at"].contains("x"));
  const RunResult said = run_text(text);
  CHECK(said.out.find("at most 6.66") != std::string::npos);
  CHECK(said.out.find("67 % `x * y + 1` (line 1)") != std::string::npos);
  // Twice a number is exact, and not the sum of two equal ones that were rounded apart.
  CHECK(number(shown("fn f(x: f32) -> f32 { let y = x + x; y + y }\nshow bound(f) for x: -1..1\n")["bound"]) == 0);
  CHECK(number(shown("fn f(x: f32) -> f32 = x * 3 + x * 3\nshow bound(f) for x: 1..1.1\n")["bound"]) >= 0x1p-22);
  CHECK(number(shown("fn f(x: f32, y: f32) -> f32 = x + y\nshow bound(f) for x: 1..1.1, y: 1..1.1\n")["bound"]) >=
        0x1p-24);
  // A part of the error that no place has.
  std::string many = "fn f(x: f64) -> f64 {\n  let v0 = x;\n";
  for (int k = 0; k < 1000; ++k) many += fmt::format("  let v{} = v{} * x + {};\n", k + 1, k, k % 3 + 1);
  CHECK(
      run_text(many + "  v1000\n}\nshow bound(f) for x: -1..1\n").out.find(" places, none of which has more than 0.") !=
      std::string::npos);
}

TEST_CASE("show bound(f) says why there is no bound, and where") {
  const nlohmann::json found = shown("fn f(x: f64) -> f64 = 1 / (x - 1)\nshow bound(f) for x: 0..3\n");
  CHECK(found["unbounded"] == true);
  CHECK(found["reason"] == "the divisor may be 0");
  CHECK(found["at"]["text"] == "1 / (x - 1)");
  const RunResult said = run_text("fn f(x: f16) -> f16 = x * x\nshow bound(f) for x: 0..300\n");
  CHECK(said.out.find("unbounded: the result may overflow in `x * x` (line 1), for x: ") != std::string::npos);
}

TEST_CASE("show bound(f, g) says how far apart the floats of two circuits are") {
  const std::string circuits =
      "fn p(x: f32) -> f32 = x - x * x * x / 6\nfn s(x: f32) -> f32 = sin(x)\n"
      "fn a(x: f64[n]) -> f64 = sum i: x[i] by seq\nfn b(x: f64[n]) -> f64 = sum i: x[i] by tree\n";
  // sin(x) - x + x^3/6 is x^5/120 at most: 8.2e-6 for 1/4.
  const nlohmann::json found = shown(circuits + "show bound(p, s) for x: -1/4..1/4\n");
  CHECK(number(found["bound"]) >= 8.1e-6);
  CHECK(number(found["bound"]) <= 8.3e-6);
  // The reals of two orders are the same, so that rounding alone keeps the results apart: each sum of 8 numbers has at
  // most 7 roundings of half a unit below 8.
  const nlohmann::json orders = shown(circuits + "show bound(a, b) for x: -1..1, n: {8}\n");
  CHECK(number(orders["bound"]) <= 14 * 0x1p-51);
  CHECK(number(orders["bound"]) > 0);
  CHECK(number(orders["hi"]) == 0);
}

TEST_CASE("checks in bound are proved over whole ranges") {
  const std::string circuits =
      "fn p(x: f32) -> f32 = x - x * x * x / 6\nfn s(x: f32) -> f32 = sin(x)\n"
      "fn a(x: f32[n]) -> f32 = sum i: x[i] by seq\nfn b(x: f32[n]) -> f32 = sum i: x[i] by tree\n";
  const auto said = [&](const std::string& check) { return run_text(circuits + check + "\n").out; };
  CHECK(said("check p ~ s within 1e-5 in bound for x: -1/4..1/4").find("(proved; all of x: -1/4..1/4; at most 8.") !=
        std::string::npos);
  CHECK(said("check p ~ s within 1e-6 in bound for x: -1/4..1/4").starts_with("fails "));
  // Between the largest distance and the bound nothing is decided but by trials.
  CHECK(said("check p ~ s within 8.14e-6 in bound for x: -1/4..1/4").find("(observed; ") != std::string::npos);
  CHECK(said("check a ~ b within 1e-5 in bound for x: -1..1, n: {4, 16}").find("(proved at these sizes; n: 4, 16; ") !=
        std::string::npos);
  CHECK(said("check p(x) within -0.26..0.26 in bound for x: -1/4..1/4").find("(proved; ") != std::string::npos);
  CHECK(said("check p(x) within -0.2..0.26 in bound for x: -1/4..1/4").starts_with("fails "));
}

TEST_CASE("selections are followed, and taking the other branch near the border counts") {
  // Continuous at 1/2, which is compared exactly: half a unit below 1/4 is all.
  const nlohmann::json smooth =
      shown("fn f(x: f64) -> f64 = select(x < 1/2, x * x, x - 1/4)\nshow bound(f) for x: 0..1\n");
  CHECK(number(smooth["bound"]) >= 0x1p-56);
  CHECK(number(smooth["bound"]) <= 0x1p-56 * 1.001);
  // x + y is 1 as a float where it is a little more as a real: then the results are 1 and 0.
  const nlohmann::json jump =
      shown("fn f(x: f32, y: f32) -> f32 = select(x + y > 1, f32(1), f32(0))\nshow bound(f) for x: 0..1, y: 0..1\n");
  CHECK(number(jump["bound"]) == 1);
  // A branch that is not taken may have no value.
  const nlohmann::json apart =
      shown("fn f(x: f64) -> f64 = select(x > 1, 1 / (x - 1/2), x)\nshow bound(f) for x: 0..4\n");
  CHECK(number(apart["bound"]) <= 0x1p-53 * 1.001);
}

TEST_CASE("conditions on the inputs leave out those for which they do not hold") {
  const std::string circuit = "fn f(x: f64, y: f64) -> f64 = 1 / (x - y)\n";
  CHECK(shown(circuit + "show bound(f) for x: 0..4, y: 0..4\n")["unbounded"] == true);
  // x - y is at least 1. Near 1 it errs by half a unit, 2^-53, and so does the quotient, which boxes at the border let
  // be a little above 1.
  const nlohmann::json found = shown(circuit + "show bound(f) for x: 0..4, y: 0..4, x >= y + 1\n");
  CHECK(number(found["bound"]) >= 0x1p-53 + 0x1p-54 - 1e-20);
  CHECK(number(found["bound"]) <= 0x1p-52 * 1.01);
  CHECK(number(found["lo"]) >= 0.24);
  CHECK(number(found["hi"]) <= 1.01);
  // Both must hold.
  const nlohmann::json both = shown(circuit + "show bound(f) for x: 0..4, y: 0..4, x >= y + 1 and y > 2, x < 3.5\n");
  CHECK(number(both["lo"]) >= 0.66);
  const RunResult none = run_text(circuit + "show bound(f) for x: 0..1, y: 2..4, x > y\n");
  CHECK(none.err.find("no input in these ranges meets the conditions") != std::string::npos);
}

TEST_CASE("bounds of long sums follow their schedules") {
  const auto found = [&](const std::string& order) {
    const std::string text = "fn dot(x: f64[n], y: f64[n]) -> f64 = sum i: x[i] * y[i] by " + order + "\n";
    return number(shown(text + "show bound(dot) for x: -1..1, y: -1..1, n: {4096}\n")["bound"]);
  };
  const auto known = [&](const std::string& order) {
    const RunResult said = run_text("show bound_dot(" + order + ", 4096, f64, -1..1, -1..1)\n");
    return std::stod(said.out);
  };
  // bound_dot is computed from the schedule alone (ir/schedule/bounds.cpp), and shown with four digits, rounded upward.
  for (const std::string order : {"seq", "tree", "lanes(8, seq) then tree"}) {
    INFO(order);
    CHECK(std::abs(found(order) / known(order) - 1) < 2e-3);
  }
}

TEST_CASE("compensated sums err by hardly more than one rounding") {
  const auto found = [&](const std::string& order) {
    const std::string text = "fn total(x: f32[n]) -> f32 = sum i: x[i] by " + order + "\n";
    return shown(text + "show bound(total) for x: 0..1, n: {1000}\n");
  };
  const nlohmann::json compensated = found("neumaier(seq)"), plain = found("seq");
  // Half a unit below 1024, and terms of the second order.
  CHECK(number(compensated["bound"]) >= 0x1p-15);
  CHECK(number(compensated["bound"]) <= 0x1p-15 * 1.1);
  CHECK(number(compensated["found"]) <= number(compensated["bound"]));
  CHECK(number(plain["bound"]) > 100 * number(compensated["bound"]));
}

TEST_CASE("questions about ranges that are not complete are refused with what to write") {
  const auto said = [&](const std::string& question) {
    const RunResult found = run_text("fn f(x: f64[n], y: f64) -> f64 = y + sum i: x[i] by seq\n" + question + "\n");
    CHECK(found.status == 3);
    return found.err;
  };
  CHECK(said("show bound(f)").find("the bound of a circuit needs the ranges of its inputs") != std::string::npos);
  CHECK(said("show bound(f) for x: -1..1, n: {4}").find("`y` has no range here") != std::string::npos);
  CHECK(said("show bound(f) for x: -1..1, y: 0..1").find("`n` needs one size here") != std::string::npos);
  CHECK(said("show bound(f) for x: -1..1, y > 0, n: {4}").find("`y` has no range here") != std::string::npos);
  CHECK(said("show bound(f) for x: -1..1, y: 0..1, y + 1, n: {4}").find("a condition on the inputs is a comparison") !=
        std::string::npos);
  CHECK(said("show f for x: -1..1").find("only `check`, `show bound(f)`, `show tune(f, e)` and `show rewrites(f)` are `for` ranges") !=
        std::string::npos);
  CHECK(said("show bound(f, f, f) for x: -1..1, y: 0..1").find("one circuit or two") != std::string::npos);
  CHECK(said("show bound(3) for y: 0..1").find("this is") != std::string::npos);
}

TEST_CASE("the range of the results is known wherever the error is") {
  // The real result lies beyond the largest float, which is the float: 1 + 1e-30 is rounded to 1.
  const nlohmann::json beyond = shown(
      "fn f(x: f64) -> f64 = x * (1 + 1e-30)\n"
      "show bound(f) for x: 1e308..17976931348623157e292\n");
  CHECK(beyond["unbounded"] == true);
  CHECK(beyond["reason"] == "the result may overflow");
  const RunResult checked = run_text(
      "fn f(x: f64) -> f64 = x * (1 + 1e-30)\n"
      "check f(x) within 0..1e309 in bound for x: 1e308..17976931348623157e292\n");
  CHECK(checked.status < 2);
  // The work for the range is less than for the error, and does not suffice to leave out all of x = y.
  const nlohmann::json narrow = shown(
      "fn g(x: f64, y: f64, z: f64) -> f64 = 1 / (x - y) + z * z * z + 1 / (y + z)\n"
      "show bound(g) for x: 0..4, y: 0..4, z: 1..4, x >= y + 1/8\n");
  CHECK(number(narrow["bound"]) < 1e-12);
  CHECK(number(narrow["lo"]) <= 1.8);    // at x = 4, y = 1.5, z = 1
  CHECK(number(narrow["hi"]) >= 72.25);  // at x = 1/8, y = 0, z = 4
  CHECK(number(narrow["hi"]) < 1e6);
}

TEST_CASE("numbers that no format has are known as the reals that they are") {
  // The error of f32(sqrt(2)) is 1.41421356237309504880 - 11863283 / 2^23, computed by hand: 2.4203...e-8.
  const nlohmann::json found = shown("fn f(x: f32) -> f32 = x * sqrt(2)\nshow bound(f) for x: 1..1\n");
  CHECK(number(found["bound"]) >= 2.42e-8);
  CHECK(number(found["bound"]) <= 2.421e-8);
  CHECK(number(found["lo"]) <= 1.4142135623730950);
  CHECK(number(found["hi"]) >= 1.4142135623730951);
}

TEST_CASE("a sum that is rounded once errs by one rounding") {
  const auto bound = [](const std::string& circuit, const std::string& clauses) {
    return shown("fn f" + circuit + "\nshow bound(f) for " + clauses + "\n");
  };
  // Half a unit of the binade from 64 to 128.
  const nlohmann::json once = bound("(x: f32[n]) -> f32 = sum i: x[i] by rounded_once", "x: 0..1, n: {100}");
  CHECK(number(once["bound"]) >= 0x1p-18);
  CHECK(number(once["bound"]) <= 0x1p-18 * 1.001);
  CHECK(number(once["found"]) <= number(once["bound"]));
  CHECK(number(once["found"]) >= 0x1p-19 * 0.999);  // a sum of floats below 64 at least
  // The products are exact, too, or are rounded to 24 bits each.
  const std::string dot = "(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by ";
  CHECK(number(bound(dot + "fused(rounded_once)", "x: 0..1, y: 0..1, n: {100}")["bound"]) <= 0x1p-18 * 1.001);
  const double unfused = number(bound(dot + "rounded_once", "x: 0..1, y: 0..1, n: {100}")["bound"]);
  CHECK(unfused >= 0x1p-18 + 99 * 0x1p-25);
  CHECK(unfused <= (0x1p-18 + 101 * 0x1p-25) * 1.001);
  // Eight halves have a sum that the format has: nothing is rounded.
  CHECK(number(bound("(x: f32[n]) -> f32 = sum i: x[i] by rounded_once", "x: 1/2..1/2, n: {8}")["bound"]) == 0);
}
