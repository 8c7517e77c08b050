// `check ... for a: {2, 3}`: a static check for several values of static names.
#include "tests/cli/reckon_run.h"

using namespace reckon::test;
using Catch::Contains;
using Catch::StartsWith;

namespace {

RunResult ran(const std::string& text, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"run", "-"});
  return reckon_here(more, text + "\n");
}

}  // namespace

TEST_CASE("a static check is made for each combination of values") {
  const RunResult layouts = ran("check (a, b):(1, a) == (a * b):1 for a: {2, 3}, b: {4, 5}");
  INFO(layouts.out << layouts.err);
  CHECK(layouts.status == 0);
  CHECK(layouts.out == "holds     check (a, b):(1, a) == (a * b):1 for a: {2, 3}, b: {4, 5}  (proved; 4 cases)\n");
  CHECK_THAT(ran("check a * (a + 1) % 2 == 0 for a: 1..100").out, Contains("(proved; 100 cases)"));
  CHECK_THAT(ran("check a < b for a: 1..3, b: {4, 5}").out, Contains("(proved; 6 cases)"));
  // Complete trees of powers of two are parts of one tree.
  CHECK_THAT(ran("check (tile(k, tree) then tree) == tree for k: {2, 4}, n: {16, 32}").out, Contains("(proved; 2 cases)"));
}

TEST_CASE("the first combination of which a static check is not true is shown") {
  const RunResult run = ran("check (a, b):(1, a) == (a * b):1 for a: {2, 3}, b: {4, 5}\ncheck a * a < 50 for a: 1..10");
  const auto lines = lines_of(run.out);
  INFO(run.out << run.err);
  CHECK(run.status == 1);
  REQUIRE(lines.size() == 3);
  CHECK_THAT(lines[1], StartsWith("fails     check a * a < 50 for a: 1..10  (proved; 8 cases)"));
  CHECK_THAT(lines[2], Contains("at") && Contains("a = 8"));
  const RunResult json = ran("check 2 * a == a + 3 for a: 3..9", {"--format=json"});
  const Json evidence = json_lines(json.out).at(0)["evidence"];
  CHECK(evidence["at"] == "a = 4");
  CHECK(evidence["cases"] == 2);
  CHECK(evidence["left"] == "8");
  CHECK(evidence["right"] == "7");
}

TEST_CASE("names of inputs and dimensions are no static ones") {
  const std::string circuits = R"(
fn f(x: f32[n]) -> f32 = sum i: x[i] by seq
fn g(x: f32[n]) -> f32 = sum i: x[i] by tree
fn h(x: f32) -> f32 = x * x
)";
  for (const std::string check : {"check f == f for n: {1, 7}", "check h(x) == h(x) for x: 0..1", "check h(x) >= x - 1 for x: 0..1",
                                  "check h(x) == h(x) for x: -0.5..0.5"}) {
    const RunResult run = ran(circuits + check, {"--in", "float"});
    INFO(run.out << run.err);
    CHECK(run.status == 0);
    CHECK_THAT(run.out, StartsWith("holds ") && !Contains("case"));
  }
  CHECK_THAT(ran("check tree == tree for n: {1, 2, 4}").out, StartsWith("holds ") && !Contains("case"));
}

TEST_CASE("mistakes in static checks for several values") {
  const RunResult unknown = ran("check a * c == c for a: {1, 2}");
  INFO(unknown.err);
  CHECK(unknown.status == 3);
  CHECK_THAT(unknown.err, Contains("`c`"));
  const RunResult later = ran("check 12 // a > 0 for a: {1, 0}");
  INFO(later.err);
  CHECK(later.status == 3);
  CHECK_THAT(later.err, Contains("this is for a = 0"));
  CHECK_THAT(ran("check a == a for a: 5..1").err, Contains("this range is empty"));
  CHECK_THAT(ran("check a + b > 0 for a: 1..1000, b: 1..1000").err, Contains("at most 10000 combinations"));
}
