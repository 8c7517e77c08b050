// `any(depth: h)` and `any(lanes: k)` as a user meets them.
#include "tests/cli/reckon_run.h"

using namespace reckon::test;
using Catch::Contains;

namespace {

const std::string circuits =
    "fn shallow(x: f32[n]) -> f32 = sum i: x[i] by any(depth: 10)\n"
    "fn laned(x: f32[n]) -> f32 = sum i: x[i] by any(lanes: 32)\n"
    "fn all(x: f32[n]) -> f32 = sum i: x[i] by any\n"
    "let x = random(f32[1000], 1)\n";

RunResult run(const std::string& items) { return reckon_here({"run", "-"}, circuits + items + "\n"); }

std::string shown(const std::string& item) {
  const RunResult result = run(item);
  INFO(item << "\n" << result.err);
  CHECK(result.status == 0);
  return result.out;
}

double bound_of(const std::string& circuit) {
  const RunResult result =
      reckon_here({"run", "-", "--format=json"}, circuits + "show " + circuit + "(x) in bound(any)\n");
  INFO(result.err);
  REQUIRE(result.status == 0);
  return std::stod(json_lines(result.out).back().at("bound").get<std::string>());
}

}  // namespace

TEST_CASE("the static bound of a limited set, by hand") {
  // (1 + 2^-24)^10 - 1 = 5.960466...e-7; 2^-24 (31 + 31) (1 + ...) = 3.695...e-6 for 32 lanes of at most 32 leaves.
  CHECK(shown("show bound(any(depth: 10), 1000, f32)") == "5.961e-7\n");
  CHECK(shown("show bound(any(lanes: 32), 1000, f32)") == "3.696e-6\n");
  // No more than any order's: 999 2^-24 and, in bf16, 999 / 256.
  CHECK(shown("show bound(any(depth: 999), 1000, f32)") == shown("show bound(any, 1000, f32)"));
  CHECK(shown("show bound(any(depth: 999), 1000, bf16)") == "3.903\n");
  CHECK(shown("show bound_dot(any(depth: 10), 1000, f32)") == "6.557e-7\n");  // one rounding more: 11
}

TEST_CASE("bound(any) gives a limited set's bound") {
  const double all = bound_of("all"), shallow = bound_of("shallow"), laned = bound_of("laned");
  CHECK(shallow == Approx(all * 10 / 999).epsilon(1e-5));
  CHECK(laned == Approx(all * 62 / 999).epsilon(1e-5));
}

TEST_CASE("a limited set is an open side of within bound") {
  const std::string pair = "fn other(x: f32[n]) -> f32 = sum i: x[i] by tree\n";
  const RunResult good = run(pair + "check shallow ~ other within bound in float for n: {1000}");
  CHECK(good.status == 0);
  CHECK_THAT(good.out, Catch::StartsWith("holds "));
  // What the set's bound forbids, and any order's allows: three halves of the bound away.
  const double shallow = bound_of("shallow");
  const RunResult far = run("fn moved(x: f32[n]) -> f32 = (sum i: x[i] by tree) + " + std::to_string(shallow * 20) +
                            "\ncheck shallow ~ moved within bound in float for n: {1000}\n"
                            "check all ~ moved within bound in float for n: {1000} trials 1");
  INFO(far.out << far.err);
  CHECK(far.status == 1);
  CHECK_THAT(far.out, Contains("fails     check shallow ~ moved") && Contains("holds     check all ~ moved"));
}

TEST_CASE("limited sets are sets: one value has no order, exact ones need none") {
  for (const char* by : {"any(depth: 10)", "any(lanes: 32)"}) {
    const std::string circuit = "fn f(x: f32[n]) -> f32 = sum i: x[i] by " + std::string(by) + "\n";
    const RunResult one = run(circuit + "show f(x)");
    CHECK(one.status == 3);
    CHECK_THAT(one.err, Contains("error[E0507]") && Contains(by) && Contains("bound(any)"));
    for (const char* in : {"exact", "interval", "fpsan"}) {
      CHECK(shown(circuit + "show f([f32(0.25), 0.5, 2, 3]) in " + in) ==
            shown("show all([f32(0.25), 0.5, 2, 3]) in " + std::string(in)));
    }
    CHECK(run("show parens(" + std::string(by) + ", 4)").err.find("error[E0507]") != std::string::npos);
    CHECK_THAT(run(circuit + "show spread(f, [1, 2])").err, Contains("follows `any`, `any_tree` and `any_seq`"));
  }
}

TEST_CASE("a height that no tree has is refused with the least one") {
  for (const char* item :
       {"show shallow(random(f32[1025], 1)) in bound(any)", "show shallow(random(f32[1025], 1)) in exact",
        "show shallow(random(f32[1025], 1))", "show bound(any(depth: 10), 1025, f32)"}) {
    const RunResult result = run(item);
    INFO(item << "\n" << result.out << result.err);
    CHECK(result.status == 3);
    CHECK_THAT(result.err,
               Contains("no tree of 1025 leaves has a height of at most 10") && Contains("`any(depth: 11)`"));
  }
  CHECK(run("show shallow(random(f32[1024], 1)) in bound(any)").status == 0);
}

TEST_CASE("a mistake in a limit says what there is") {
  const auto error = [](const std::string& by) { return run("fn f(x: f32[n]) -> f32 = sum i: x[i] by " + by).err; };
  CHECK_THAT(error("any(depht: 3)"), Contains("`any` has no limit `depht`") && Contains("did you mean `depth`?"));
  CHECK_THAT(error("any(3)"), Contains("a limit of `any` has a name") && Contains("any(depth: 10)"));
  CHECK_THAT(error("any(depth: 0)"), Contains("the depth of `any` is 0, and must be at least 1"));
  CHECK_THAT(error("any(lanes: 2.5)"), Contains("error["));
  CHECK_THAT(error("any(depth: 3, lanes: 4)"), Contains("`any` takes one limit and was given 2"));
  CHECK_THAT(error("any()"), Contains("`any` takes one limit and was given 0"));
  CHECK_THAT(error("any_tree(depth: 3)"), Contains("only `any` does"));
}
