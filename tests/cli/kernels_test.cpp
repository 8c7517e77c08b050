// Kernels: what they state is in the plan, changes no result, or is refused when it is compiled for a GPU.
#include "tests/cli/reckon_run.h"
#include "tests/support/golden.h"

using namespace reckon::test;
using Catch::Contains;

namespace {

constexpr const char* stated = "tests/data/kernels.rk";

RunResult compile(const std::string& kernel, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"compile", stated, "--fn", kernel});
  return reckon_here(more);
}

Json plan(const std::string& kernel, std::vector<std::string> more = {}) {
  more.insert(more.begin(), "--emit=plan");
  const RunResult run = compile(kernel, more);
  INFO(kernel << run.err);
  REQUIRE(run.status == 0);
  return Json::parse(run.out)["kernels"];
}

}  // namespace

TEST_CASE("kernels: what a circuit does not allow is one error at its clause") {
  const std::vector<std::string> sizes{"-Dm=128", "-Dn=128", "-Dk=128"};
  std::string all;
  for (const std::string kernel :
       {"unordered", "short_runs", "of_two", "of_rows_too", "of_rows", "of_elements", "of_columns", "uneven_rows",
        "crowded_rows", "deep", "ragged", "odd", "crowded", "full", "threefold", "unusual", "tensor_tiles", "tensor_threads"}) {
    INFO(kernel);
    const RunResult run = compile(kernel, {"--emit=plan"});
    CHECK(run.status == 3);
    CHECK(run.out.empty());
    CHECK_THAT(run.err, Contains("error[E0701]") && Contains("--> " + std::string(stated)));
    CHECK(run.err.find("error[", 6) == std::string::npos);
    all += kernel + "\n" + run.err;
    // No other target minds.
    CHECK(compile(kernel, {"--target=host", "--emit=llvm"}).status == 0);
    CHECK(compile(kernel, {"--emit=ir"}).status == 0);
  }
  check_golden("cli/kernels.txt", all);
  // Under other semantics numbers take more room.
  CHECK(compile("sized", {"-Dt=64", "-Dd=16"}).status == 0);
  const RunResult wide = compile("sized", {"-Dt=64", "-Dd=16", "--in=interval"});
  CHECK(wide.status == 3);
  CHECK_THAT(wide.err, Contains("error[E0701]: a thread has 255 registers, and 64 sums of 16 bytes"));
}

TEST_CASE("kernels: a stated tile is the plan's") {
  const Json square = plan("sized", {"-Dt=64", "-Dd=8"});
  REQUIRE(square.size() == 1);
  CHECK(square[0]["name"] == "reckon_sized_0");
  CHECK(square[0]["threads"] == 64);
  CHECK(square[0]["items"] == Json({"(m + 63) // 64", "(n + 63) // 64"}));
  CHECK(square[0]["shared_bytes"] == 2 * 2 * 8 * (64 + 4) * 4);
  const Json small = plan("sized", {"-Dt=32", "-Dd=16"});
  CHECK(small[0]["threads"] == 32);
  CHECK(small[0]["items"][0] == "(m + 31) // 32");
  CHECK(small[0]["shared_bytes"] == 2 * 2 * 16 * (32 + 4) * 4);
  // However small the sizes.
  CHECK(plan("sized", {"-Dt=32", "-Dd=16", "-Dm=3", "-Dn=5", "-Dk=7"})[0]["items"] == Json({1, 1}));
  // What follows from threads and values.
  const Json follows = plan("by_threads");
  CHECK(follows[0]["threads"] == 128);
  CHECK(follows[0]["items"] == Json({"(m + 63) // 64", "(n + 63) // 64"}));
  CHECK(plan("half_full")[0]["threads"] == 256);
  const Json scored = plan("scored");
  CHECK(scored[0]["threads"] == 64);
  CHECK(scored[1]["threads"] == 256);
}

TEST_CASE("kernels: bounds of registers are in the PTX") {
  CHECK_THAT(reckon_here({"compile", "tests/gpu/kernels.rk", "--fn", "uneven"}).out,
             Contains(".maxntid 128") && Contains(".minnctapersm 3"));
  CHECK_THAT(reckon_here({"compile", "tests/gpu/kernels.rk", "--fn", "sums_by_warp"}).out,
             Contains(".maxntid 32") && Contains(".minnctapersm 16"));
}

TEST_CASE("kernels: ptxas accepts every one, without registers in memory") {
  if (run_command({"ptxas", "--version"}).status != 0) {
    WARN("ptxas was not found: no PTX was assembled");
    return;
  }
  const TemporaryFolder folder;
  const std::string file = (folder / "kernel.ptx").string();
  for (const std::string kernel :
       {"square", "laid", "uneven", "narrow", "deep", "by_four", "sums_by_warp", "sums_by_many", "total_by_few"}) {
    const RunResult run = reckon_here({"compile", "tests/gpu/kernels.rk", "--fn", kernel, "-o", file});
    INFO(kernel << run.err);
    REQUIRE(run.status == 0);
    const RunResult result = run_command({"ptxas", "-arch=sm_90", "-v", "-o", "/dev/null", file});
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK_THAT(result.err, Contains(" 0 bytes spill stores"));
  }
}

TEST_CASE("kernels: names wherever circuits have them") {
  const std::vector<std::string> arguments{"--arg", "a=@a.npy", "--arg", "b=@b.npy"};
  const RunResult run = reckon_here({"run", "-"}, R"(
import "tests/data/kernels"
kernel mine = matmul with tile(64, 64)
let kernel = 5
fn with_one(kernel: f32[n, n]) -> f32[n, n] = mine(kernel, sized[32, 8](kernel, kernel))
show kernel
show mine([[1, 2], [3, 4]], [[1, 0], [0, 1]])
show with_one([[1, 1], [0, 1]])
check mine == matmul in float for m: {2}, n: {3}, k: {1, 5}
check sized[64, 8] == mine in fpsan for m: {2}, n: {3}, k: {1, 5}
)");
  INFO(run.err);
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Contains("5\n[[1, 2],\n [3, 4]]\n[[1, 3],\n [0, 1]]\nholds") && !Contains("fails"));
  const RunResult called =
      reckon_here({"call", stated, "--fn", "sized", "-D", "t=64", "-D", "d=8", "--arg", "a=2", "--arg", "b=3"});
  CHECK(called.status != 70);
  const RunResult bench = reckon_here(
      {"bench", stated, "--fn", "sized", "-Dt=64", "-Dd=8", "-Dm=4", "-Dn=4", "-Dk=4", "--seconds=0.01", "--on=host"});
  INFO(bench.err);
  CHECK(bench.status == 0);
  CHECK_THAT(bench.out, Contains("sized, float, host"));
  CHECK_THAT(compile("sizd").err, Contains("did you mean `sized`?"));
  const RunResult lacking = compile("sized");
  CHECK(lacking.status != 0);
  CHECK_THAT(lacking.err, Contains("the static parameter `t` of `sized` has no value"));
}
