// Reductions by a function of the program's own: `bound(any)`, `spread`, `attains` and `within bound` answer, or
// refuse, alike. A function that is exactly + * min or max of its operands is that operation.
#include <cmath>

#include "tests/cli/reckon_run.h"

using namespace reckon::test;
using Catch::Contains;

namespace {

const std::string circuits_of_own_functions =
    "fn plus(a: f16, b: f16) -> f16 = a + b\n"
    "fn swapped(a: f16, b: f16) -> f16 = b + a\n"
    "fn through(a: f16, b: f16) -> f16 = { let c = plus(b, a); c }\n"
    "fn times(a: f16, b: f16) -> f16 = a * b\n"
    "fn least(a: f16, b: f16) -> f16 = min(b, a)\n"
    "fn most(a: f16, b: f16) -> f16 = max(a, b)\n"
    "fn weighted(a: f16, b: f16) -> f16 = a + b * 2\n"
    "fn twice(a: f16, b: f16) -> f16 = a + a\n"
    "let x = random(f16[400], 1)\n";

RunResult run_own_functions(const std::string& items) {
  return reckon_here({"run", "-"}, circuits_of_own_functions + items + "\n");
}

Json shown_own_function(const std::string& item) {
  const RunResult result = reckon_here({"run", "-", "--format=json"}, circuits_of_own_functions + item + "\n");
  INFO(item << ": " << result.out << result.err);
  REQUIRE(result.status == 0);
  return json_lines(result.out).back();
}

double number_in(const Json& of, const char* field) {
  INFO(of.dump());
  return std::stod(of.at(field).get<std::string>());
}

}  // namespace

TEST_CASE("bound(any) of a reduction by one's own addition is that of the sum") {
  const Json sum = shown_own_function("show sum i: x[i] by tree in bound(any)");
  for (const char* function : {"plus", "swapped", "through"}) {
    const Json own = shown_own_function("show reduce(" + std::string(function) + ") i: x[i] by tree in bound(any)");
    CHECK(own["bound"] == sum["bound"]);
    CHECK(own["value"] == sum["value"]);
  }
  // (n - 1) u times the sum of |x|, and no less: Jeannerod and Rump (2013). The sum of |x| is exact in f64.
  const double magnitudes = number_in(shown_own_function("show sum i: abs(f64(x[i])) by tree"), "value");
  CHECK(number_in(sum, "bound") >= 399 * 0x1p-11 * magnitudes);
  CHECK(number_in(sum, "bound") <= 399 * 0x1p-11 * magnitudes * (1 + 1e-12));
  // The left fold errs by more than the tree's own bound allows.
  const double in_order = number_in(shown_own_function("show reduce(plus) i: x[i] by seq"), "value");
  const double exact = number_in(shown_own_function("show sum i: f64(x[i]) by tree"), "value");
  CHECK(std::fabs(in_order - exact) <= number_in(sum, "bound"));
}

TEST_CASE("a scan by one's own addition is bounded as the scan of sums is") {
  CHECK(run_own_functions("show scan(plus) i: [f16(1), 0.3, 0.7, 2][i] by seq in bound(any)").out ==
        run_own_functions("show scan(add) i: [f16(1), 0.3, 0.7, 2][i] by seq in bound(any)").out);
}

TEST_CASE("spread and attains follow one's own plain operations") {
  for (const auto& [function, builtin] :
       {std::pair{"plus", "add"}, {"swapped", "add"}, {"times", "mul"}, {"least", "min"}, {"most", "max"}}) {
    const auto asked = [&](const char* by) {
      return "fn f(x: f16[n]) -> f16 = reduce(" + std::string(by) +
             ") i: x[i] by any\nlet y = [f16(2048), 1, 3, -2048, 0.1]\n"
             "show spread(f, y)\ncheck attains(f, y, 4)";
    };
    const RunResult own = run_own_functions(asked(function)), known = run_own_functions(asked(builtin));
    INFO(function << own.err);
    CHECK(known.err.empty());
    CHECK(own.status == known.status);
    CHECK(own.out == known.out);
  }
}

TEST_CASE("within bound takes one's own addition against a result from elsewhere") {
  const RunResult result = run_own_functions(
      "fn total(x: f16[n]) -> f16 = reduce(plus) i: x[i] by tree\n"
      "check total(x) ~ f16(100) within bound in float");
  INFO(result.out << result.err);
  CHECK(result.status == 1);  // answered: 100 is no sum of these, 13.7 in reals, in any order: 39 is the largest error
  CHECK_THAT(result.out, Contains("in any order, on the right"));
}

TEST_CASE("any other function is refused by every question about all orders, in the same words") {
  const std::string open = "fn f(x: f16[n]) -> f16 = reduce(weighted) i: x[i] by any\n";
  const std::string stated = "fn f(x: f16[n]) -> f16 = reduce(weighted) i: x[i] by tree\n";
  const std::string other = "fn g(x: f16[n]) -> f16 = sum i: x[i] by tree\n";
  for (const std::string& items :
       {stated + "show f(x) in bound(any)", stated + "show scan(twice) i: x[i] by seq in bound(any)",
        open + "show spread(f, x)", open + "show attains(f, x, 4)",
        stated + "check f(x) ~ f16#0000 within bound in float",
        stated + other +
            "fn h(x: f16[n]) -> f16 = f(x) + (sum i: x[i] by any)\ncheck h(x) ~ g(x) within bound in float"}) {
    const RunResult result = run_own_functions(items);
    INFO(items << "\n" << result.out << result.err);
    CHECK(result.status == 3);
    CHECK_THAT(result.err, Contains("error[E0501]: a reduction by a function of its own has no bound over all orders"));
    CHECK_THAT(result.err, Contains("reduce(weighted) i: x[i]") || Contains("scan(twice) i: x[i]"));
  }
  CHECK(run_own_functions(stated + "show f(x) in bound").status == 0);  // the stated order has its bound
}
