// `check ... for a > 0`: static claims about all positive integers, proved, refuted or left open.
#include "tests/cli/reckon_run.h"

using namespace reckon::test;
using Catch::Contains;

TEST_CASE("a claim about layouts of all sizes is proved where both sides have one form") {
  for (const char* claim : {
           "(a, b):(1, a) == (a * b):1 for a > 0, b > 0",
           "column_major((a, b)) == a * b for a > 0, b > 0",
           "(2, a, b):(1, 2, 2 * a) == (2 * a * b):1 for a > 0, b > 0",
           "coalesce((4, a):(1, 4)) == 4 * a for a > 0",
           "size((a, b):(b, 1)) == a * b for a > 0, b > 0",
           "compose((4, a):(1, 4), (4, a):(1, 4)) == (4 * a):1 for a > 0",
           "logical_divide(4 * a, 4) == (4, a):(1, 4) for a > 0",
           "a * (b + 1) == a * b + a for a > 0, b > 0",
       }) {
    const RunResult run = run_text(std::string("check ") + claim + "\n");
    INFO(run.out << run.err);
    CHECK(run.status == 0);
    CHECK_THAT(run.out, Catch::StartsWith("holds ") && Contains("(proved; for all a"));
  }
}

TEST_CASE("an inequality is proved for all sizes where no coefficient is negative") {
  for (const char* claim : {"a * b >= a for a > 0, b > 0", "size((a, b):(1, a)) > 0 for a > 0, b > 0",
                            "(a + b) * (a + b) >= 4 * a or a * b + 1 > b for a > 0, b > 0", "a % 4 < a + 4 for a > 0",
                            "min(a, b) >= 1 and max(a, b - 5) >= 1 for a > 0, b > 0", "a // 2 != a + 1 for a > 0"}) {
    const RunResult run = run_text(std::string("check ") + claim + "\n");
    INFO(run.out << run.err);
    CHECK_THAT(run.out, Catch::StartsWith("holds ") && Contains("(proved; for all a"));
  }
  CHECK_THAT(run_text("check a * b > a for a > 0, b > 0\n").out, Contains("at       a = 1, b = 1"));
}

TEST_CASE("a claim that some sizes refute is refuted at the first of them") {
  const RunResult run = run_text("check (a, b):(b, 1) == (a * b):1 for a > 0, b > 0\n");
  CHECK(run.status == 1);
  // (1, b):(b, 1) is b:1, and (2, 1):(1, 1) is 2:1; of (2, 2):(2, 1) the second element is at 2.
  CHECK_THAT(run.out, Catch::StartsWith("fails ") && Contains("at       a = 2, b = 2"));
  CHECK(run_text("check (a, 3):(3, 1) == (3, a):(a, 1) for a > 0\n").status == 1);
}

TEST_CASE("a claim that is true of small sizes and has no proof is not decided") {
  // 2^a is above a for every a, and no rule knows powers of an unknown number.
  const RunResult run =
      run_text("let power(k) = if k == 0 { 1 } else { 2 * power(k - 1) }\ncheck power(a) > a for a > 0\n",
               {"--strict"});
  CHECK(run.status == 4);
  CHECK_THAT(run.out, Catch::StartsWith("undecided ") && Contains("64 cases") &&
                          Contains("it holds for a up to 64, and is not decided for all a > 0"));
  // Only for even a.
  CHECK(run_text("check logical_divide(a, 2) == (2, a // 2):(1, 2) for a > 0\n").status == 3);
}

TEST_CASE("signs of the inputs of circuits are no sizes") {
  const char* text =
      "fn f(x: f32) -> f32 = abs(x)\nfn g(x: f32) -> f32 = x\nfn h(x: f32[n]) -> f32 = sum i: abs(x[i])\n"
      "fn k(x: f32[n]) -> f32 = sum i: x[i]\n"
      "check f(x) == g(x) in exact for x > 0\ncheck h(x) == k(x) in exact for x > 0, n: {3}\n";
  CHECK(run_text(text).status == 0);
}
