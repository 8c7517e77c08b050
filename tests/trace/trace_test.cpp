// Circuits that are read off kernels: their orders against those that the kernels' sources state and that `reveal`
// finds by probing, and their bits against the emulator's.
#include "api/reckon/trace.h"
#include "api/reckon/render.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "ptx/shadow/trace.h"
#include "tests/gpu/inputs.h"
#include "tests/ptx/random_kernels.h"
#include "tests/support/files.h"
#include "tests/support/long_run.h"
#include "tests/support/process.h"
#include "tests/support/sanitized.h"
#include "tests/trace/launches.h"

namespace {

using namespace reckon;
using namespace reckon::test;

std::string cuda_kernels() { return read_file(data_folder() / "ptx" / "kernels_sm_80.ptx"); }

struct Kernel {
  std::string entry;
  std::array<std::uint32_t, 3> grid, block;
  std::vector<PtxArgument> arguments;
  std::uint32_t shared = 0;
};

PtxTrace traced(const std::string& text, const Kernel& kernel, std::int64_t verify = 5, TraceOptions options = {}) {
  PtxLaunch launch;
  launch.kernel = kernel.entry;
  launch.grid = kernel.grid;
  launch.block = kernel.block;
  launch.arguments = kernel.arguments;
  launch.shared_bytes = kernel.shared;
  options.verify = verify;
  return trace_ptx(text, "k.ptx", launch, options);
}

/// All elements of the only output are computed in one way, and the circuit has the kernel's bits.
const TracedOutput& whole(const PtxTrace& trace) {
  for (const Message& message : trace.run.messages) FAIL_CHECK(message.text);
  REQUIRE(trace.outputs.size() == 1);
  const TracedOutput& output = trace.outputs[0];
  INFO(output.circuit << output.problem << output.bits.problem);
  REQUIRE(output.groups.size() == 1);
  CHECK(!output.circuit.empty());
  CHECK(output.bits.compared > 0);
  CHECK(output.bits.equal == output.bits.compared);
  return output;
}

}  // namespace

TEST_CASE("the orders of CUDA kernels are those that their sources state, and the circuits have their bits") {
  const std::string text = cuda_kernels();
  const auto order = [](const TracedOutput& output, std::size_t fold) { return output.groups[0].folds.at(fold); };
  {
    const PtxTrace trace = traced(
        text,
        {"sum_by_shuffles", {1, 1, 1}, {128, 1, 1}, {given(numbers({1000}, 1)), unwritten(room({1})), number("1000")}},
        50);
    const TracedFold fold = order(whole(trace), 0);
    CHECK(fold.schedule == "lanes(128, seq) then tile(32, halving) then halving");
    CHECK(fold.terms == 1000);
    CHECK(fold.arithmetic == "f32");
  }
  {
    // A block's terms are a grid apart.
    const PtxTrace trace = traced(
        text,
        {"sum_by_halves", {4, 1, 1}, {256, 1, 1}, {given(numbers({8192}, 2)), unwritten(room({4})), number("8192")}},
        20);
    CHECK(order(whole(trace), 0).schedule == "lanes(256, seq) then halving");
  }
  {
    const PtxTrace trace = traced(
        text,
        {"layer_norm", {4, 1, 1}, {32, 1, 1}, {given(numbers({4, 256}, 3)), unwritten(room({4, 256})), number("256")}},
        20);
    CHECK(order(whole(trace), 0).schedule == "lanes(32, seq) then halving");
    CHECK(order(whole(trace), 1).schedule == "lanes(32, fused(seq)) then halving");
  }
  for (const auto& [name, grid] : {std::pair{"product_by_tiles", 4u}, std::pair{"product_in_registers", 1u}}) {
    const PtxTrace trace =
        traced(text,
               {name,
                {grid, grid, 1},
                {16, 16, 1},
                {given(numbers({64, 64}, 4)), given(numbers({64, 64}, 5)), unwritten(room({64, 64})), number("64")}});
    CHECK(order(whole(trace), 0).schedule == "fused(seq)");
    CHECK(whole(trace).circuit.find("(sum k < 64: (a0[i, k] * a1[k, j]) by fused(seq))") != std::string::npos);
  }
  {
    const PtxTrace trace = traced(text,
                                  {"dot_of_doubles",
                                   {1, 1, 1},
                                   {32, 1, 1},
                                   {given(numbers({100}, 6, "f64")), given(numbers({100}, 7, "f64")),
                                    unwritten(room({1}, "f64")), number("100")}},
                                  20);
    CHECK(order(whole(trace), 0).schedule == "lanes(32, fused(seq)) then halving");
    CHECK(order(whole(trace), 0).arithmetic == "f64 with fma");
  }
  {
    const PtxTrace trace =
        traced(text, {"transpose",
                      {2, 2, 1},
                      {32, 8, 1},
                      {given(numbers({64, 64}, 8)), unwritten(room({64, 64})), number("64"), number("64")}});
    CHECK(whole(trace).circuit.find("a0[j, i]") != std::string::npos);
  }
}

TEST_CASE("a product that a thread alone has is rounded before it is added") {
  // Of 33 products, one thread adds two by fma, and shuffles add what all have.
  const PtxTrace trace = traced(
      cuda_kernels(),
      {"layer_norm", {2, 1, 1}, {32, 1, 1}, {given(numbers({2, 33}, 1)), unwritten(room({2, 33})), number("33")}}, 20);
  REQUIRE(trace.outputs.size() == 1);
  CHECK(trace.outputs[0].groups.at(0).folds.at(1).arithmetic == "f32, some products with fma");
  CHECK(trace.outputs[0].bits.equal == 21);
}

TEST_CASE("a sum of 2^20 terms is traced, and its schedule found, in seconds and bounded memory") {
  const TemporaryFolder folder;
  write_file(folder / "p.rk", "save \"x.npy\" = random(f32[1048576], 1)\n");
  REQUIRE(run_program({"run", "p.rk"}, {.input = {}, .folder = folder.path(), .environment = {}}).status == 0);
  const RunResult run =
      run_program({"trace", (data_folder() / "ptx" / "kernels_sm_80.ptx").string(), "--entry", "sum_by_shuffles",
                   "--block", "256", "--arg", "@x.npy", "--arg", "f32[1]", "--arg", "1048576", "--verify", "0"},
                  {.input = {}, .folder = folder.path(), .environment = {}});
  CHECK_THAT(run.out, Catch::Contains("1048576 terms, f32: lanes(256, seq) then tile(32, halving) then halving") &&
                          Catch::Contains("equal after 1 of 1 launches"));
  if (sanitized) return;
  CHECK(run.wall.count() < 50);  // some 3 s on one core that nobody shares
  CHECK(run.peak_memory_kb < 1'200'000);
}

TEST_CASE("the exponential function of CUDA's library is exp in a traced circuit") {
  const PtxTrace trace = traced(
      cuda_kernels(),
      {"softmax", {4, 1, 1}, {64, 1, 1}, {given(numbers({4, 255}, 1)), unwritten(room({4, 255})), number("255")}});
  REQUIRE(trace.outputs.size() == 1);
  const TracedOutput& output = trace.outputs[0];
  REQUIRE(output.groups.size() == 1);
  CHECK_FALSE(output.groups[0].exact);  // ex2.approx
  REQUIRE(output.groups[0].folds.size() == 2);
  CHECK(output.groups[0].folds[0].extreme);
  CHECK(output.groups[0].folds[1].schedule == "lanes(64, seq) then tile(32, halving) then seq");
  CHECK(output.circuit.find("exp((a0[i, j] - (max k < 255: a0[i, k])))") != std::string::npos);
  CHECK(output.bits.compared == 6);
  CHECK(output.bits.ulps < 16);
  // Another program's circuit.
  TraceOptions options;
  options.against_path = "other.rk";
  options.against = R"(fn right(x: f32[m, n]) -> f32[m, n] {
  let top = for i: max j: x[i, j];
  let s = for i: sum j: exp(x[i, j] - top[i]);
  for i, j: exp(x[i, j] - top[i]) / s[i]
}
fn wrong(x: f32[m, n]) -> f32[m, n] {
  let s = for i: sum j: exp(x[i, j]) + f32(0.001);
  for i, j: exp(x[i, j]) / s[i]
}
)";
  for (const char* name : {"right", "wrong"}) {
    options.against_circuit = name;
    const PtxTrace other = traced(
        cuda_kernels(),
        {"softmax", {4, 1, 1}, {64, 1, 1}, {given(numbers({4, 255}, 1)), unwritten(room({4, 255})), number("255")}}, 1,
        options);
    REQUIRE(other.outputs[0].other.compared == 2);
    CHECK((other.outputs[0].other.ulps < 100) == (std::string(name) == "right"));
  }
}

TEST_CASE("what reveal finds by probing is what the trace has") {
  const std::filesystem::path driver = emulated_driver_folder() / "libcuda.so.1";
  if (!std::filesystem::exists(driver)) return;
  const TemporaryFolder folder;
  write_file(folder / "k.ptx", cuda_kernels());
  for (const auto& [entry, block] : {std::pair{"sum_by_halves", 256}, std::pair{"sum_by_shuffles", 64}}) {
    for (const std::int64_t n : {37, 200, 515}) {
      INFO(entry << ", n = " << n);
      RunOptions options;
      options.environment = {{"LD_LIBRARY_PATH", emulated_driver_folder().string()}};
      const RunResult made = run_program({"reveal", "--format=json", "--n", std::to_string(n), "--ptx",
                                          (folder / "k.ptx").string(), "--kernel", entry, "--launch",
                                          "grid=1 block=" + std::to_string(block) + " shared=0 args=in,out,n"},
                                         options);
      REQUIRE(made.status == 0);
      const PtxTrace trace =
          traced(cuda_kernels(), {entry,
                                  {1, 1, 1},
                                  {static_cast<std::uint32_t>(block), 1, 1},
                                  {given(numbers({n}, 1)), unwritten(room({1})), number(std::to_string(n))}});
      CHECK(whole(trace).groups[0].folds.at(0).tree == nlohmann::json::parse(made.out)["tree"].get<std::string>());
    }
  }
}

TEST_CASE("kernels of our own have the schedules of their circuits") {
  const std::string program =
      R"(fn lanes_of(x: f32[m, n]) -> f32[m] = for i: sum j: x[i, j] by lanes(32, seq) then halving
fn in_order(x: f32[m, n]) -> f32[m] = for i: sum j: x[i, j] by seq
fn absorbed(x: f32[m, n]) -> f32[m] = for i: sum j: x[i, j] * x[i, j] by fused(lanes(32, tree) then tree)
)";
  for (const auto& [name, schedule] :
       std::map<std::string, std::string>{{"lanes_of", "lanes(32, seq) then halving"},
                                          {"in_order", "seq"},
                                          // The same: each of 32 lanes has several of 300 products.
                                          {"absorbed", "lanes(32, fused(tree)) then tree"}}) {
    Session session{SessionOptions{}};
    REQUIRE(session.load(program));
    CompileOptions options;
    options.emit = Emit::ptx;
    const auto code = session.compile(name, options);
    REQUIRE(code);
    // Blocks and threads enough for any placement of three rows.
    const auto kernels = ptx_kernels((*code), "own.ptx");
    REQUIRE(kernels);
    REQUIRE(kernels->size() == 1);
    INFO((*code).substr(0, 1500));
    Kernel kernel{(*kernels)[0].name,
                  {3, 1, 1},
                  {128, 1, 1},
                  {given(numbers({3, 300}, 1)), unwritten(room({3})), number("3"), number("300")}};
    const PtxTrace trace = traced((*code), kernel);
    CHECK(whole(trace).groups[0].folds.at(0).schedule == schedule);
  }
}

TEST_CASE("a kernel whose way depends on its inputs is not traced without a word") {
  const PtxTrace trace =
      traced(comparing_kernel, {"k", {1, 1, 1}, {1, 1, 1}, {given(numbers({2}, 1)), unwritten(room({1}))}});
  REQUIRE(trace.run.messages.size() == 1);
  CHECK(trace.run.messages[0].code == "E0631");
  CHECK(trace.run.messages[0].line == 8);
}

TEST_CASE("a trace that becomes too large ends the launch") {
  ptx::Trace trace(100);
  ptx::FloatAct act;
  act.act = ptx::Act::add;
  act.format = numerics::Format::f32;
  ptx::Number sum{0, trace.input(0, 0, numerics::Format::f32)};
  for (int k = 0; k < 200; ++k) {
    const ptx::Number operands[] = {sum, {0, trace.input(0, static_cast<std::uint64_t>(k), numerics::Format::f32)}};
    if (trace.failure().empty()) sum = trace.apply(act, operands);
  }
  CHECK(!trace.failure().empty());
  CHECK(trace.size() < 500);
}

TEST_CASE("kernels that are not regular are written out, with their bits") {
  for (const Kernel& kernel :
       {Kernel{"scan", {2, 1, 1}, {64, 1, 1}, {given(numbers({100}, 1)), unwritten(room({100})), number("100")}, 512},
        Kernel{"stencil",
               {2, 1, 1},
               {128, 1, 1},
               {given(numbers({200}, 2)), unwritten(room({200})), number("0.3"), number("200")}},
        Kernel{"sum_by_halves",
               {4, 1, 1},
               {256, 1, 1},
               {given(numbers({1000}, 3)), unwritten(room({4})), number("1000")}}}) {
    INFO(kernel.entry);
    const PtxTrace trace = traced(cuda_kernels(), kernel, 20);
    REQUIRE(trace.outputs.size() == 1);
    CHECK_FALSE(trace.outputs[0].regular);
    CHECK(trace.outputs[0].groups.size() > 1);
    CHECK(trace.outputs[0].bits.compared == 21);
    CHECK(trace.outputs[0].bits.equal == 21);
  }
}

TEST_CASE("products of tensor cores that begin at zero are mma of their generation") {
  // The sums of the kernel of CUDA begin at what is in memory; here they begin at zero.
  std::string text = cuda_kernels();
  for (std::size_t at = text.find(".entry tensor_core"); (at = text.find("ld.global.f32", at)) != std::string::npos;) {
    const std::size_t comma = text.find(',', at), end = text.find(';', at);
    text.replace(comma, end - comma, ", 0f00000000");
    text.replace(at, std::string("ld.global.f32").size(), "mov.f32");
  }
  const auto halves = [](std::vector<std::int64_t> shape, unsigned seed) {
    std::mt19937 random(seed);
    Tensor out{"f16", shape, {}};
    for (std::int64_t k = 0; k < shape[0] * shape[1]; ++k) {
      // Of either sign, from 2^-7 to 2^7.
      const auto bits = static_cast<std::uint16_t>((random() & 0x83ff) | (8 + random() % 14) << 10);
      out.bytes.push_back(static_cast<std::uint8_t>(bits));
      out.bytes.push_back(static_cast<std::uint8_t>(bits >> 8));
    }
    return out;
  };
  const PtxTrace trace = traced(text,
                                {"tensor_core",
                                 {1, 1, 1},
                                 {32, 1, 1},
                                 {given(halves({16, 16}, 1)), given(halves({16, 8}, 2)), unwritten(room({16, 8}))}},
                                20);
  const TracedFold fold = whole(trace).groups[0].folds.at(0);
  CHECK(fold.schedule == "mma(ampere)");
  CHECK(fold.terms == 16);
  CHECK(whole(trace).circuit.find("(f32(a0[i, k]) * f32(a1[k, j])) by mma(ampere)") != std::string::npos);
}

TEST_CASE("under other semantics a kernel has the values of the same sum in the language") {
  PtxLaunch launch;
  launch.kernel = "sum_by_shuffles";
  launch.block = {128, 1, 1};
  const Tensor x = numbers({1000}, 4);
  launch.arguments = {given(x), unwritten(room({1})), number("1000")};
  Session session{SessionOptions{}};
  REQUIRE(
      session.load("fn total(x: f32[n]) -> f32[1] =\n"
                   "  for i < 1: sum j: x[j] by lanes(128, seq) then tile(32, halving) then halving\n"));
  for (const char* semantics : {"interval", "interval(f32)", "bound", "count", "padic", "exact", "fpsan"}) {
    INFO(semantics);
    launch.semantics = semantics;
    const PtxValues found = values_of_ptx(cuda_kernels(), "k.ptx", launch);
    CHECK(found.messages.empty());
    CallOptions how;
    how.semantics = semantics;
    const auto expected = session.call("total", {x}, how);
    REQUIRE(expected);
    REQUIRE(found.outputs.size() == 1);
    CHECK(to_json(found.outputs[0].values[0]) == to_json((*expected)[0]));
  }
  // 1000 terms are added by 999 operations, eight rounds of lanes deep and log2 of 128 further ones.
  launch.semantics = "count";
  CHECK_THAT(to_text(values_of_ptx(cuda_kernels(), "k.ptx", launch).outputs.at(0).values.at(0)),
             Catch::Matchers::Contains("add 999, depth 14"));
  // The ring that registers hold and the one in which the circuit is evaluated are one.
  launch.semantics = "fpsan";
  const PtxRun run = run_ptx(cuda_kernels(), "k.ptx", launch);
  const PtxValues values = values_of_ptx(cuda_kernels(), "k.ptx", launch);
  REQUIRE(values.outputs.at(0).values.at(0).tensor);
  CHECK(run.memory.at(1)->bytes == values.outputs[0].values[0].tensor->bytes);
}

TEST_CASE("constants that a kernel stores are elements of its circuit") {
  const std::string text = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .f32 %f<3>; .reg .b32 %t; .reg .b64 %rd<4>; .reg .pred %p;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
  mov.u32 %t, %tid.x; mul.wide.u32 %rd3, %t, 4; add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;
  ld.global.f32 %f1, [%rd1];
  setp.lt.u32 %p, %t, 2;
  mov.f32 %f2, 0fBF800000;
  @%p add.f32 %f2, %f1, %f1;
  st.global.f32 [%rd2], %f2;
  ret;
}
)";
  const PtxTrace trace = traced(text, {"k", {1, 1, 1}, {4, 1, 1}, {given(numbers({4}, 1)), unwritten(room({4}))}});
  REQUIRE(trace.outputs.size() == 1);
  CHECK(trace.outputs[0].groups.size() == 2);
  CHECK(trace.outputs[0].circuit.find("f32(-1)") != std::string::npos);
  CHECK(trace.outputs[0].bits.compared == 6);
  CHECK(trace.outputs[0].bits.equal == 6);
}

TEST_CASE("circuits of random kernels have their bits") {
  const std::uint64_t count = long_run() ? 2'000 : 60;
  const std::uint64_t first = stream(31);
  std::int64_t written = 0;
  for (std::uint64_t k = 0; k < count; ++k) {
    const ptx::testing::RandomKernel kernel(first + k, 40, k % 2 == 0);
    INFO("seed " << first + k << "\n" << kernel.text());
    Tensor in{"f32", {96}, {}};
    in.bytes.resize(384);
    std::memcpy(in.bytes.data(), kernel.in.data(), 384);
    const PtxTrace trace = traced(kernel.text(), {"k", {1, 1, 1}, {32, 1, 1}, {given(in), unwritten(room({32}))}}, 2);
    for (const Message& message : trace.run.messages) FAIL_CHECK(message.text);
    // Where an input is copied, and nothing computed, there is a circuit as well.
    REQUIRE(trace.outputs.size() == 1);
    const TracedOutput& output = trace.outputs[0];
    INFO(output.circuit << output.problem << output.bits.problem);
    CHECK(output.bits.compared == 3);
    CHECK(output.bits.equal == 3);
    if (output.bits.equal != 3) break;
    ++written;
  }
  CHECK(written == static_cast<std::int64_t>(count));
}

TEST_CASE("two kernels are compared by their circuits") {
  TraceOptions halves, shuffles;
  halves.name = "by_halves";
  shuffles.name = "by_shuffles";
  const auto kernel = [](const std::string& entry, std::uint32_t block) {
    return Kernel{entry, {1, 1, 1}, {block, 1, 1}, {given(numbers({300}, 1)), unwritten(room({1})), number("300")}};
  };
  const std::string one = traced(cuda_kernels(), kernel("sum_by_halves", 64), 1, halves).program(),
                    other = traced(cuda_kernels(), kernel("sum_by_shuffles", 64), 1, shuffles).program();
  Session session{SessionOptions{}};
  REQUIRE(session.load(one));
  REQUIRE(session.load(other));
  std::vector<std::string> verdicts;
  session.run("check by_halves == by_shuffles in algebra\ncheck by_halves == by_shuffles in float\n", "checks",
              [&](const Event& event) {
                const auto& check = std::get<Checked>(event);
                verdicts.push_back(check.verdict + " " + check.strength);
              });
  REQUIRE(verdicts.size() == 2);
  CHECK(verdicts[0] == "holds proved");
  CHECK(verdicts[1].starts_with("fails"));
}

TEST_CASE("sums by atomic operations are in any order") {
  const std::string text = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .f32 %f<3>; .reg .b32 %t<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
  mov.u32 %t1, %ctaid.x; mov.u32 %t2, %tid.x; mad.lo.u32 %t3, %t1, 32, %t2;
  mul.wide.u32 %rd3, %t3, 4; add.s64 %rd1, %rd1, %rd3;
  ld.global.f32 %f1, [%rd1];
  red.global.add.f32 [%rd2], %f1;
  ret;
}
)";
  PtxArgument sum = given(room({1}));
  sum.zeros = true;
  const PtxTrace trace = traced(text, {"k", {3, 1, 1}, {32, 1, 1}, {given(numbers({96}, 1)), sum}}, 0);
  for (const Message& message : trace.run.messages) FAIL_CHECK(message.text);
  REQUIRE(trace.outputs.size() == 1);
  const TracedOutput& output = trace.outputs[0];
  INFO(output.circuit << output.problem << output.irregular);
  REQUIRE(output.groups.size() == 1);
  CHECK(output.groups[0].folds.at(0).schedule == "any");
  CHECK(output.groups[0].folds.at(0).terms == 96);
  CHECK(output.circuit.find("(sum k < 96: a0[k] by any)") != std::string::npos);
}
