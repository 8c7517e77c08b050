// `check f ~ g within bound` as a user sees it.
#include "tests/cli/reckon_run.h"

using namespace reckon::test;
using Catch::Contains;

namespace {

// The second has one wrong term in one element: a[1, 0] counts twice in result [1, 2].
constexpr const char* products = R"(
fn product(a: f32[m, k], b: f32[k, n]) -> f32[m, n] = for i, j: sum p: a[i, p] * b[p, j] by fused(seq)
fn blocked(a: f32[m, k], b: f32[k, n]) -> f32[m, n] = for i, j: sum p: a[i, p] * b[p, j] by tile(4, seq) then tree
fn wrong(a: f32[m, k], b: f32[k, n]) -> f32[m, n] =
  for i, j: (sum p: a[i, p] * b[p, j] by tree) + select(i == 1 and j == 2, a[i, 0] * b[0, j], f32(0))
)";

const std::string sizes_of_products = " for m: {3}, k: {40}, n: {3}\n";

}  // namespace

TEST_CASE("another order of a matrix product is explained by rounding, a wrong term is not") {
  const RunResult good = run_text(products + ("check product ~ blocked within bound in float" + sizes_of_products));
  CHECK(good.status == 0);
  CHECK_THAT(good.out, Catch::StartsWith("holds ") && Contains("; largest difference "));
  const RunResult bad = run_text(products + ("check product ~ wrong within bound in float" + sizes_of_products));
  CHECK(bad.status == 1);
  CHECK_THAT(bad.out,
             Catch::StartsWith("fails ") && Contains("\n    element  [1, 2]\n") && Contains("\n    left     ") &&
                 Contains("\n    right    ") && Contains(" ulp\n") && Contains("\n    allowed  ") &&
                 Contains("; the difference is ") &&
                 Contains("\n    note     no rounding explains this: the two sides compute different things\n"));
}

TEST_CASE("a failure and a success within bound in JSON") {
  const RunResult bad =
      run_text(products + ("check product ~ wrong within bound in float" + sizes_of_products), {"--format=json"});
  const Json found = json_lines(bad.out).at(0)["counterexample"];
  const auto number = [&](const char* name) { return found[name].get<double>(); };
  const double left = std::stod(found["left"]["hex"].get<std::string>()),
               right = std::stod(found["right"]["hex"].get<std::string>());
  CHECK(number("difference") == Approx(std::abs(left - right)).epsilon(1e-12));
  CHECK(number("allowed") == Approx(number("allowed_left") + number("allowed_right")).epsilon(1e-12));
  CHECK(number("allowed") > 0);
  CHECK(number("difference") > number("allowed"));
  CHECK(found["element"] == Json::array({1, 2}));
  CHECK(found["allowance"].get<std::string>().find(" in all: ") != std::string::npos);

  const RunResult good =
      run_text(products + ("check product ~ blocked within bound in float" + sizes_of_products), {"--format=json"});
  CHECK(json_lines(good.out).at(0)["evidence"]["largest_difference"].get<double>() > 0);
}

TEST_CASE("a result from elsewhere may be any order's, and no more") {
  const std::string text = R"(
fn total(x: f32[n]) -> f32 = sum i: x[i] by seq
let x = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
)";
  const auto status = [&](const std::string& check) { return run_text(text + "check " + check + "\n").status; };
  CHECK(status("total(x) ~ 2.8 within bound in float") == 0);
  CHECK(status("2.8 ~ total(x) within bound in float") == 0);
  // 6 u sum |x| = 1.0e-6 in any order, and as much as 1.3e-7 of this one's own error.
  CHECK(status("total(x) ~ 2.8000008 within bound in float") == 0);
  CHECK(status("total(x) ~ 2.8000017 within bound in float") == 1);
  CHECK(status("total(x) ~ -2.8 within bound in float") == 1);
  const RunResult run = run_text(text + "check total(x) ~ 3 within bound in float\n");
  CHECK_THAT(run.out, Contains(", in any order, on the right; the difference is ") &&
                          Contains("no rounding explains this, in any order of the sums"));
  CHECK(status("total(x) ~ inf within bound in float") == 1);
  CHECK(status("total(x) ~ nan within bound in float") == 1);
  // Signs are no arithmetic.
  CHECK(status("total([-0.1, -0.2, 0.7]) ~ 0.4 within bound in float") == 0);
  CHECK(status("for i: total([-0.1, -0.2, -0.7]) * f32(i + 1) ~ [-1, -2] within bound in float") != 0);
}

TEST_CASE("numbers without a format take that of the other side") {
  const std::string text = "fn third(x: f32) -> f32 = x / 3\nfn thirds(x: f32[n]) -> f32[n] = for i: x[i] / 3\n";
  const auto status = [&](const std::string& check) { return run_text(text + "check " + check + "\n").status; };
  CHECK(status("third(1) ~ 0.3333 within 1e-4 in float") == 0);
  CHECK(status("0.3333 ~ third(1) within 1e-4 in float") == 0);
  CHECK(status("third(1) ~ 0.3333 within 1e-5 in float") == 1);
  CHECK(status("thirds([3, -6]) == [1, -2] in float") == 0);
  CHECK(status("thirds([3, -6]) ~ [1, -2] within bound in float") == 0);
  CHECK(status("thirds([3, -6]) ~ [1, -2.5] within bound in float") == 1);
  CHECK(status("third(1) ~ f64(0.3333) within 1e-4 in float") == 3);  // a format of its own
}

TEST_CASE("where a sum may overflow nothing is decided") {
  const std::string text = "fn total(x: f32[n]) -> f32 = sum i: x[i] by seq\n";
  const RunResult run = run_text(text + "check total([3e38, 3e38, -3e38]) ~ 3e38 within bound in float\n");
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Catch::StartsWith("undecided ") &&
                          Contains("there is no bound on a result: inf  +- unbounded (overflow)"));
  CHECK(run_text(text + "check total([3e38, 3e38, -3e38]) ~ 3e38 within bound in float\n", {"--strict"}).status == 4);
}

TEST_CASE("a specification may leave the order open") {
  const std::string text =
      "fn spec(x: f32[n]) -> f32 = sum i: x[i] by any\nfn total(x: f32[n]) -> f32 = sum i: x[i] by seq\n"
      "fn wrong(x: f32[n]) -> f32 = sum i < n - 1: x[i] by seq\n";
  CHECK(run_text(text + "check spec ~ total within bound in float for n: {2, 100}\n").status == 0);
  CHECK(run_text(text + "check spec ~ spec within bound in float\n").status == 0);
  const RunResult bad = run_text(text + "check spec ~ wrong within bound in float for n: {100}\n");
  CHECK(bad.status == 1);
  CHECK_THAT(bad.out, Contains(", in any order, on the left and "));
}

TEST_CASE("of several results, the one is named that no rounding explains") {
  const RunResult run = run_text(
      "fn f(x: f32[n]) -> (f32, f32) = (sum i: x[i] by seq, sum i: x[i] * x[i] by tree)\n"
      "fn g(x: f32[n]) -> (f32, f32) = (sum i: x[i] by tree, sum i: 2 * x[i] * x[i] by seq)\n"
      "check f ~ g within bound in float\n");
  CHECK(run.status == 1);
  CHECK_THAT(run.out, Contains("note     these are part 2 of the 2 results\n"));
}
