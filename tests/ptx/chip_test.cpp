// Approximate instructions by the tables of an H200, on operands that were no part of the tables: what it gave is in
// tests/data/ptx/h200_approximate.bin, 2048 random operands of all magnitudes for each instruction (tests/gpu/approximate_tables.py).
#include <cmath>
#include <sstream>

#include "numerics/chips/chip.h"
#include "tests/ptx/cuda.h"

namespace {

using namespace reckon;
using namespace reckon::ptx;
using namespace reckon::ptx::testing;

std::string kernel_of(const std::string& instruction) {
  const bool two = instruction.starts_with("div");
  return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 d)\n{\n"
         ".reg .b64 pa, pb, pd, at; .reg .b32 i, t, c; .reg .f32 x, y, z;\n"
         "ld.param.u64 pa, [a]; ld.param.u64 pb, [b]; ld.param.u64 pd, [d];\n"
         "mov.u32 i, %ctaid.x; mov.u32 t, %ntid.x; mov.u32 c, %tid.x; mad.lo.u32 i, i, t, c; mul.wide.u32 at, i, 4;\n"
         "add.u64 pa, pa, at; add.u64 pb, pb, at; add.u64 pd, pd, at; ld.global.f32 x, [pa]; ld.global.f32 y, [pb];\n" +
         instruction + " z, x" + (two ? ", y" : "") + ";\nst.global.f32 [pd], z;\nret;\n}\n";
}

}  // namespace

TEST_CASE("approximate instructions by an H200's tables give its bits on operands of all magnitudes") {
  const auto chip = numerics::Chip::named("h200");
  REQUIRE(chip);
  CHECK(chip->name() == "NVIDIA H200");
  std::istringstream in(test::read_file(test::data_folder() / "ptx" / "h200_approximate.bin"));
  int instructions = 0;
  for (std::string line; std::getline(in, line); ++instructions) {
    std::string instruction;
    std::size_t count = 0;
    std::istringstream(line) >> instruction >> count;
    INFO(instruction);
    REQUIRE(count == 2048);
    std::vector<std::uint32_t> x(count), y(count), given(count);
    for (auto* all : {&x, &y, &given}) in.read(reinterpret_cast<char*>(all->data()), static_cast<std::streamsize>(4 * count));
    Launcher gpu(kernel_of(instruction));
    gpu.chip = chip.get();
    const std::uint64_t of_x = gpu.put(x), of_y = gpu.put(y), out = gpu.room(4 * count);
    gpu.clean("k", shape(8, 256), of_x, of_y, out);
    const auto made = gpu.get<std::uint32_t>(out, count);
    int differ = 0;
    for (std::size_t k = 0; k < count; ++k) differ += made[k] != given[k] ? 1 : 0;
    CHECK(differ == 0);
  }
  CHECK(instructions == 12);
  // Powers of two by whole numbers are exact on an H200, also where other negative numbers come by inverted fractions.
  for (const char* instruction : {"ex2.approx.ftz.f32", "ex2.approx.f32"}) {
    Launcher gpu(kernel_of(instruction));
    gpu.chip = chip.get();
    std::vector<float> whole(256), powers;
    for (int k = 0; k < 256; ++k) whole[static_cast<std::size_t>(k)] = static_cast<float>(k - 126);
    for (const float k : whole) powers.push_back(std::exp2(k));
    const std::uint64_t of_x = gpu.put(whole), out = gpu.room(1024);
    gpu.clean("k", shape(1, 256), of_x, of_x, out);
    CHECK(same(gpu.get<float>(out, 256), powers));
  }
}

TEST_CASE("NaNs of f64 keep their operand's payload, as on an H200") {
  const auto made = [](const std::string& instruction, std::uint64_t x, std::uint64_t y, std::uint64_t z) {
    Launcher gpu(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
        ".reg .b64 from, to; .reg .f64 x, y, z, d; .reg .f32 f; ld.param.u64 from, [in]; ld.param.u64 to, [out];\n"
        "ld.global.f64 x, [from]; ld.global.f64 y, [from+8]; ld.global.f64 z, [from+16]; mov.f64 d, "
        "0d0000000000000000;\n" +
        instruction + "\nst.global.f64 [to], d; ret;\n}\n");
    const std::uint64_t out = gpu.room(8);
    gpu.clean("k", shape(1, 1), gpu.put(std::vector<std::uint64_t>{x, y, z}), out);
    return gpu.get<std::uint64_t>(out, 1)[0];
  };
  // What an H200 gave in November 2026 (tests/gpu/replay_kernels.py).
  constexpr std::uint64_t all = ~std::uint64_t{0}, signalling = 0x7ff050e099223256, number = 0x3f41b890bf58bcfe;
  for (const char* two : {"add.rn.f64 d, x, y;", "mul.rz.f64 d, x, y;", "div.rm.f64 d, x, y;"})
    CHECK(made(two, number, all, 0) == all);
  CHECK(made("fma.rp.f64 d, x, y, z;", signalling, 0x611ca41df7744985, 0xbf0a971abf2e2014) == 0x7ff850e099223256);
  for (const char* narrow : {"cvt.rn.f32.f64 f, x; mov.b64 d, {f, f};", "cvt.rm.f32.f64 f, x; mov.b64 d, {f, f};"}) {
    CHECK(made(narrow, all, 0, 0) == all);
    CHECK(made(narrow, signalling, 0, 0) == 0x7fc287047fc28704);
  }
}

TEST_CASE("instructions that a chip's tables do not have are refused by name, and damaged tables are") {
  std::string problem;
  const auto chip = numerics::Chip::named("h200");
  REQUIRE(chip);
  Launcher gpu(kernel_of("lg2.approx.f32"));
  gpu.chip = chip.get();
  CHECK(gpu.refusal("k") == "the tables of NVIDIA H200 do not have what `lg2.approx.f32` gives");
  const test::TemporaryFolder folder;
  const std::string bytes = test::read_file(test::source_folder() / "numerics" / "chips" / "h200.approx");
  const auto refused = [&](const std::string& contents) {
    test::write_file(folder / "t", contents);
    CHECK(numerics::Chip::read(folder / "t", problem) == nullptr);
    return problem;
  };
  using Catch::Matchers::Contains;
  CHECK_THAT(refused(bytes.substr(0, bytes.size() - 5)), Contains("the table of `sqrt` is damaged"));
  CHECK_THAT(refused("x\n"), Contains("it does not begin as such a file does"));
  CHECK_THAT(refused("reckon approximate tables: A\nex2 12 12\n"), Contains("`ex2` has another size"));
  CHECK_THAT(refused("reckon approximate tables: A\nex3 8388608 12\n"), Contains("`ex3 8388608 12`"));
  CHECK(numerics::Chip::read(folder / "none", problem) == nullptr);
  CHECK_THAT(problem, Contains("no file that can be read"));
}
