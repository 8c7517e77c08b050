// Products of f64 by tensor cores, whose fragments the ISA states, and factors of warp groups that are changed too early.
#include <cmath>

#include "tests/ptx/cuda.h"
#include "tests/ptx/ring.h"

namespace {

using namespace reckon;
using namespace reckon::ptx;
using namespace reckon::ptx::testing;
using numerics::Format;

/// One warp multiplies a (rows x k) and b (k x 8), both by rows, and adds c. Registers are loaded by the ISA's formulas
/// (PTX ISA 9.0, "Matrix Fragments for mma.m8n8k4 with .f64 ..."): with g = lane / 4 and t = lane % 4, a_i is
/// in row g (+ 8 for odd i of 16 rows) and column t + 4 (i / (rows / 8)); b_i in row t + 4 i and column g; c_i in row g (+
/// 8 for i > 1) and column 2 t + i % 2.
std::string kernel(int rows, int k) {
  const int halves = rows / 8, of_a = rows * k / 32, of_b = 8 * k / 32, of_c = rows / 4;
  std::string text =
      ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in_a, .param .u64 in_b, .param .u64 "
      "in_c)\n{\n.reg .b64 pa, pb, pc, at; .reg .b32 l, g, t, i; .reg .f64 a<8>, b<4>, c<4>;\n"
      "ld.param.u64 pa, [in_a]; ld.param.u64 pb, [in_b]; ld.param.u64 pc, [in_c];\n"
      "mov.u32 l, %tid.x; shr.u32 g, l, 2; and.b32 t, l, 3;\n";
  const auto element = [&](const std::string& row, const std::string& column, int width, const std::string& base) {
    text += "mad.lo.s32 i, " + row + ", " + std::to_string(width) + ", " + column + "; mul.wide.s32 at, i, 8; add.s64 at, at, " +
            base + ";\n";
  };
  const auto list = [](const std::string& name, int count) {
    std::string out = "{";
    for (int i = 0; i < count; ++i) out += (i > 0 ? ", " : "") + name + std::to_string(i);
    return out + "}";
  };
  for (int i = 0; i < of_a; ++i) {
    element("g", "t", k, "pa");
    text += "ld.global.f64 a" + std::to_string(i) + ", [at+" +
            std::to_string(8 * (8 * (i % halves) * k + 4 * (i / halves))) + "];\n";
  }
  for (int i = 0; i < of_b; ++i) {
    element("t", "g", 8, "pb");
    text += "ld.global.f64 b" + std::to_string(i) + ", [at+" + std::to_string(8 * 4 * i * 8) + "];\n";
  }
  const auto sums = [&](const std::string& what) {
    for (int i = 0; i < of_c; ++i) {
      text += "shl.b32 i, t, 1; mad.lo.s32 i, g, 8, i; mul.wide.s32 at, i, 8; add.s64 at, at, pc;\n";
      const std::string place = "[at+" + std::to_string(8 * (i % 2 + (i > 1 ? 64 : 0))) + "]", reg = "c" + std::to_string(i);
      text += what == "ld" ? "ld.global.f64 " + reg + ", " + place + ";\n" : "st.global.f64 " + place + ", " + reg + ";\n";
    }
  };
  sums("ld");
  text += "mma.sync.aligned.m" + std::to_string(rows) + "n8k" + std::to_string(k) + ".row.col.f64.f64.f64.f64 " +
          list("c", of_c) + ", " + list("a", of_a) + ", " + list("b", of_b) + ", " + list("c", of_c) + ";\n";
  sums("st");
  return text + "ret;\n}\n";
}

}  // namespace

TEST_CASE("tensor cores of f64 add fused products in order, and in the ring under fpsan") {
  for (const auto& [m, k] : std::vector<std::pair<int, int>>{{8, 4}, {16, 4}, {16, 8}, {16, 16}}) {
    INFO(m << " x 8 x " << k);
    std::vector<double> a, b, c;
    const auto rows = static_cast<std::size_t>(m), leaves = static_cast<std::size_t>(k);
    for (const float x : numbers(rows * leaves, 81)) a.push_back(std::sqrt(std::fabs(x)) * (x < 0 ? -1 : 1));
    for (const float x : numbers(leaves * 8, 82)) b.push_back(x / 3.0);
    for (const float x : numbers(rows * 8, 83)) c.push_back(x / 7.0);
    Launcher gpu(kernel(m, k));
    const std::uint64_t in_a = gpu.put(a), in_b = gpu.put(b), sums = gpu.put(c);
    gpu.clean("k", shape(1, 32), in_a, in_b, sums);
    RingValues values(fpsan::now);
    LaunchOptions options = shape(1, 32);
    options.values = &values;
    const std::uint64_t ring_a = gpu.put(a), ring_b = gpu.put(b), ring_c = gpu.put(c);
    for (const std::uint64_t at : {ring_a, ring_b, ring_c}) gpu.mark(at, Format::f64, values);
    gpu.clean("k", options, ring_a, ring_b, ring_c);
    const auto made = gpu.get<double>(sums, rows * 8);
    const auto in_the_ring = gpu.get<std::uint64_t>(ring_c, rows * 8);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < 8; ++j) {
        double sum = c[i * 8 + j];
        auto element = std::bit_cast<std::uint64_t>(sum);
        for (std::size_t l = 0; l < leaves; ++l) {
          sum = std::fma(a[i * leaves + l], b[l * 8 + j], sum);
          element = in_ring(Ring::fma, Format::f64, std::bit_cast<std::uint64_t>(a[i * leaves + l]),
                            std::bit_cast<std::uint64_t>(b[l * 8 + j]), element);
        }
        CHECK(made[i * 8 + j] == sum);
        CHECK(in_the_ring[i * 8 + j] == element);
      }
  }
}

TEST_CASE("a factor of a warp group that is changed before the wait is found at its line") {
  const auto found = [](const std::string& early, const std::string& late) {
    Launcher gpu(
        ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 a<4>; .reg .f32 s<4>; .reg .b64 "
        "d; .reg .b32 at; .shared .align 128 .b8 part[1024];\n"
        "mov.u32 at, %tid.x; shl.b32 at, at, 3; mov.b64 d, 0; st.shared.b64 [at], d; bar.sync 0; mov.u32 at, part; "
        "cvt.u64.u32 d, at; shr.u64 d, d, 4; mov.b32 a0, 0; mov.b32 a1, 0; mov.b32 a2, 0; mov.b32 a3, 0;\n"
        "mov.f32 s0, 0f00000000; mov.f32 s1, s0; mov.f32 s2, s0; mov.f32 s3, s0; wgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {s0, s1, s2, s3}, {a0, a1, a2, a3}, d, 1, 1, 1, 0;\n"
        "wgmma.commit_group.sync.aligned;\n" +
        early + "\nwgmma.wait_group.sync.aligned 0;\n" + late + "\nret;\n}\n");
    return Launcher::text(gpu.run("k", shape(1, 128)));
  };
  CHECK(found("", "mov.b32 a2, 1;").empty());
  CHECK_THAT(found("mov.b32 a2, 1;", ""),
             Catch::StartsWith("line 11: a factor of `wgmma` is changed before `wgmma.wait_group`: the product at line 9"));
  CHECK_THAT(found("add.u32 a3, a3, 1;", ""), Catch::Contains("a factor of `wgmma` is changed"));
}
