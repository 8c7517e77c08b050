// `check f(x) ~ y within orders`, and what `within bound` would have noticed, as a user sees them.
#include "tests/cli/reckon_run.h"
#include "tests/support/sanitized.h"

using namespace reckon::test;
using Catch::Contains;

namespace {

RunResult run_with_time(const std::string& text, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"run", "-"});
  return reckon_here(with_time(more), text);
}

const std::string sums_in_orders = R"(
fn total(x: f32[n]) -> f32 = sum i: x[i] by seq
fn wide(x: f32[n]) -> f32 = sum i: x[i] by lanes(32, tree) then tree
fn dropped(x: f32[n]) -> f32 = sum i < n - 1: x[i] by tree
fn doubled(x: f32[n]) -> f32 = sum i < n + 1: x[min(i, n - 1)] by tree
fn narrow(x: f32[n]) -> f32 = f32(sum i: f16(x[i]) by seq)
fn mean(x: f32[n]) -> f32 = (sum i: x[i] by seq) / f32(n)
fn mean_without(x: f32[n]) -> f32 = (sum i < n - 1: x[i] by tree) / f32(n)
fn norm(x: f32[n]) -> f32 = sqrt(sum i: x[i] * x[i] by fused(seq))
fn norm_in_lanes(x: f32[n]) -> f32 = sqrt(sum i: x[i] * x[i] by lanes(32, seq) then halving)
fn softmax(x: f32[n]) -> f32[n] {
  let m = max i: x[i];
  let e = for i: exp(x[i] - m);
  let s = sum i: e[i] by seq;
  for i: e[i] / s
}
fn softmax_in_lanes(x: f32[n]) -> f32[n] {
  let m = max i: x[i];
  let e = for i: exp(x[i] - m);
  let s = sum i: e[i] by lanes(8, seq) then tree;
  for i: e[i] / s
}
fn product(a: f32[m, k], b: f32[k, n]) -> f32[m, n] = for i, j: sum p: a[i, p] * b[p, j] by fused(seq)
fn blocked(a: f32[m, k], b: f32[k, n]) -> f32[m, n] = for i, j: sum p: a[i, p] * b[p, j] by tile(16, seq) then tree
fn wrong(a: f32[m, k], b: f32[k, n]) -> f32[m, n] =
  for i, j: (sum p: a[i, p] * b[p, j] by tree) + select(i == 1 and j == 2, a[i, 0] * b[0, j], f32(0))
let x = normal(f32[5000], 1)
)";

int status_of(const std::string& check) {
  const RunResult run = run_with_time(sums_in_orders + "check " + check + " in float\n", {"--strict"});
  INFO(run.out << run.err);
  return run.status;
}

}  // namespace

TEST_CASE("another order is among thousands of orders, a bug is not") {
  for (const char* same : {"total(x) ~ wide(x)", "wide ~ total", "mean(x) ~ mean(x)", "norm(x) ~ norm_in_lanes(x)",
                           "softmax(x) ~ softmax_in_lanes(x)", "product ~ blocked", "norm ~ norm_in_lanes"}) {
    INFO(same);
    CHECK(status_of(std::string(same) + " within orders" +
                    (std::string(same) == "product ~ blocked" ? " for m: {3}, k: {300}, n: {3}" : "")) == 0);
  }
  for (const char* other : {"total(x) ~ dropped(x)", "total(x) ~ doubled(x)", "total(x) ~ narrow(x)", "total ~ dropped",
                            "mean(x) ~ mean_without(x)", "norm(x) ~ norm_in_lanes(x) + 1", "0.25 ~ mean(x)"}) {
    INFO(other);
    CHECK(status_of(std::string(other) + " within orders") == 1);
  }
  CHECK(status_of("product ~ wrong within orders for m: {3}, k: {300}, n: {3}") == 1);
}

TEST_CASE("a failure within orders says how far away the nearest order is, and that this is an observation") {
  const RunResult run =
      run_with_time(sums_in_orders + "check product ~ wrong within orders in float for m: {3}, k: {300}, n: {3}\n");
  CHECK_THAT(run.out, Catch::StartsWith("fails ") && Contains("(observed; 1 trial; ") &&
                          Contains(" times the spread of ") && Contains(" orders (") &&
                          Contains("\n    element  [1, 2]\n") && Contains("this is no proof\n"));
  const RunResult json =
      run_with_time(sums_in_orders + "check total(x) ~ dropped(x) within orders in float\n", {"--format=json"});
  const Json found = json_lines(json.out).at(0);
  const auto number = [&](const char* name) { return found["evidence"][name].get<double>(); };
  CHECK(found["strength"] == "observed");
  CHECK(number("orders") > 3000);
  CHECK(number("leaves") == 5000);
  CHECK(number("times") == Approx(number("distance") / number("spread")).epsilon(1e-4));
  CHECK(number("low") <= number("high"));
  // Higham and Mary's bound is far below the worst case, n u sum |x|, and above what was seen.
  CHECK(number("probable_error") < 0.1 * 5000 * 0x1p-24 * 5000);
  CHECK(number("probable_error") > number("high") - number("low"));
}

TEST_CASE("a result that is near but a number of f16, as those of the orders are not, stays open") {
  const std::string drawn = "normal(f32[50000], 3)";
  const std::string sum = run_with_time(sums_in_orders + "show total(" + drawn + ")\n").out;
  // The first element brings the sum near 32, by chance as it were.
  const std::string near = "let v = " + drawn + "\nlet near = for i: select(i == 0, v[0] + (32 - f32(" +
                           sum.substr(0, sum.find(' ')) + ")), v[i])\n";
  const RunResult run = run_with_time(sums_in_orders + near +
                                      "check wide(near) ~ 32 within orders in float\n"
                                      "check wide(near) ~ f32(32.0001) within orders in float\n"
                                      "check wide(near) ~ wide(near) within orders in float\n");
  INFO(run.out << run.err);
  const auto lines = lines_of(run.out);
  REQUIRE(lines.size() == 4);
  CHECK_THAT(lines[0], Catch::StartsWith("undecided ") && Contains("less than 0.1 times the spread of "));
  CHECK_THAT(lines[1], Contains("32 is a number of f16, as fewer than one in 100 of the orders' results are"));
  CHECK_THAT(lines[2], Catch::StartsWith("holds "));
  CHECK_THAT(lines[3], Catch::StartsWith("holds "));
}

TEST_CASE("exact sums have one result, and few leaves are searched in full") {
  CHECK(status_of("total([1, 2, 3, 4]) ~ 10 within orders") == 0);
  CHECK(status_of("total([1, 2, 3, 4]) ~ f32(10.000001) within orders") == 1);
  const RunResult run = run_with_time(sums_in_orders + "check total([1, 2, 3, 4]) ~ 11 within orders in float\n");
  CHECK_THAT(run.out, Contains("not the result of all ") && Contains(" orders (10)"));
  // 2^24 and three units: 16777216, 16777218 (two units first), 16777220 (all three first, a tie to even).
  for (const char* sum : {"16777216", "16777218", "16777220"}) {
    CHECK(status_of("total([f32(16777216), 1, 1, 1]) ~ " + std::string(sum) + " within orders") == 0);
  }
  CHECK(status_of("total([f32(16777216), 1, 1, 1]) ~ 16777300 within orders") == 1);
}

TEST_CASE("within orders is about one of the sets, or of the circuit's own") {
  // Neighbours cancel; trees in place find 2 each time that they meet, and no order in place gives 4000.
  const std::string text =
      "fn total(x: f32[n]) -> f32 = sum i: x[i] by seq\nfn spec(x: f32[n]) -> f32 = sum i: x[i] by any_tree\n"
      "fn any_order(x: f32[n]) -> f32 = sum i: x[i] by any\n"
      "let x = for i < 400: select(i < 200, f32(16777216), f32(-16777216)) + f32(0)\n";
  const auto check = [&](const std::string& line) {
    return run_with_time(text + "check " + line + " in float\n", {"--strict"}).status;
  };
  CHECK(check("total(x) ~ 0 within orders by any_tree") == 0);
  CHECK(check("total(x) ~ 0 within orders by any_seq") == 0);
  CHECK(check("spec(x) ~ 0 within orders") == 0);
  CHECK(check("any_order(x) ~ 0 within orders") == 0);
  CHECK(check("any_order(x) ~ 100000000 within orders") == 1);
}

TEST_CASE("what within orders has no answer to") {
  const auto says = [&](const std::string& check, const char* what) {
    const RunResult run = run_with_time(sums_in_orders +
                                        "fn variance(x: f32[n]) -> f32 {\n  let m = mean(x);\n"
                                        "  sum i: (x[i] - m) * (x[i] - m)\n}\n" +
                                        "check " + check + "\n");
    INFO(run.err);
    CHECK(run.status == 3);
    CHECK_THAT(run.err, Contains(what));
  };
  says("variance(x) ~ 1 within orders in float", "the leaves of this sum are made of sums");
  says("total(x) ~ 1 within orders by seq in float",
       "`within orders` tries the orders of `any`, `any_tree` or `any_seq`, and this is `seq`");
  says("total(x) ~ 1 within orders in interval", "`within orders` asks what the rounding of `float` explains");
  says("1 ~ 2 within orders in float", "no side of this check is computed by a circuit");
  says("total(x) within orders in float", "`within orders` compares two results, and this check has one");
  says("softmax(x) ~ [1, 2] within orders in float", "the results have shapes [5000] and [2]");
  says("x[0] + x[1] ~ 1 within orders in float", "this circuit has no sum");
}

TEST_CASE("a success within bound shows what is allowed, and what would have gone unnoticed") {
  // Two orders of one sum, and the bounds of both: 100 leaves, some 1e-5 of the result.
  const RunResult good = run_with_time(sums_in_orders + "check total ~ wide within bound in float for n: {100}\n");
  CHECK_THAT(good.out, Catch::StartsWith("holds ") && Contains("; allows ") && Contains(" % of the result); ") &&
                           Contains("a dropped leaf would have shown for 100 of 100; an f16 accumulator would)"));
  // From elsewhere, in any order: (n - 1) u sum |x| is about 5000 2^-24 5000 0.8 = 1.2, and what the left side errs;
  // most leaves are smaller.
  const RunResult run = run_with_time(sums_in_orders +
                                      "check total(x) ~ wide(x) + f32(0.5) - f32(0.5) within bound in float\n"
                                      "check total(x) ~ f32(" +
                                      [] {
                                        const std::string sum = run_with_time(sums_in_orders + "show total(x)\n").out;
                                        return sum.substr(0, sum.find(' '));
                                      }() +
                                      ") within bound in float\n");
  const auto lines = lines_of(run.out);
  REQUIRE(lines.size() == 3);
  CHECK_THAT(lines[1], Catch::StartsWith("undecided ") && Contains("no power: allows 1.3 (") &&
                           Contains("; an f16 accumulator would"));
  CHECK_THAT(lines[2], Contains("ask `within orders`"));
  const Json found =
      json_lines(
          run_with_time(sums_in_orders + "check total ~ wide within bound in float for n: {100}\n", {"--format=json"})
              .out)
          .at(0);
  CHECK(found["evidence"]["leaves"] == 100);
  CHECK(found["evidence"]["leaves_shown"] == 100);
  CHECK(found["evidence"]["allowed"].get<double>() < 1e-4);
  // Functions of a sum have leaves, too; where there is no one sum, the allowance alone is said.
  CHECK_THAT(run_with_time(sums_in_orders + "check mean ~ mean within bound in float for n: {50}\n").out,
             Contains("a dropped leaf would have shown for 50 of 50"));
  const RunResult third = run_with_time("fn third(x: f32) -> f32 = x / 3\ncheck third ~ third within bound in float\n");
  CHECK_THAT(third.out, Catch::StartsWith("holds ") && Contains("; allows ") && !Contains("leaf"));
  // A leaf that is 0 is nothing that could be missed.
  CHECK_THAT(run_with_time(sums_in_orders + "check total([1, 0, 0, 0, 0.1]) ~ 1.1 within bound in float\n").out,
             Catch::StartsWith("holds ") && Contains("would have shown for 2 of 2 (3 more are 0)"));
}

TEST_CASE("the order of a result from elsewhere can be named") {
  const std::string text =
      "import \"schedules\"\n" + sums_in_orders + "fn by_numpy(x: f32[n]) -> f32 = sum i: x[i] by numpy\n";
  const std::string shown = run_with_time(text + "show by_numpy(x)\n").out;
  const std::string sum = shown.substr(shown.find("f32#"), 12);
  const auto check = [&](const std::string& line) {
    return run_with_time(text + "check " + line + " in float\n", {"--strict"});
  };
  CHECK(check("total(x) ~ " + sum + " within bound by numpy").status == 0);
  CHECK(check(sum + " ~ total(x) within bound by numpy").status == 0);
  CHECK(check("total(x) ~ " + sum + " within bound").status == 4);  // in any order: no power
  CHECK(check("total(x) ~ " + sum + " within bound by any_tree").status == 4);
  const RunResult bad = check("total(x) ~ " + sum + " + f32(0.01) within bound by numpy");
  CHECK(bad.status == 3);  // two circuits: both state their orders
  CHECK_THAT(bad.err, Contains("both sides of this check are circuits"));
  const RunResult far = check("total(x) ~ 1 within bound by numpy");
  CHECK(far.status == 1);
  CHECK_THAT(far.out, Contains(", by numpy, on the right; the difference is ") &&
                          Contains("no rounding explains this, of sums by numpy"));
  CHECK(check("norm(x) ~ 70.8 within bound by fused(tree)").status == 1);
  CHECK_THAT(check("total(x) ~ 1 within bound by fused(seq)").err, Contains("the leaf of this sum is no product"));
  CHECK_THAT(check("x[0] ~ 1 + x[1] within bound by seq").err,
             Contains("the circuit has no sum that could be by `seq`"));
}

TEST_CASE("results of several runs are told apart by what some order gives") {
  const std::string text = R"(
fn total(x: f32[n]) -> f32 = sum i: x[i] by any
fn rows(a: f32[m, n]) -> f32[m] = for i: sum j: a[i, j] by any
let x = [f32(16777216), 3, 3, -16777216]
)";
  CHECK(run_with_time(text + "check attains(total, x, [6, 7, 8])\n").status == 0);
  const RunResult run = run_with_time(text + "check attains(total, x, [6, 5, 6, 7, 5])\n");
  CHECK(run.status == 1);
  const auto lines = lines_of(run.out);
  REQUIRE(lines.size() == 5);
  CHECK(lines[0] == "fails     check attains(total, x, [6, 5, 6, 7, 5])  (proved; 3 of 5 runs attained)");
  CHECK(lines[1] == "    result  runs  attained");
  CHECK(lines[2] == "    5       1, 4  no");
  CHECK_THAT(lines[3], Catch::StartsWith("    6       0, 2  yes, by '("));
  CHECK_THAT(lines[4], Catch::StartsWith("    7       3     yes, by '("));
  const Json found =
      json_lines(run_with_time(text + "check attains(total, x, [6, 5, 6, 7, 5])\n", {"--format=json"}).out).at(0);
  CHECK(found["verdict"] == "fails");
  REQUIRE(found["runs"].size() == 5);
  CHECK(found["runs"][1] ==
        Json({{"run", 1}, {"value", "5"}, {"hex", "0x1.4p+2"}, {"bits", "40a00000"}, {"attained", "no"}}));
  CHECK(found["runs"][2]["attained"] == "yes");
  CHECK(found["runs"][2].contains("witness"));

  // Tensors: one dimension more in front. Row [2^24, 1, -2^24] gives 0 or 1, row [1, 2, 3] gives 6.
  const std::string matrix = "[[f32(16777216), 1, -16777216], [1, 2, 3]]";
  CHECK(run_with_time(text + "check attains(rows, " + matrix + ", [[0, 6], [1, 6]])\n").status == 0);
  const RunResult tensors = run_with_time(text + "check attains(rows, " + matrix + ", [[0, 6], [2, 6]])\n");
  CHECK(tensors.status == 1);
  CHECK_THAT(tensors.out,
             Contains("3 of 4 elements of 2 runs attained") && Contains("\n    [0]      2       1     no\n"));
  const RunResult shape = run_with_time(text + "check attains(rows, " + matrix + ", [[0, 6, 1]])\n");
  CHECK(shape.status == 3);
  CHECK_THAT(shape.err, Contains("the values asked for have the shape [1, 3], and the circuit's result has [2]"));
  CHECK(run_with_time(text + "show attains(total, x, [6, 5])\n").out == "[6: yes, 5: no]\n");

  // Long tables are cut in text, and whole in JSON.
  const std::string many = text + "check attains(total, x, for i < 40: f32(i))\n";
  CHECK_THAT(run_with_time(many).out, Contains("\n    and 24 more rows, which `--format=json` has\n"));
  CHECK(json_lines(run_with_time(many, {"--format=json"}).out).at(0)["runs"].size() == 40);
}
