// `kernel theirs = ptx(...)`: kernels of PTX as circuits of programs, against the emulator's bits and plain circuits,
// and what is said of mistakes.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <catch2/catch.hpp>

#include "api/reckon/render.h"
#include "api/reckon/trace.h"
#include "tests/support/files.h"
#include "tests/support/golden.h"
#include "tests/support/process.h"
#include "tests/trace/launches.h"

namespace {

using namespace reckon;
using namespace reckon::test;

/// A program that stands beside tests/data/ptx/.
std::string place() { return (data_folder() / "program.rk").string(); }

std::vector<std::string> events(Session& session, const std::string& program) {
  std::vector<std::string> out;
  session.run(program, place(), [&](const Event& event) {
    if (const auto* messages = std::get_if<std::vector<Message>>(&event)) {
      for (const Message& message : *messages) out.push_back(message.code + ": " + message.message);
    } else if (const auto* checked = std::get_if<Checked>(&event)) {
      out.push_back(checked->verdict + " " + checked->strength);
    } else {
      out.push_back(to_text(std::get<std::vector<Shown>>(event)));
    }
  });
  return out;
}

const std::string shuffles =
    "kernel theirs = ptx(\"ptx/kernels_sm_80.ptx\", \"sum_by_shuffles\", grid: 1, block: 128, x: f32[1000], f32[1], "
    "1000)\n";

}  // namespace

TEST_CASE("a kernel of PTX is a circuit of a program, and has the emulator's bits") {
  Session session{SessionOptions{}};
  REQUIRE(session.load(shuffles, place()));
  PtxLaunch launch;
  launch.kernel = "sum_by_shuffles";
  launch.block = {128, 1, 1};
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Tensor x = numbers({1000}, seed);
    launch.arguments = {given(x), unwritten(room({1})), number("1000")};
    const PtxRun run = run_ptx(read_file(data_folder() / "ptx" / "kernels_sm_80.ptx"), "k.ptx", launch);
    for (const On on : {On::interpreter, On::host}) {
      CallOptions how;
      how.on = on;
      const auto result = session.call("theirs", {x}, how);
      REQUIRE(result);
      CHECK(result->at(0).tensor->bytes == run.memory.at(1)->bytes);
    }
  }
}

TEST_CASE("a kernel of PTX is checked, bounded and shown like any circuit") {
  Session session{SessionOptions{}};
  const auto found = events(session, shuffles + R"(
fn f(x: f32[n]) -> f32[1] = for i < 1: sum k: x[k]
fn same(x: f32[n]) -> f32[1] = for i < 1: sum k: x[k] by lanes(128, seq) then tile(32, halving) then halving
fn wrong(x: f32[n]) -> f32[1] = for i < 1: sum k: x[k] * x[k]
show theirs
check theirs == f in algebra
check theirs == same in float
check theirs == f in float
check theirs ~ f in float within bound
check theirs == f in fpsan
check theirs == wrong in algebra
check theirs == wrong in fpsan
show theirs(random(f32[1000], 1)) in count
kernel each[n] = ptx("ptx/kernels_sm_80.ptx", "sum_by_shuffles", grid: 1, block: 128, x: f32[n], f32[1], n)
check each[500] == f in algebra
check each[129] == same in float
)");
  REQUIRE(found.size() == 11);
  CHECK(found[0] == "fn theirs(x: f32[1000]) -> f32[1]");
  CHECK(found[1] == "holds proved");
  CHECK(found[2].starts_with("holds"));
  CHECK(found[3].starts_with("fails"));
  CHECK(found[4].starts_with("holds"));
  CHECK(found[5].starts_with("holds"));
  CHECK(found[6].starts_with("fails"));
  CHECK(found[7].starts_with("fails"));
  CHECK(found[8] == "add 999, depth 14");  // eight rounds of 128 lanes, whose last is short, and seven halvings
  CHECK(found[9] == "holds proved");
  CHECK(found[10].starts_with("holds"));
}

TEST_CASE("sizes that a kernel leaves open: one circuit, and a note of where it was read off") {
  Session session{SessionOptions{}};
  const auto found = events(session, R"(
kernel rows = ptx("ptx/kernels_sm_80.ptx", "layer_norm", grid: m, block: 32, x: f32[m, n], f32[m, n], n,
                  m: [4, 2, 3, 5], n: [256, 128, 96, 1024])
fn norm(x: f32[m, n]) -> f32[m, n] {
  let mean = for i: (sum k: x[i, k]) / f32(n);
  let variance = for i: (sum k: (x[i, k] - mean[i]) * (x[i, k] - mean[i])) / f32(n);
  for i, j: (x[i, j] - mean[i]) / sqrt(variance[i] + f32(1e-5))
}
show rows
check rows ~ norm in float within 1e-4 for x: -4..4, m: {7}, n: {200}
)");
  INFO(fmt::format("{}", fmt::join(found, "\n")));
  REQUIRE(found.size() == 3);
  CHECK_THAT(found[0],
             Catch::Contains("`rows` is read off at m = 4, n = 256; m = 2, n = 128; m = 3, n = 96; m = 5, n = "
                             "1024: that the kernel computes so at other sizes has not been looked at"));
  CHECK(found[1] == "fn rows(x: f32[m, n]) -> f32[m, n]");
  CHECK(found[2].starts_with("holds"));
  // At sizes that were not looked at, the circuit has the kernel's bits here.
  PtxLaunch launch;
  launch.kernel = "layer_norm";
  launch.grid = {6, 1, 1};
  launch.block = {32, 1, 1};
  launch.nearest = true;
  for (const std::int64_t n : {33, 64, 300}) {
    const Tensor x = numbers({6, n}, static_cast<unsigned>(n));
    launch.arguments = {given(x), unwritten(room({6, n})), number(std::to_string(n))};
    const PtxRun run = run_ptx(read_file(data_folder() / "ptx" / "kernels_sm_80.ptx"), "k.ptx", launch);
    const auto result = session.call("rows", {x});
    REQUIRE(result);
    CHECK(result->at(0).tensor->bytes == run.memory.at(1)->bytes);
  }
}

TEST_CASE("a verdict about a circuit of several sizes says where it was read off, wherever the circuit stands") {
  const std::string open =
      "kernel theirs = ptx(\"ptx/kernels_sm_80.ptx\", \"sum_by_shuffles\", grid: 1, block: 128, x: f32[n], f32[1], n,\n"
      "  n: [1000, 512, 300])\n"
      "fn f(x: f32[n]) -> f32[1] = for i < 1: sum k: x[k]\n"
      "fn same(x: f32[n]) -> f32[1] = for i < 1: sum k: x[k] by lanes(128, seq) then tile(32, halving) then halving\n";
  const std::string where = "read off a kernel: theirs at n = 1000; n = 512; n = 300";
  // Through circuits, definitions and repeated items; a second time, when all of it has been elaborated; what failed.
  for (const char* item :
       {"check theirs == f in algebra", "check theirs == same in float", "check f == theirs in fpsan for n: {7}",
        "fn g(x: f32[n]) -> f32[1] = for i < 1: 2 * theirs(x)[i]\nfn h(x: f32[n]) -> f32[1] = for i < 1: 2 * f(x)[i]\n"
        "check g == h in algebra\ncheck g == h in algebra",
        "let y = theirs(random(f32[7], 1))\ncheck y ~ f(random(f32[7], 1)) within 1e-3 in float",
        "let by(k) = theirs\ncheck by(1) == f in algebra", "for k in {1, 2}: check theirs == f in algebra",
        "check theirs ~ f within 0.1 in bound for x: -1..1, n: {40}", "check same_order(theirs, same)",
        "fn w(x: f32[n]) -> f32[1] = for i < 1: sum k: x[k] * x[k]\ncheck theirs == w in algebra"}) {
    INFO(item);
    Session session{SessionOptions{}};
    int verdicts = 0;
    session.run(open + item, place(), [&](const Event& event) {
      const auto* checked = std::get_if<Checked>(&event);
      if (checked == nullptr) return;
      ++verdicts;
      const std::string line = to_text(*checked);
      CHECK_THAT(line, Catch::Contains(where));
      const bool claims_all = line.find("for all sizes") != std::string::npos;
      CHECK(claims_all == (line.find("proved for all sizes of the circuit; " + where) != std::string::npos));
      const auto* fact = checked->fact("read_off");
      REQUIRE(fact);
      CHECK(std::get<std::vector<std::string>>(fact->value) ==
            std::vector<std::string>{"theirs at n = 1000; n = 512; n = 300"});
    });
    CHECK(verdicts > 0);
  }
  // What has nothing of it says nothing of it.
  Session session{SessionOptions{}};
  session.run(open + "check f == same in algebra\ncheck 1 + 1 == 2", place(), [&](const Event& event) {
    if (const auto* checked = std::get_if<Checked>(&event)) CHECK(checked->fact("read_off") == nullptr);
  });
  // Nor does one of a kernel that is read off for each size.
  session.run(
      "kernel each[n] = ptx(\"ptx/kernels_sm_80.ptx\", \"sum_by_shuffles\", grid: 1, block: 128, x: f32[n], "
      "f32[1], n)\ncheck each[500] == f in algebra",
      place(), [&](const Event& event) {
        if (const auto* checked = std::get_if<Checked>(&event))
          CHECK(to_text(*checked).find("  (proved)") != std::string::npos);
      });
}

TEST_CASE("several results of a kernel are a tuple, and memory that it changes is input and result") {
  const TemporaryFolder folder;
  write_file(folder / "k.ptx", R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c) {
  .reg .f32 %f<6>; .reg .b32 %t; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c];
  mov.u32 %t, %tid.x; mul.wide.u32 %rd4, %t, 4;
  add.s64 %rd1, %rd1, %rd4; add.s64 %rd2, %rd2, %rd4; add.s64 %rd3, %rd3, %rd4;
  ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2];
  add.rn.f32 %f3, %f1, %f2; mul.rn.f32 %f4, %f1, %f2;
  st.global.f32 [%rd2], %f3; st.global.f32 [%rd3], %f4;
  ret;
}
)");
  Session session{SessionOptions{}};
  std::vector<std::string> found;
  session.run(R"(kernel both = ptx("k.ptx", "k", grid: 1, block: 4, x: f32[4], k: f32[4], f32[4])
show both
show both([1, 2, 3, 4], [10, 20, 30, 40])
)",
              (folder / "p.rk").string(),
              [&](const Event& event) { found.push_back(to_text(std::get<std::vector<Shown>>(event))); });
  REQUIRE(found.size() >= 2);
  CHECK(found[0] == "fn both(x: f32[4], k: f32[4]) -> (f32[4], f32[4])");
  CHECK_THAT(fmt::format("{}", fmt::join(found, "\n")),
             Catch::Contains("[11, 22, 33, 44]") && Catch::Contains("[10, 40, 90, 160]"));
}

TEST_CASE("mistakes in a call of ptx are told at their places") {
  const TemporaryFolder folder;
  write_file(folder / "k.ptx", read_file(data_folder() / "ptx" / "kernels_sm_80.ptx"));
  write_file(folder / "compares.ptx", comparing_kernel);
  write_file(folder / "unknown.ptx", R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .f32 %f<4>; .reg .b64 %rd<3>;
  tcgen05.wait::ld.sync.aligned;
  ret;
}
)");
  write_file(folder / "cut.ptx", ".version 8.0\n.target sm_80\n.visible .entry k(.param .u64 out) {\n  .reg .f32");
  const std::string sum = "ptx(\"k.ptx\", \"sum_by_shuffles\", ";
  const std::string calls[] = {
      "ptx(\"missing.ptx\", \"sum_by_shuffles\", grid: 1, block: 128, x: f32[10], f32[1], 10)",
      "ptx(\"k.ptx\", \"sum_by_shufles\", grid: 1, block: 128, x: f32[10], f32[1], 10)",
      "ptx(\"cut.ptx\", \"k\", grid: 1, block: 128, f32[1])",
      "ptx(\"unknown.ptx\", \"k\", grid: 1, block: 128, f32[1])",
      "ptx(\"k.ptx\")",
      "ptx(k, \"sum_by_shuffles\", grid: 1)",
      sum + "grid: 1, block: 128, x: f32[10], f32[1])",
      sum + "grid: 1, block: 128, x: f32[10], f32[1], 11)",
      sum + "grid: 4, block: 128, x: f32[1000], f32[1], 1000)",
      sum + "block: 128, x: f32[1000], f32[1], 1000)",
      sum + "grid: 1, grid: 2, block: 128, x: f32[1000], f32[1], 1000)",
      sum + "grid: (1, 1, 1, 1), block: 128, x: f32[1000], f32[1], 1000)",
      sum + "grid: 0, block: 128, x: f32[1000], f32[1], 1000)",
      sum + "grid: 1, block: 2000, x: f32[1000], f32[1], 1000)",
      sum + "grid: 1, block: 128, shared: -1, x: f32[1000], f32[1], 1000)",
      sum + "grid: 1, block: 128, approx: exact, x: f32[1000], f32[1], 1000)",
      sum + "grid: 1, block: 128, x: f32, f32[1], 1)",
      sum + "grid: 1, block: 128, x: f32[0], f32[1], 1)",
      sum + "grid: 1, block: 128, x: bool[4], f32[1], 1)",
      sum + "grid: 1, block: 128, x: i32[4], f32[1], 1)",
      sum + "grid: 1, block: 128, x: 4, f32[1], 1)",
      sum + "grid: 1, block: 128, exp: f32[4], f32[1], 4)",
      sum + "grid: 1, block: 128, x: f32[4], x: f32[1], 4)",
      sum + "grid: 1, block: 128, [1, 2], f32[1], 4)",
      sum + "grid: 1, block: 128, random(f32[4], 1), f32[1], 4)",
      sum + "grid: 1, block: 128, f32[10], x: f32[1], 10)",
      sum + "grid: 1, block: 128, x: f32[4], f32[1], 0.5)",
      sum + "grid: 1, block: 128, x: f32[n], f32[1], n)",
      sum + "grid: 1, block: 128, x: f32[n], f32[1], n, n: [100, 1000])",
      sum + "grid: 1, block: 128, x: f32[n], f32[1], n, n: [100, 100, 200])",
      sum + "grid: 1, block: 128, x: f32[n], f32[1], n, n: [2, 1000, 2000])",
      sum + "grid: 1, block: 128, x: f32[n], f32[1], 2 * n, n: [100, 1000, 2000])",
      "ptx(\"k.ptx\", \"stencil\", grid: 1, block: 128, x: f32[200], f32[200], 0.3, 200)",
      "ptx(\"k.ptx\", \"softmax\", grid: 4, block: 64, x: f32[4, 255], f32[4, 255], 255)",
      "ptx(\"k.ptx\", \"recursion\", grid: 1, block: 12, i32[12])",
      "ptx(\"compares.ptx\", \"k\", grid: 1, block: 1, x: f32[2], f32[1])",
  };
  std::string out;
  for (const std::string& call : calls) {
    Session session{SessionOptions{}};
    const std::string program = "kernel theirs = " + call + "\n";
    const auto loaded = session.load(program, (folder / "program.rk").string());
    INFO(program);
    CHECK_FALSE(loaded);
    out += program;
    if (loaded) continue;
    for (const Message& message : loaded.messages()) out += message.text;
    out += "\n";
  }
  const std::string path = folder.path().string() + "/";
  for (std::size_t at = 0; (at = out.find(path, at)) != std::string::npos;) out.erase(at, path.size());
  check_golden("trace/mistakes.txt", out);
}

TEST_CASE("kernels that compute something else fail against the plain circuit") {
  // Each has one mistake (tests/data/ptx/planted.cu); the circuits are what they were meant to be.
  const std::string file = "ptx(\"ptx/planted_sm_80.ptx\", ";
  const std::vector<std::string> programs = {
      "kernel k = " + file +
          "\"tail_dropped\", grid: 1, block: 32, x: f32[100], f32[1], 100)\n"
          "fn f(x: f32[n]) -> f32[1] = for i < 1: sum k: x[k]\n",
      "kernel k = " + file +
          "\"index_swapped\", grid: 1, block: 64, x: f32[8, 8], f32[8, 8], 8)\n"
          "fn f(x: f32[m, n]) -> f32[n, m] = for i, j: x[j, i]\n",
      "kernel k = " + file +
          "\"wrong_scale\", grid: 1, block: 32, x: f32[64], f32[32], 64)\n"
          "fn f(x: f32[64]) -> f32[32] {\n"
          "  let s = sum k < 64: x[k] * x[k];\n  for i < 32: x[i] / sqrt(s / f32(64))\n}\n",
      "kernel k = " + file +
          "\"stale_tile\", grid: 1, block: 32, x: f32[96], f32[96], 96)\n"
          "fn f(x: f32[96]) -> f32[96] = for i < 96: x[i // 32 * 32 + 31 - i % 32]\n",
      "kernel k = " + file +
          "\"exclusive_instead\", grid: 1, block: 32, x: f32[32], f32[32], 32)\n"
          "fn f(x: f32[n]) -> f32[n] = scan(add) i: x[i]\n"};
  for (const std::string& program : programs) {
    Session session{SessionOptions{}};
    const auto found = events(session, program + "check k == f in algebra\n");
    INFO(program << fmt::format("{}", fmt::join(found, "\n")));
    REQUIRE(found.size() == 1);
    CHECK(found[0].starts_with("fails"));
  }
  // Accumulation in f16 is another rounding, not another algebra.
  Session session{SessionOptions{}};
  const auto found = events(session, "kernel k = " + file +
                                         "\"sum_in_halves\", grid: 1, block: 32, x: f32[96], f32[32], 96)\n"
                                         "fn f(x: f32[96]) -> f32[32] = for i < 32: sum k < 3: x[i + 32 * k]\n"
                                         "check k ~ f in float within bound\n");
  INFO(fmt::format("{}", fmt::join(found, "\n")));
  REQUIRE(found.size() == 1);
  CHECK(found[0].starts_with("fails"));
}

TEST_CASE("a sum by atomic operations is in any order") {
  Session session{SessionOptions{}};
  const auto found = events(session, R"(
kernel k = ptx("ptx/reductions_sm_80.ptx", "sum_by_atomics", grid: 8, block: 64, x: f32[512], zeros: f32[1], 512,
               approx: nearest)
fn f(x: f32[n]) -> f32[1] = for i < 1: sum k: x[k]
check k == f in algebra
)");
  REQUIRE(found.size() == 2);
  CHECK_THAT(found[0], Catch::Contains("flush subnormals"));
  CHECK(found[1] == "holds proved");
}

TEST_CASE("a kernel item without clauses is one of PTX") {
  Session session{SessionOptions{}};
  const auto found = events(session, "fn f(x: f32) -> f32 = x\nkernel k = f\nshow k(1)\n");
  REQUIRE(found.size() == 1);
  CHECK(found[0] == "E0100: `with` and clauses are missing behind the circuit of `k`");
}
