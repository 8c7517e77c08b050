// `for k in {1, 2}: show ...`: an item for several static values.
#include "tests/cli/reckon_run.h"

using namespace reckon::test;
using Catch::Contains;

namespace {

std::string lines_printed(const std::string& program) {
  const RunResult run = reckon_here({"run", "-"}, program);
  INFO(run.err);
  CHECK(run.status == 0);
  return run.out;
}

}  // namespace

TEST_CASE("an item is carried out for the values of a set, a range and a list") {
  CHECK(lines_printed("for k in {3, 10}: show k * k") == "k = 3   9\nk = 10  100\n");
  CHECK(lines_printed("for k in -1..1: show k + 1/2") == "k = -1  -1/2\nk = 0   1/2\nk = 1   3/2\n");
  CHECK(lines_printed("let sizes = [2, 4]\nfor n in sizes: show sum i < n: f32(i) by seq") ==
        "n = 2  1  f32#3f800000\nn = 4  6  f32#40c00000\n");
  CHECK(lines_printed("for k in {7}: show k") == "k = 7  7\n");
}

TEST_CASE("several names take all combinations, and a later one may depend on one before") {
  CHECK(lines_printed("for a in 1..2, b in a..2: show 10 * a + b") == "a = 1  b = 1  11\na = 1  b = 2  12\na = 2  b = 2  22\n");
  CHECK(lines_printed("for a in 1..2: for b in {a, 5}: show 10 * a + b") ==
        "a = 1  b = 1  11\na = 1  b = 5  15\na = 2  b = 2  22\na = 2  b = 5  25\n");
}

TEST_CASE("the values may be formats, schedules and circuits") {
  CHECK(lines_printed("for T in {f16, f32}: show T(2049)") == "T = f16  2048  f16#6800\nT = f32  2049  f32#45001000\n");
  CHECK(lines_printed("for S in {seq, tree}: show parens(S, 4)") == "S = seq   (((0 1) 2) 3)\nS = tree  ((0 1) (2 3))\n");
  CHECK(lines_printed("fn f(x: f32) -> f32 = x + 1\nfn g(x: f32) -> f32 = x * 2\nfor h in {f, g}: show h(3)") ==
        "h = f  4  f32#40800000\nh = g  6  f32#40c00000\n");
}

TEST_CASE("checks are repeated, each with its own verdict") {
  const std::string program =
      "fn blocks[b](x: f32[n]) -> f32 = sum i: x[i] by tile(b, seq) then seq\n"
      "fn plain(x: f32[n]) -> f32 = sum i: x[i] by seq\n"
      "for b in {2, 9}: check blocks[b] == plain in float for n: {5}\n";
  const RunResult run = reckon_here({"run", "-"}, program);
  CHECK(run.status == 1);
  CHECK_THAT(run.out, Contains("fails     b = 2  check blocks[b] == plain in float for n: {5}"));
  CHECK_THAT(run.out, Contains("holds     b = 9  check blocks[b] == plain in float for n: {5}"));

  const RunResult json = reckon_here({"run", "-", "--format=json"}, program);
  const std::vector<std::string> lines = lines_of(json.out);
  REQUIRE(lines.size() == 2);
  CHECK(Json::parse(lines[0])["given"]["b"] == "2");
  CHECK(Json::parse(lines[1])["given"]["b"] == "9");
  CHECK(Json::parse(lines[1])["text"] == "check blocks[b] == plain in float for n: {5}");
}

TEST_CASE("items before and after keep their own clauses") {
  CHECK(lines_printed("show 1\nfor k in {2}: show k\nlet t = 5\nfor k in {t}: show k; show 3") == "1\nk = 2  2\nk = 5  5\n3\n");
  CHECK(lines_printed("show 1; for k in {2}: show k") == "1\nk = 2  2\n");
  const RunResult run = reckon_here(
      {"run", "-"}, "fn f(x: f32[n]) -> f32 = sum i: x[i] by seq\ncheck f == f in float for n: {4}\nfor k in {4}: show k");
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Contains("k = 4  4"));
}

TEST_CASE("mistakes in repeated items are said once, with the values") {
  const auto error = [](const std::string& program) {
    const RunResult run = reckon_here({"run", "-"}, program);
    CHECK(run.status != 0);
    CHECK(run.out.empty());
    return run.err;
  };
  const std::string divided = error("for k in {1, 0, 0}: show 1 / k");
  CHECK_THAT(divided, Contains("this is for k = 0"));
  CHECK(divided.find("this is for") == divided.rfind("this is for"));
  CHECK_THAT(error("for k in 4..1: show k"), Contains("this range is empty"));
  CHECK_THAT(error("for k in 1..100000: show k"), Contains("at most 10000 values"));
  CHECK_THAT(error("for a in 1..200, b in 1..200: show a"), Contains("at most 10000 values"));
  CHECK_THAT(error("for k in 7: show k"), Contains("`k` takes the values of a set, a range or a list"));
  CHECK_THAT(error("for k in {1}: let x = k"), Contains("only `show` and `check` can be repeated"));
  CHECK_THAT(error("for k in {1}: save \"x.npy\" = [k, k]"), Contains("only `show` and `check` can be repeated"));
}
