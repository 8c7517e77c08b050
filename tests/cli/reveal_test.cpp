// `reckon reveal`: boxes of every kind, what is printed, and what goes wrong.
#include <cstdlib>

#include "tests/cli/reckon_run.h"

using namespace reckon::test;
using Catch::Contains;

namespace {

constexpr const char* awk = "awk '{s += $1} END {printf \"%.17g\\n\", s}'";

Json revealed(std::vector<std::string> words) {
  words.insert(words.begin(), "reveal");
  words.emplace_back("--format=json");
  const RunResult run = reckon_here(words);
  INFO(run.out << run.err);
  const auto lines = json_lines(run.out);
  REQUIRE(lines.size() == 1);
  return lines[0];
}

/// NumPy under the system's Python, which has Debian's package.
bool has_numpy() { return run_command({"/usr/bin/python3", "-c", "import numpy"}).status == 0; }

}  // namespace

TEST_CASE("reveal of a circuit of ours: its declared order") {
  const RunResult run = reckon_here({"reveal", "examples/dot.rk", "--fn", "dot_seq", "--n", "5"});
  CHECK(run.status == 0);
  CHECK(run.err.empty());
  CHECK(run.out ==
        "order      seq\n"
        "also       cub_block(4), cub_turns(1), numpy, numpy_buffered(1), numpy_buffered(4)\n"
        "tree       ((((0 1) 2) 3) 4)\n"
        "arithmetic f32  (the same bits on 50 random inputs)\n"
        "declared   the same order\n"
        "calls      4 for 5 elements, and 105 to check\n");
  for (const char* on : {"interp", "host"}) {
    const Json json = revealed({"examples/dot.rk", "--fn", "dot_wide", "--n", "1000", std::string("--on=") + on});
    CHECK(json["verdict"] == "revealed");
    CHECK(json["schedule"] == "lanes(128, tree) then tree");
    CHECK(json["names"][0] == "canonical(128)");
    CHECK(json["as_declared"] == true);
  }
}

TEST_CASE("reveal of a circuit of any format: in the one that -D names, and against the order that it declares") {
  const TemporaryFolder folder;
  const std::string file = (folder / "sum.rk").string();
  write_file(file, "fn total[T](x: T[n]) -> T = sum i: x[i] by lanes(4, tree) then tree\n");
  for (const char* format : {"f32", "f16"}) {
    const Json json = revealed({file, "--fn", "total", "--n", "6", "-D", std::string("T=") + format});
    CHECK(json["tree"] == "(((0 4) (1 5)) (2 3))");
    CHECK(json["arithmetic"] == format);
    CHECK(json["as_declared"] == true);
  }
  const RunResult without = reckon_here({"reveal", file, "--fn", "total", "--n", "6"});
  CHECK(without.status == 3);
  CHECK_THAT(without.err, Catch::Contains("the static parameter `T`"));
}

TEST_CASE("reveal -q prints the tree alone") {
  const RunResult run = reckon_here({"reveal", "--command", awk, "--n", "4", "--elements=f64", "--verify=3", "-q"});
  CHECK(run.out == "(((0 1) 2) 3)\n");
  CHECK(run.status == 0);
}

TEST_CASE("reveal says 4 where no order can be seen") {
  // Exact: integers of any length.
  const std::string exact =
      "import sys, fractions as f; print(float(sum((f.Fraction(float(x)) for x in sys.stdin), f.Fraction(0))))";
  if (run_command({"/usr/bin/python3", "-c", ""}).status != 0) return;
  const std::vector<std::string> words = {
      "reveal", "--command", "/usr/bin/python3 -c '" + exact + "'", "--n", "6", "--elements=f64", "--verify=3"};
  const RunResult run = reckon_here(words);
  CHECK(run.status == 4);
  CHECK_THAT(run.out, Contains("undecided  the box adds as if exactly: no order can be seen\n") &&
                          Contains("the exact sum, rounded once"));
  const RunResult largest = reckon_here(
      {"reveal", "--command", "awk 'NR == 1 || $1 > s {s = $1} END {printf \"%.17g\\n\", s}'", "--n", "6", "-q"});
  CHECK(largest.status == 4);
  CHECK(largest.out.empty());
  CHECK_THAT(largest.err, Contains("is not a plain sum"));
}

TEST_CASE("reveal of a mean: the order, and how it is scaled") {
  const std::string mean = "awk '{s += $1} END {printf \"%.17g\\n\", s / NR}'";
  const RunResult run = reckon_here({"reveal", "--command", mean, "--n", "6", "--elements=f64"});
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Contains("order      seq\n") && Contains("arithmetic f64  (the same bits on 50 random inputs)\n") &&
                          Contains("scaled     the sum, divided by 6 (n)\n"));
  const Json json = revealed({"--command", mean, "--n", "6", "--elements=f64", "--verify=20"});
  CHECK(json["scaling"]["operation"] == "divide");
  CHECK(json["scaling"]["where"] == "sum");
  CHECK(json["scaling"]["by"] == 6);
  CHECK(json["scaling"]["name"] == "n");
  CHECK(json["verified"] == 20);
}

TEST_CASE("reveal of many sums: of a command, and of circuits") {
  const std::string rows =
      "awk '{x[NR] = $1} END {for (i = 0; i < 3; i++) {s = 0; for (j = 1; j <= 4; j++) s += x[4 * i + j]; printf "
      "\"%.17g\\n\", s}}'";
  const RunResult run = reckon_here({"reveal", "--command", rows, "--shape=3,4", "--elements=f64"});
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Contains("outputs    3 of 3, each over x[i, :]\n") && Contains("tree       (((0 1) 2) 3)\n"));
  const TemporaryFolder folder;
  const std::string file = (folder / "rows.rk").string();
  write_file(file,
             "fn rows(x: f32[m, n]) -> f32[m] = for i: sum j: x[i, j] by halving\n"
             "fn product(x: f32[m, k], y: f32[k, n]) -> f32[m, n] = for i, j: sum l: x[i, l] * y[l, j] by tree\n");
  const Json sums = revealed({file, "--fn", "rows", "--shape=5,6"});
  REQUIRE(sums["groups"].size() == 1);
  CHECK(sums["groups"][0]["schedule"] == "halving");
  CHECK(sums["groups"][0]["over"] == "x[i, :]");
  CHECK(sums["groups"][0]["first"] == Json({0, 6, 12, 18, 24}));
  const Json products = revealed({file, "--fn", "product", "--shape=2,6", "--second-shape=6,3"});
  REQUIRE(products["groups"].size() == 1);
  CHECK(products["groups"][0]["schedule"] == "tree");
  CHECK(products["groups"][0]["over_second"] == "y[:, j]");
  CHECK(products["outputs"] == 6);
  const RunResult quiet = reckon_here({"reveal", "--shape", "2,3", file, "--fn", "rows", "-q"});
  CHECK(quiet.out == "0-1: ((0 2) 1)\n");
  const RunResult wrong = reckon_here({"reveal", file, "--fn", "rows", "--shape=6"});
  CHECK(wrong.status == 3);
  CHECK_THAT(wrong.err, Contains("`rows` does not take one tensor of 1 axes"));
  CHECK(reckon_here({"reveal", file, "--fn", "rows"}).status == 2);
  CHECK(reckon_here({"reveal", file, "--fn", "rows", "--shape=2,3", "--n=6"}).status == 2);
}

TEST_CASE("reveal: NumPy's sum is the library's `numpy`") {
  if (!has_numpy()) {
    WARN("skipped: no NumPy (python3-numpy)");
    return;
  }
  const std::string script =
      "import sys, numpy\nfor line in sys.stdin:\n    print(repr(float(numpy.sum(numpy.array(line.split(), "
      "dtype=numpy.float32)))), flush=True)\n";
  TemporaryFolder folder;
  write_file(folder / "sum.py", script);
  // 4096 as well (25,000 calls) with RECKON_TRIALS set.
  std::vector<std::string> sizes = {"7", "8", "100", "128", "1000"};
  if (std::getenv("RECKON_TRIALS")) sizes.emplace_back("4096");
  for (const std::string& n : sizes) {
    const Json json = revealed({"--lines", "--command", "/usr/bin/python3 " + (folder / "sum.py").string(), "--n", n});
    INFO(n << json.dump().substr(0, 500));
    CHECK(json["verdict"] == "revealed");
    CHECK(std::find(json["names"].begin(), json["names"].end(), "numpy") != json["names"].end());
    CHECK(json["arithmetic"] == "f32");
  }
}

TEST_CASE("reveal: what cannot be asked, and boxes that fail") {
  const auto message = [](std::vector<std::string> words, int status) {
    words.insert(words.begin(), "reveal");
    const RunResult run = reckon_here(words);
    INFO(run.err);
    CHECK(run.status == status);
    CHECK(run.out.empty());
    return run.err;
  };
  CHECK_THAT(message({"--n", "4", "--command", "echo hello"}, 3),
             Catch::StartsWith("error[E0620]: the command printed `hello`"));
  CHECK_THAT(message({"--n", "4", "--command", "exit 9", "--lines"}, 3),
             Catch::StartsWith("error[E0620]: the command ended with status 9"));
  CHECK_THAT(message({"--n", "4", "--library", "/nowhere.so", "--symbol", "f", "--signature", "f32(const f32*, n)"}, 3),
             Catch::StartsWith("error[E0621]: the library `/nowhere.so` cannot be opened"));
  CHECK_THAT(message({"--n", "300", "--command", awk, "--elements=bf16"}, 3), Contains("at most 256 elements"));
  CHECK_THAT(message({"--n", "0", "--command", awk}, 3), Contains("at least one element"));
  CHECK_THAT(message({"--n", "4", "--command", awk, "--elements=f8"}, 3), Contains("`f8` is not a format"));
  CHECK_THAT(message({"--n", "4", "examples/softmax.rk", "--fn", "naive"}, 3),
             Contains("E0621") && Contains("is no sum"));
  CHECK_THAT(message({"--n", "4", "examples/dot.rk", "--fn", "nope"}, 3), Contains("E0200"));
  CHECK_THAT(message({"--n", "4"}, 2), Contains("name one box"));
  CHECK_THAT(message({"--n", "4", "--command", awk, "--library", "x.so"}, 2), Contains("name one box"));
  CHECK_THAT(message({"--n", "4", "examples/dot.rk"}, 2), Contains("--fn"));
  CHECK_THAT(message({"--command", awk}, 2), Contains("--n"));
  TemporaryFolder folder;
  write_file(folder / "k.ptx", "// no kernel");
  const std::string ptx = (folder / "k.ptx").string();
  CHECK_THAT(message({"--n", "4", "--ptx", ptx, "--kernel", "k", "--launch", "grid=0 args=in,out,n"}, 3),
             Contains("`grid=0` does not say"));
  CHECK_THAT(message({"--n", "4", "--ptx", ptx, "--kernel", "k", "--launch", "block=32 args=in,n"}, 3),
             Contains("no `out`"));
  const RunResult run =
      run_program({"reveal", "--n", "4", "--ptx", ptx, "--kernel", "k", "--launch", "grid=1 block=32 args=in,out,n"},
                  RunOptions{.input = {}, .folder = source_folder(), .environment = {{"CUDA_VISIBLE_DEVICES", ""}}});
  CHECK(run.status == 69);
  CHECK(run.err.starts_with("error[E0900]: "));
}
