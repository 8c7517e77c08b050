// `leaf_order(S, n)`, and lists of known numbers in checks.
#include "tests/cli/reckon_run.h"

using namespace reckon::test;
using Catch::Contains;

TEST_CASE("the leaves of a tree from left to right are a list") {
  // The trees are those that docs/schedules.md defines: lanes(4, tree) then tree of 6 leaves is (((0 4) (1 5)) (2 3)).
  const RunResult run = run_text(
      "let order = leaf_order(lanes(4, tree) then tree, 6)\n"
      "show order\nshow order[1]\nshow leaf_order(seq, 1)\nshow leaf_order(parens(split(2, seq, seq), 4))\n"
      "check order == [0, 4, 1, 5, 2, 3]\ncheck leaf_order(tree, 5) == leaf_order(seq, 5)\n"
      "for k in leaf_order(seq, 2): show k\n");
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Catch::StartsWith("[0, 4, 1, 5, 2, 3]\n4\n[0]\n[0, 1, 2, 3]\nholds ") && Contains("(proved)"));
  CHECK_THAT(run_text("show leaf_order(seq, 200000)\n").err,
             Contains("error[E0214]") || Contains("a tree of 200000 leaves is too large to write out"));
}

TEST_CASE("lists of known numbers are compared whole") {
  CHECK(run_text("check [0, 1] == [0, 1]\ncheck [[1, 2], [3]] == [[1, 2], [3]]\ncheck [true] == [true]\n").status == 0);
  const RunResult differs = run_text("check [0, 1] == [0, 2]\n");
  CHECK(differs.status == 1);
  CHECK_THAT(differs.out, Contains("left     [0, 1]") && Contains("right    [0, 2]"));
  CHECK(run_text("check [0, 1] == [0, 1, 2]\n").status == 1);
}
