// Kernels of floats under fpsan: what is computed in the ring, what goes on as whole bytes, and what is refused. The
// expected elements are numerics/fpsan_native.h's, which tests/numerics/ compares with Triton's own values.
#include <random>

#include "numerics/fpsan_native.h"
#include "ptx/shadow/ring.h"
#include "tests/ptx/cuda.h"
#include "tests/ptx/launched.h"
#include "tests/ptx/random_kernels.h"
#include "tests/ptx/ring.h"
#include "tests/support/files.h"
#include "tests/support/long_run.h"
#include "tests/support/process.h"

namespace {

using namespace reckon;
using namespace reckon::ptx;
using namespace reckon::ptx::testing;
using numerics::Format;
}  // namespace

TEST_CASE("float instructions are operations of the ring under fpsan") {
  const std::vector<float> inputs{1.5f, -2.75f, 0.1f};
  const std::uint32_t a = bits(inputs[0]), b = bits(inputs[1]), c = bits(inputs[2]);
  struct Row {
    const char* instruction;
    Ring operation;
    int operands;
  };
  static constexpr Row rows[] = {{"add.rn.f32 f1, f1, f2;", Ring::add, 2},
                                 {"sub.ftz.f32 f1, f1, f2;", Ring::sub, 2},
                                 {"mul.rz.f32 f1, f1, f2;", Ring::mul, 2},
                                 {"div.full.f32 f1, f1, f2;", Ring::div, 2},
                                 {"div.rn.f32 f1, f1, f2;", Ring::div, 2},
                                 {"fma.rn.f32 f1, f1, f2, f3;", Ring::fma, 3},
                                 {"min.f32 f1, f1, f2;", Ring::min, 2},
                                 {"max.NaN.f32 f1, f1, f2;", Ring::max, 2},
                                 {"neg.f32 f1, f1;", Ring::neg, 1},
                                 {"ex2.approx.ftz.f32 f1, f1;", Ring::exp2, 1},
                                 {"lg2.approx.f32 f1, f1;", Ring::log2, 1},
                                 {"sin.approx.f32 f1, f1;", Ring::sin, 1},
                                 {"cos.approx.f32 f1, f1;", Ring::cos, 1},
                                 {"sqrt.rn.f32 f1, f1;", Ring::sqrt, 1},
                                 {"rsqrt.approx.f32 f1, f1;", Ring::rsqrt, 1},
                                 {"cvt.rmi.f32.f32 f1, f1;", Ring::floor, 1},
                                 {"cvt.rpi.f32.f32 f1, f1;", Ring::ceil, 1}};
  for (const Row& row : rows) {
    INFO(row.instruction);
    const RingOutcome made = run_body("ld.f32 f1, [from]; ld.f32 f2, [from+4]; ld.f32 f3, [from+8];\n" +
                                      std::string(row.instruction) + "\nst.f32 [to], f1;",
                                  inputs, Format::f32);
    CHECK(made.text.empty());
    CHECK(made.words[0] == in_ring(row.operation, Format::f32, a, row.operands > 1 ? b : 0, row.operands > 2 ? c : 0));
  }
  const RingOutcome inverse = run_body("ld.f32 f1, [from]; rcp.approx.f32 f1, f1; st.f32 [to], f1;", inputs, Format::f32);
  CHECK(inverse.words[0] == in_ring(Ring::div, Format::f32, bits(1.0f), a));
  const RingOutcome magnitude = run_body("ld.f32 f1, [from+4]; abs.f32 f1, f1; st.f32 [to], f1;", inputs, Format::f32);
  CHECK(magnitude.words[0] == bits(2.75f));
}

TEST_CASE("parts of registers keep their numbers under fpsan, whatever moves them") {
  // Two bf16s in a word, widened in each way that compilers write, and added in f32.
  const std::vector<std::uint16_t> inputs{0x3fc1, 0xc02e};
  const std::uint64_t low = cast(inputs[0], Format::bf16, Format::f32),
                      high = cast(inputs[1], Format::bf16, Format::f32);
  const std::uint64_t sum = in_ring(Ring::add, Format::f32, low, high);
  for (const char* body :
       {"ld.b32 r1, [from]; shl.b32 r2, r1, 16; and.b32 r3, r1, 0xffff0000;",
        "ld.v2.b16 {h1, h2}, [from]; mov.b16 h3, 0; mov.b32 r2, {h3, h1}; mov.b32 r3, {h3, h2};",
        "ld.b32 r1, [from]; prmt.b32 r2, r1, 0, 0x1044; prmt.b32 r3, r1, 0, 0x3244; and.b32 r2, r2, 0xffff0000; "
        "and.b32 "
        "r3, r3, 0xffff0000;",
        "ld.b32 r1, [from]; mov.b32 r4, 0; shf.l.wrap.b32 r2, r4, r1, 16; shl.b32 r2, r1, 16; lop3.b32 r3, r1, "
        "0xffff0000, 0, 0xc0;",
        "ld.b32 r1, [from]; mov.b32 {h1, h2}, r1; cvt.u32.u16 r2, h1; shl.b32 r2, r2, 16; cvt.u32.u16 r3, h2; bfi.b32 "
        "r3, r3, 0, 16, 16;"}) {
    INFO(body);
    const RingOutcome made =
        run_body(std::string(body) + "\nmov.b32 f1, r2; mov.b32 f2, r3; add.f32 f3, f1, f2; st.f32 [to], f3;", inputs,
                 Format::bf16);
    CHECK(made.text.empty());
    CHECK(made.words[0] == sum);
  }
  const RingOutcome converted = run_body(
      "ld.v2.b16 {h1, h2}, [from]; cvt.f32.bf16 f1, h1; cvt.f32.bf16 f2, h2; add.f32 f3, f1, f2; st.f32 [to], f3;",
      inputs, Format::bf16);
  CHECK(converted.words[0] == sum);
  // Back to pairs, and packed arithmetic.
  const RingOutcome packed = run_body(
      "ld.b32 r1, [from]; fma.rn.bf16x2 r1, r1, r1, r1; st.b32 [to], r1; mov.b32 f1, 0f3FC00000; cvt.rn.bf16x2.f32 r2, "
      "f1, "
      "f1; st.b32 [to+4], r2;",
      inputs, Format::bf16);
  CHECK((packed.words[0] & 0xffff) == in_ring(Ring::fma, Format::bf16, inputs[0], inputs[0], inputs[0]));
  CHECK(packed.words[0] >> 16 == in_ring(Ring::fma, Format::bf16, inputs[1], inputs[1], inputs[1]));
  CHECK(packed.words[1] == cast(bits(1.5f), Format::f32, Format::bf16) * 0x10001);
}

TEST_CASE("shuffles, atomics and copies keep their numbers under fpsan") {
  std::vector<float> inputs(64);
  for (std::size_t k = 0; k < inputs.size(); ++k) inputs[k] = 0.37f * static_cast<float>(k + 1);
  std::uint64_t sum = bits(0.0f);
  for (std::size_t k = 0; k < 32; ++k) sum = in_ring(Ring::add, Format::f32, sum, bits(inputs[k]));
  const std::string lane = "mov.u32 r1, %tid.x; mul.wide.u32 at, r1, 4; add.s64 d1, from, at; add.s64 d2, to, at;\n";
  const RingOutcome shuffled = run_body(
      lane + "ld.f32 f1, [d1]; mov.b32 r2, f1;\n" +
          [] {
            std::string out;
            for (const int d : {16, 8, 4, 2, 1})
              out += "shfl.sync.bfly.b32 r3, r2, " + std::to_string(d) +
                     ", 31, -1; mov.b32 f1, r2; mov.b32 f2, r3; add.f32 f1, f1, f2; "
                     "mov.b32 r2, f1;\n";
            return out;
          }() +
          "st.b32 [d2], r2;",
      inputs, Format::f32, 32);
  CHECK(shuffled.text.empty());
  for (std::size_t k = 0; k < 32; ++k) CHECK(shuffled.words[k] == sum);
  const RingOutcome added =
      run_body(lane + "ld.f32 f1, [d1]; red.global.add.f32 [to], f1; atom.global.add.f32 f2, [to+4], f1;", inputs,
               Format::f32, 32);
  CHECK(added.text.empty());
  CHECK(added.words[0] == sum);
  CHECK(added.words[1] == sum);
  // A sum by compare and swap, as atomics of other formats are made.
  const RingOutcome swapped = run_body(lane + R"(ld.f32 f1, [d1]; ld.volatile.global.b32 r2, [to];
again: mov.b32 f2, r2; add.f32 f3, f2, f1; mov.b32 r3, f3; atom.global.cas.b32 r4, [to], r2, r3;
setp.ne.s32 p, r4, r2; mov.b32 r2, r4; @p bra again;)",
                                   inputs, Format::f32, 32, false);
  CHECK(swapped.words[0] == sum);
  const RingOutcome copied = run_body(R"(.shared .align 16 .b8 part[128];
mov.u32 r1, part; cp.async.cg.shared.global [r1], [from], 16; cp.async.ca.shared.global [r1+16], [from+16], 8;
cp.async.wait_all; ld.shared.f32 f1, [r1+4]; ld.shared.f32 f2, [r1+20]; add.f32 f3, f1, f2; st.f32 [to], f3;)",
                                  inputs, Format::f32);
  CHECK(copied.text.empty());
  CHECK(copied.words[0] == in_ring(Ring::add, Format::f32, bits(inputs[1]), bits(inputs[5])));
}

TEST_CASE("what has no meaning under fpsan is reported with its line") {
  const std::vector<float> inputs{1.5f, -2.75f, 0.1f, 7};
  const std::string sum =
      "ld.f32 f1, [from]; ld.f32 f2, [from+4]; add.f32 f3, f1, f2; mov.b32 r1, f3; mov.b32 r2, f1;\n";
  const auto found = [&](const std::string& instruction) {
    return run_body(sum + instruction, inputs, Format::f32).text;
  };
  using Catch::Matchers::StartsWith;
  // The header has four lines, and the sum one.
  const std::string line = "line 9: ";
  CHECK_THAT(found("setp.gt.f32 p, f3, f2;"), StartsWith(line + "this compares numbers that were computed"));
  CHECK_THAT(found("setp.eq.s32 p, r1, 0;"), StartsWith(line + "this compares numbers that were computed"));
  CHECK_THAT(found("add.s32 r3, r1, 1;"), StartsWith(line + "an integer instruction takes the bits"));
  CHECK_THAT(found("shr.u32 r3, r1, 23;"), StartsWith(line + "an integer instruction takes the bits"));
  CHECK_THAT(found("and.b32 r3, r1, 0x7fffffff;"), StartsWith(line + "an integer instruction takes the bits"));
  CHECK_THAT(found("cvt.rzi.s32.f32 r3, f3;"), StartsWith(line + "a number that was computed becomes an integer"));
  CHECK_THAT(found("cvt.u64.u32 d1, r1; and.b64 d1, d1, 0; add.s64 d1, d1, to;"), Catch::Matchers::Equals(""));
  CHECK_THAT(found("mov.b32 {h1, h2}, r1; cvt.f32.f16 f1, h2;"),
             StartsWith(line + "the bytes of an operand are of several"));
  CHECK_THAT(found("red.global.add.u32 [to], r1;"), StartsWith(line + "an integer atomic takes the bits"));
  // Inputs are what they are in the format: their comparisons and bits mean what they say.
  for (const char* instruction : {"setp.gt.f32 p, f1, f2;", "add.s32 r3, r2, 1;", "cvt.rzi.s32.f32 r3, f1;"})
    CHECK(found(instruction).empty());
  const std::vector<std::uint16_t> halves{0x3c00, 0x3c00};
  CHECK_THAT(run_body("ld.b16 h1, [from]; cvt.f32.bf16 f1, h1;", halves, Format::f16).text,
             Catch::Matchers::Contains("a number of f16 is taken as one of bf16"));
}

namespace {

/// A kernel of tests/data/ptx and the plain circuit of tests/ptx/plain.rk, on the same arguments.
class Pair {
 public:
  explicit Pair(std::string text) { test::write_file(folder_ / "k.ptx", text); }

  void put(const std::string& name, const std::vector<std::size_t>& shape, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::size_t count = 1;
    for (const std::size_t extent : shape) count *= extent;
    std::string data;
    for (std::size_t k = 0; k < count; ++k) {
      const float x = normal(random);
      data.append(reinterpret_cast<const char*>(&x), 4);
    }
    std::string extents;
    for (const std::size_t extent : shape) extents += std::to_string(extent) + ",";
    std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + extents + "), }";
    text.resize(117, ' ');
    test::write_file(folder_ / (name + ".npy"), std::string("\x93NUMPY\x01\x00\x76\x00", 10) + text + "\n" + data);
  }
  std::string file(const std::string& name) const { return "@" + (folder_ / (name + ".npy")).string(); }

  /// The last bytes that the kernel writes to its argument `out`.
  std::string kernel(std::vector<std::string> command, int out, std::size_t bytes) const {
    const std::string result = (folder_ / "out.npy").string();
    command.insert(command.begin(), {"ptx", (folder_ / "k.ptx").string(), "--in", "fpsan", "-q"});
    command.insert(command.end(), {"-o", std::to_string(out) + "=" + result});
    return run(command, result, bytes);
  }
  std::string circuit(const std::string& function, std::vector<std::string> arguments, std::size_t bytes) const {
    const std::string result = (folder_ / "plain.npy").string();
    arguments.insert(arguments.begin(), {"call", (test::source_folder() / "tests/ptx/plain.rk").string(), "--in",
                                         "fpsan", "-q", "--fn", function});
    arguments.insert(arguments.end(), {"-o", result});
    return run(arguments, result, bytes);
  }

 private:
  static std::string run(const std::vector<std::string>& command, const std::string& result, std::size_t bytes) {
    const test::RunResult made = test::run_program(command);
    INFO(made.err);
    CHECK(made.status == 0);
    if (made.status != 0) return made.err;
    const std::string file = test::read_file(result);
    return file.substr(file.size() - bytes);
  }
  test::TemporaryFolder folder_;
};

std::string cuda_kernels(const std::string& arch) { return cuda_text("kernels", arch); }

std::string replaced(std::string text, const std::string& entry, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from, text.find(".entry " + entry));
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("CUDA kernels have the elements of the ring of plain circuits, in whatever order they add") {
  const std::string arch = GENERATE(std::string("sm_80"), std::string("sm_90"));
  Pair pair(cuda_kernels(arch));
  pair.put("x", {4, 255}, 1);
  pair.put("v", {10007}, 2);
  for (const char* name : {"q", "k", "w"})
    pair.put(name, {name[0] == 'q' ? 8u : 20u, 32}, static_cast<unsigned>(name[0]));
  for (const char* name : {"a", "b"}) pair.put(name, {64, 64}, static_cast<unsigned>(name[0]));
  const std::string x = pair.file("x"), v = pair.file("v");
  const std::vector<std::string> of_x{"--arg", "x=" + x}, of_v{"--arg", "x=" + v};
  CHECK(pair.kernel({"--entry", "softmax", "--grid=4", "--block=64", "--arg", x, "--arg", "f32[4,255]", "--arg", "255"},
                    1, 4080) == pair.circuit("softmax", of_x, 4080));
  CHECK(pair.kernel({"--entry", "layer_norm", "--grid=4", "--block=32", "--arg", x, "--arg", "f32[4,255]", "--arg",
                     "255"},
                    1, 4080) == pair.circuit("layer_norm", {"--arg", "x=" + x, "--arg", "count=255"}, 4080));
  const std::string total = pair.circuit("total", of_v, 4);
  for (const char* name : {"sum_by_halves", "sum_by_shuffles"})
    CHECK(pair.kernel({"--entry", name, "--block=256", "--arg", v, "--arg", "f32[1]", "--arg", "10007"}, 1, 4) ==
          total);
  CHECK(pair.kernel({"--entry", "sum_by_last_block", "--grid=5", "--block=128", "--arg", v, "--arg", "f32[5]", "--arg",
                     "zeros:u32[1]", "--arg", "f32[1]", "--arg", "10007"},
                    3, 4) == total);
  CHECK(pair.kernel({"--entry", "attention", "--grid=8", "--block=32", "--arg", pair.file("q"), "--arg", pair.file("k"),
                     "--arg", pair.file("w"), "--arg", "f32[8,32]", "--arg", "20"},
                    3, 1024) ==
        pair.circuit("attention",
                     {"--arg", "q=" + pair.file("q"), "--arg", "k=" + pair.file("k"), "--arg", "v=" + pair.file("w")},
                     1024));
  const std::string products =
      pair.circuit("products", {"--arg", "a=" + pair.file("a"), "--arg", "b=" + pair.file("b")}, 16384);
  for (const auto& [name, grid] :
       {std::pair{"product_by_tiles", "--grid=4,4"}, std::pair{"product_in_registers", "--grid=1,1"}})
    CHECK(pair.kernel({"--entry", name, grid, "--block=16,16", "--arg", pair.file("a"), "--arg", pair.file("b"),
                       "--arg", "f32[64,64]", "--arg", "64"},
                      2, 16384) == products);
}

TEST_CASE("a wrong kernel differs from the plain circuit under fpsan") {
  const std::string text = cuda_kernels("sm_80");
  const auto total_of = [](const std::string& kernels, const std::string& name) {
    Pair pair(kernels);
    pair.put("v", {10007}, 2);
    const std::string v = pair.file("v");
    return pair.kernel({"--entry", name, "--block=256", "--arg", v, "--arg", "f32[1]", "--arg", "10007", "--no-races"},
                       1, 4) == pair.circuit("total", {"--arg", "x=" + v}, 4);
  };
  CHECK(total_of(text, "sum_by_shuffles"));
  // A shuffle the wrong way, and sums that become maxima and differences.
  CHECK_FALSE(total_of(replaced(text, "sum_by_shuffles", "shfl.sync.down.b32", "shfl.sync.up.b32"), "sum_by_shuffles"));
  CHECK_FALSE(total_of(replaced(text, "sum_by_halves", "add.f32", "max.f32"), "sum_by_halves"));
  CHECK_FALSE(total_of(replaced(text, "sum_by_halves", "add.f32", "sub.f32"), "sum_by_halves"));
}

TEST_CASE("random kernels have the ring's elements under fpsan, whatever their numbers go through") {
  const std::uint64_t count = test::long_run() ? 20'000 : 400;
  const std::uint64_t first = test::stream(29);
  for (std::uint64_t k = 0; k < count; ++k) {
    const RandomKernel kernel(first + k, 40, true);
    INFO("seed " << first + k << "\n" << kernel.text());
    Launcher gpu(kernel.text());
    RingValues values(fpsan::now);
    LaunchOptions options = shape(1, 32);
    options.values = &values;
    const std::uint64_t in = gpu.put(std::span<const float>(kernel.in)), out = gpu.room(128);
    gpu.mark(in, Format::f32, values);
    const LaunchReport report = gpu.run("k", options, in, out);
    const auto expected = kernel.expected();
    const bool same =
        report.clean() && gpu.get<std::uint32_t>(out, 32) == std::vector(expected.begin(), expected.end());
    CHECK(Launcher::text(report).empty());
    CHECK(same);
    if (!same) break;
  }
}
