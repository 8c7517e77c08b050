// What a launch that profiles counts, and how many registers are live at once, by hand.
#include "ptx/emulate/joined.h"
#include "ptx/emulate/pressure.h"
#include "tests/ptx/cuda.h"

namespace {

using namespace reckon::ptx;
using namespace reckon::ptx::testing;

std::string body(const std::string& text) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred q;\n.reg .b32 "
         "a, b, "
         "c, d;\n.reg .b64 at;\n" +
         text + "\n}\n";
}
std::uint32_t live(const std::string& text) {
  const ReadResult made = read(body(text));
  REQUIRE(!made.mistake);
  return *live_registers(made.module.functions[0]);
}

}  // namespace

TEST_CASE("registers are live from where they are written to where they are read last") {
  CHECK(live("ret;") == 0);
  // The address takes two registers of 32 bits.
  CHECK(live("ld.param.u64 at, [p]; ld.global.u32 a, [at]; st.global.u32 [at], a; ret;") == 3);
  // a and b are dead where c is.
  CHECK(live("ld.param.u64 at, [p]; mov.u32 a, 1; mov.u32 b, 2; add.u32 c, a, b; st.global.u32 [at], c; ret;") == 4);
  // a is read again in the next round of the loop.
  CHECK(live("mov.u32 a, 1; mov.u32 b, 0;\nagain: add.u32 b, b, a; mov.u32 c, b; setp.lt.u32 q, c, 9; @q bra again; "
             "ret;") == 3);
  // A guarded write leaves what was there.
  CHECK(live("mov.u32 a, 1; mov.u32 b, 2; setp.eq.u32 q, b, 2; @q mov.u32 a, 3; mov.u32 c, a; ret;") == 2);
}

TEST_CASE("a launch that profiles counts for each operation") {
  const std::string text = body(
      "mov.u32 a, %tid.x; ld.param.u64 at, [p]; mul.wide.u32 at, a, 8; ld.param.u64 at, [p];\n"
      "setp.lt.u32 q, a, 8;\n@q bra few;\nret;\nfew: mad.wide.u32 at, a, 64, at;\nld.global.u32 b, [at];\nret;");
  Launcher gpu(text);
  LaunchOptions options = shape(3, 64);
  options.profiles = true;
  const std::uint64_t in = gpu.put(std::vector<int>(8 * 16, 1));
  const LaunchReport report = gpu.clean("k", options, in);
  const OperationCounts *branch = nullptr, *load = nullptr;
  for (const OperationCounts& one : report.operations) {
    if (one.line == 11) branch = &one;
    if (one.line == 14) load = &one;
  }
  REQUIRE(branch != nullptr);
  REQUIRE(load != nullptr);
  CHECK(branch->warps == 6);
  CHECK(branch->threads == 3 * 8);
  CHECK(branch->divergent == 3);
  CHECK(branch->unit == Unit::control);
  // Eight threads, 64 bytes apart, with 4 bytes each.
  CHECK(load->unit == Unit::memory);
  CHECK(load->warps == 3);
  CHECK(load->threads == 24);
  CHECK(load->global_requests == 3);
  CHECK(load->global_bytes == 3 * 32);
  CHECK(load->global_sectors == 3 * 8);
  CHECK(gpu.clean("k", shape(3, 64), in).operations.empty());
}

TEST_CASE("sums of products that an assembler may carry out with one rounding are known") {
  const auto lines = [](const std::string& text) {
    const ReadResult made = read(body(".reg .f32 x, y, z;\n" + text + "\nret;"));
    REQUIRE(!made.mistake);
    return lines_that_may_be_joined(made.module.functions[0]);
  };
  using Lines = std::vector<std::uint32_t>;
  CHECK(lines("mul.f32 x, y, z;\nadd.f32 z, x, y;\nsub.ftz.f32 y, z, x;") == Lines{11, 12});
  CHECK(lines("mul.rn.f32 x, y, z;\nadd.f32 z, x, y;").empty());
  CHECK(lines("mul.f32 x, y, z;\nadd.rn.f32 z, x, y;").empty());
  CHECK(lines("mul.f32 x, y, z;\nadd.f32 x, z, y;\nfma.rn.f32 z, x, x, y;").empty());
  CHECK(lines("mul.lo.u32 a, b, c;\nadd.u32 b, a, c;").empty());
  // NVCC leaves some: in the rotation of rows, one of two.
  const ReadResult rows = read(cuda_text("rows", "sm_80"));
  CHECK(!lines_that_may_be_joined(*rows.module.entry("rope")).empty());
  CHECK(lines_that_may_be_joined(*rows.module.entry("rms_norm")).empty());
}
