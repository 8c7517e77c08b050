// `reckon trace`: circuits of several sizes, and two kernels compared.
#include "tests/cli/reckon_run.h"

using namespace reckon::test;
using Catch::Contains;

namespace {

RunResult traced(std::vector<std::string> words) {
  words.insert(words.begin(), {"trace", "tests/data/ptx/kernels_sm_80.ptx"});
  return reckon_here(words);
}
const std::vector<std::string> sum{"--entry",  "sum_by_shuffles", "--block", "128",   "--arg",
                                   "x:f32[n]", "--arg",           "f32[1]",  "--arg", "n"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("reckon trace --sizes prints one circuit of several sizes, and writes a program") {
  const RunResult run = traced(with(sum, {"--sizes", "n=1000,512,300"}));
  CHECK(run.status == 0);
  CHECK_THAT(run.out,
             Contains("sizes      n = 1000; n = 512; n = 300\n") &&
                 Contains("fn kernel_sum_by_shuffles(x: f32[n]) -> f32[1] =\n"
                          "  for i < 1: (sum k < n: x[k] by lanes(128, seq) then tile(32, halving) then halving)") &&
                 Contains("equal after 18 of 18 launches at these sizes"));
  // Extents and grids are expressions of the sizes.
  const RunResult product = traced({"--entry", "product_by_tiles", "--block", "16,16", "--grid",
                                    "(n + 15) // 16,n // 16", "--arg", "a:f32[n, n]", "--arg", "b:f32[n, n]", "--arg",
                                    "f32[n, 2 * n - n]", "--arg", "n", "--sizes", "n=32,64,16", "-q"});
  CHECK(product.status == 0);
  CHECK_THAT(product.out, Contains("(sum k < n: (a[i, k] * b[k, j]) by fused(seq))"));
}

TEST_CASE("sizes at which a kernel computes in other ways have no common circuit, and wrong sizes are told") {
  // Fewer numbers than threads are added by the same schedule, whose lanes are short.
  const RunResult fewer = traced(with(sum, {"--sizes", "n=100,1000,33"}));
  CHECK_THAT(fewer.out, Contains("(sum k < n: x[k] by lanes(128, seq) then tile(32, halving) then halving)"));
  const RunResult run = traced({"--entry", "layer_norm", "--block", "32", "--arg", "x:f32[1,n]", "--arg", "f32[1,n]",
                                "--arg", "n", "--sizes", "n=33,300,256"});
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Contains("circuit    none of all: argument 1 has no regular circuit"));
  const auto refused = [](const std::vector<std::string>& more, const std::string& message) {
    const RunResult wrong = traced(with(sum, more));
    CHECK(wrong.status == 2);
    CHECK_THAT(wrong.err, Contains(message));
  };
  refused({"--sizes", "n=100,200"}, "`n=100,200` has 2 values, and at least 3 are needed");
  refused({"--sizes", "n"}, "`n` is not of the form `n=1000,512,300`");
  refused({"--sizes", "n=1,2,x"}, "is not of the form");
  refused({"--sizes", "m=1,2,3"}, "`n` is not defined");
  refused({"--sizes", "n=1,2,3", "--against", "k.ptx", "--fn", "f"}, "--sizes and --against do not go together");
  refused({"--grid", "x"}, "--grid: `x` is no number of 32 bits");
  const RunResult integers = traced({"--entry", "sum_by_shuffles", "--arg", "y:i32[4]"});
  CHECK(integers.status == 2);
  CHECK_THAT(integers.err, Contains("`y:i32[4]` is no memory of floats"));
}

TEST_CASE("reckon trace --against FILE.ptx compares two kernels: orders, algebra, and how far apart they can be") {
  const auto compared = [](const std::string& entry, const std::vector<std::string>& more) {
    return traced(with({"--entry", "sum_by_shuffles", "--block", "128", "--arg", "x:f32[1000]", "--arg", "f32[1]",
                        "--arg", "1000", "--against", "tests/data/ptx/kernels_sm_80.ptx", "--fn", entry},
                       more));
  };
  const RunResult other = compared("sum_by_halves", {"--other-block", "256"});
  CHECK(other.status == 0);
  CHECK_THAT(other.out,
             Contains("order      another one: lanes(128, seq) then tile(32, halving) then halving, and "
                      "lanes(256, seq) then halving\n") &&
                 Contains("holds     check kernel_sum_by_shuffles == other_sum_by_halves in algebra  (proved)") &&
                 Contains("apart      element 0: at most 0.00"));
  const RunResult same = compared("sum_by_shuffles", {});
  CHECK_THAT(same.out,
             Contains("order      the same: lanes(128, seq)") && Contains("apart      element 0: at most 0 for x: "));
  CHECK(compared("nothing", {}).status == 3);
  CHECK(compared("sum_by_halves", {"--other-block", "y"}).status == 2);
}
