// Elements without a value under `exact`: what leaves them, what passes them on, and where the blame goes.
#include "tests/cli/reckon_run.h"

using namespace reckon::test;

namespace {

RunResult run_items(const std::string& items) {
  const RunResult result = run_program({"run", "-"}, items, std::chrono::seconds(20));
  INFO(items << "\n" << result.err);
  return result;
}

}  // namespace

TEST_CASE("a branch that is not chosen need not have a value under exact") {
  for (const auto& [circuit, value] : {std::pair{"select(x > 0, log(x), 7)", "7\n"},
                                       {"select(x < 0, 7, sqrt(x))", "7\n"},
                                       {"select(x == 0, 1 / x, select(x < 0, 7, log(x)))", "7\n"},
                                       {"select(x < 0, f32(7), inf)", "7\n"},
                                       {"select((x < 0) or (1 / (x + 1) > 0), f32(7), 8)", "7\n"},
                                       {"sum i < 3: select(f32(i) > 0, 7 / f32(i), 0) by tree", "21/2\n"},
                                       {"max(select(x < 0, 7, log(x)), 1)", "7\n"}}) {
    const RunResult result = run_items("fn f(x: f32) -> f32 = " + std::string(circuit) + "\nshow f(-1) in exact\n");
    CHECK(result.status == 0);
    CHECK(result.out == value);
  }
}

TEST_CASE("the operation that a value is missing for is named, and not one that nobody chose") {
  const RunResult result = run_items("fn f(x: f32) -> f32 = select(x > 0, log(x), 1 / (x + 1))\nshow f(-1) in exact\n");
  CHECK(result.status == 3);
  CHECK(result.err.find("error[E0502]: division by zero has no value under `exact`\n  --> standard input:1:45") != std::string::npos);
  const RunResult word = run_items("fn f(x: f32) -> u32 = u32(sqrt(x))\nshow f(-1) in exact\n");
  CHECK(word.err.find("the square root of a negative number") != std::string::npos);
  const RunResult truth = run_items("fn f(x: f32) -> f32 = select(log(x) < 1, f32(2), 3)\nshow f(-1) in exact\n");
  CHECK(truth.err.find("the logarithm of a number that is not positive") != std::string::npos);
}

TEST_CASE("an element without a value leaves the others theirs") {
  const RunResult result = run_items(
      "fn f(x: f32[n]) -> f32[n] = for i: 1 / x[i] + sqrt(x[i])\n"
      "show f([1, 0, -1, 4]) in exact\nshow f([1, 0, -1, 4]) in interval\n");
  CHECK(result.status == 0);
  CHECK(result.out == "[2, no value, no value, 9/4]\n[[2, 2], empty, empty, [2.25, 2.25]]\n");
  CHECK(result.err.find("the result has an element without a value: division by zero has no value under `exact`") !=
        std::string::npos);
  const RunResult sums =
      run_items("fn f(x: f32[n]) -> f32[n] = scan(add) i: 1 / x[i] by seq\nshow f([1, 2, 0, 4]) in exact\n");
  CHECK(sums.out == "[1, 3/2, no value, no value]\n");
}
