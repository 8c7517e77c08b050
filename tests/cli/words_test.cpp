// A u32 is one integer: where a semantics cannot decide which, there is no result and no proof.
#include "tests/cli/reckon_run.h"

using namespace reckon::test;

namespace {

const std::string definitions =
    "fn sign(x: f32) -> u32 = select(x > 0, u32(1), 0)\n"
    "fn larger(x: f32, y: f32) -> u32 = select(x + y > x, u32(7), 5)\n"
    "fn chosen(x: f32, y: f32) -> f32 = [f32(10), 20][select(x + y > x, u32(1), 0)]\n";

RunResult run(const std::string& item) { return reckon_here({"run", "-"}, definitions + item + "\n"); }

}  // namespace

TEST_CASE("a u32 that depends on an undecided comparison is an error, and proves nothing") {
  // The interval of sign over -1..1 is {0, 1}; the sum of 1e8 and 0.1 in f32 may or may not be above 1e8.
  for (const char* item : {"check sign(x) within 0..0 in interval for x: -1..1", "check sign(x) within 1..1 in interval for x: -1..1",
                           "show larger(1e8, 0.1) in interval(f32)", "show chosen(1e8, 0.1) in interval(f32)"}) {
    INFO(item);
    const RunResult result = run(item);
    CHECK(result.status != 0);
    CHECK_THAT(result.out, !Catch::Contains("holds"));
    CHECK_THAT(result.out + result.err, Catch::Contains("depends on a comparison that `interval"));
  }
}

TEST_CASE("a u32 that a decided comparison chooses has a value") {
  CHECK(run("check sign(x) within 1..1 in interval for x: 0.5..1").status == 0);
  CHECK(run("show larger(1e8, 100) in interval(f32)").out == "7\n");
  CHECK(run("show larger(1e8, 0.1)").out == "5  u32#00000005\n");
  CHECK(run("fn same(x: f32) -> f32 = select(x > 0, f32(1), 0)\nshow same(0.1) in interval").status == 0);
}

TEST_CASE("no probability of error is claimed for integers that comparisons choose") {
  const RunResult result = run("fn other(x: f32) -> u32 = select(x > 0 and x != 1, u32(1), 0)\ncheck other == sign in padic");
  CHECK_THAT(result.out, Catch::Contains("probability of error: none proven"));
  const RunResult floats = run(
      "fn a(x: f32) -> f32 = f32(select(x > 0 and x != 1, u32(1), 0))\nfn b(x: f32) -> f32 = f32(sign(x))\ncheck a == b in padic");
  CHECK_THAT(floats.out, Catch::Contains("probability of error: none proven"));
}

TEST_CASE("a list of truth values is a tensor of them") {
  const std::string masked = "fn masked(x: f32[n], m: bool[n]) -> f32[n] = for i: select(m[i], x[i], 0)\n";
  CHECK(run(masked + "show masked([1, 2], [true, false])").out == "[1, 0]\n");
  const RunResult on_host = reckon_here({"call", "-", "--fn", "second", "--on=host", "--arg", "x=1,2"},
                                        masked + "fn second(x: f32[2]) -> f32[2] = masked(x, [false, true])\n");
  CHECK(on_host.out == "[0, 2]\n");
}

TEST_CASE("numbers that meet no integer type are told how to") {
  const std::string counts = "fn counts(x: u8[n]) -> i32[4] = for k < 4: sum i where x[i] == k: ";
  const RunResult bare = run(counts + "1");
  CHECK(bare.status == 3);
  CHECK_THAT(bare.err, Catch::Contains("help: give its numbers that type: `i32(1)` in the place of `1`"));
  CHECK(run(counts + "i32(1)\nshow counts([0, 3, 3, 9])").out == "[1, 0, 0, 2]\n");
}
