// The functions of stdlib/wgsl.rk against values worked out by hand or from their definitions in WGSL's specification.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "tests/support/process.h"

using namespace reckon::test;

namespace {
std::string exactly(const std::string& expression) {
  const RunResult run = run_program({"eval", expression, "--in=exact"});
  return run.status == 0 ? run.out.substr(0, run.out.find_last_not_of('\n') + 1) : run.err;
}
}  // namespace

TEST_CASE("scalar functions of WGSL") {
  CHECK(exactly("fract[f32](-1.25)") == "3/4");
  CHECK(exactly("modf[f32](-1.25)") == "(-1/4, -1)");
  CHECK(exactly("[saturate[f32](2), saturate[f32](-1), saturate[f32](0.5)]") == "[1, 0, 1/2]");
  CHECK(exactly("[step[f16](1, 0.5), step[f16](1, 1)]") == "[0, 1]");
  CHECK(exactly("mix[f32](2, 10, 0.25)") == "4");
  CHECK(exactly("smoothstep[f32](0, 4, 1)") == "5/32");  // t = 1/4: t^2 (3 - 2 t)
  CHECK(exactly("[smoothstep[f32](0, 1, 7), smoothstep[f32](0, 1, -7)]") == "[1, 0]");
  CHECK(exactly("[clampMedian[f32](5, 1, 3), clampMedian[f32](5, 7, 6), clampMedian[f32](2, 3, 1)]") == "[3, 6, 2]");
  CHECK(run_program({"eval", "[degrees(f64(1)), radians(f64(180))]"}).out == "[57.29577951308232, 3.141592653589793]\n");
  CHECK(run_program({"eval", "quantizeToF16(0.1)"}).out == "0.099975586  f32#3dccc000\n");
}

TEST_CASE("frexp, of WGSL and of the language") {
  CHECK(exactly("frexp[f32](-10)") == "(-5/8, 4)");
  CHECK(exactly("frexp[f16](0.375)") == "(3/4, -1)");
  CHECK(exactly("frexp[f32](1)") == "(1/2, 1)");
  CHECK(exactly("frexp[f32](0)") == "(0, 0)");
  const std::string import = "import \"profiles/wgsl\"\nimport \"wgsl\"\n";
  const auto shown = [&](const char* text) { return run_program({"run", "-"}, import + "show " + text + "\n").out; };
  CHECK(shown("frexp(f32(-10)) in accept(wgsl)") == "(-0.625, 4)\n");
  CHECK(shown("frexp(f32(0)) in accept(wgsl)") == "(0, 0)\n");
  // A subnormal number may have anything.
  CHECK(shown("frexp(f32(1e-40)) in accept(wgsl)").find("unbounded") != std::string::npos);
}

TEST_CASE("packed numbers of WGSL") {
  const auto is = [](const std::string& left, const std::string& right) {
    const RunResult run = run_program({"eval", left + " == " + right});
    CAPTURE(left, right, run.err);
    CHECK(run.out == "true\n");
  };
  // floor(1/2 + k e): 127 * 0.5 + 0.5 = 64, 127 * -0.25 + 0.5 = -31.25.
  is("pack4x8snorm([1, -1, 0.5, -0.25])", "0xe040817f");
  is("pack4x8unorm([0, 1, 0.5, 2])", "0xff80ff00");
  is("pack2x16snorm([1, -1])", "0x80017fff");
  is("pack2x16unorm([0.5, 1])", "0xffff8000");
  is("pack2x16float([1, -2])", "0xc0003c00");
  is("pack4xI8([1, -2, 127, 128])", "0x807ffe01");
  is("pack4xI8Clamp([1, -2, 1000, -1000])", "0x807ffe01");
  is("pack4xU8([1, 2, 3, 256])", "0x00030201");
  is("pack4xU8Clamp([1, 2, 3, 256])", "0xff030201");
  CHECK(run_program({"eval", "unpack4xI8(0x807ffe01)"}).out == "[1, -2, 127, -128]\n");
  CHECK(run_program({"eval", "unpack4xU8(0x807ffe01)"}).out == "[1, 254, 127, 128]\n");
  is("dot4I8Packed(0x807ffe01, 0x01010101)", "i32(-2)");
  is("dot4U8Packed(0x807ffe01, 0x01010101)", "510");
}

TEST_CASE("numbers are packed as the reals are, also where f32 would round") {
  std::mt19937_64 random(81);
  std::string program = "import \"wgsl\"\n";
  constexpr int lines = 60;
  for (int line = 0; line < lines; ++line) {
    const bool with_sign = line % 2 == 0, bytes = line % 4 < 2;
    const int lanes = bytes ? 4 : 2, bits = 32 / lanes;
    const long long k = (1ll << (bits - (with_sign ? 1 : 0))) - 1;
    std::string numbers;
    std::uint32_t word = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      // Beside a step, (j + 1/2) / k, where f32 cannot tell.
      const double step =
          (static_cast<double>(random() % static_cast<std::uint64_t>(k)) + 0.5) / static_cast<double>(k);
      float e = std::nextafterf(static_cast<float>(step), random() % 2 ? 2.0f : -2.0f);
      if (with_sign && random() % 2) e = -e;
      numbers += fmt::format("{}{:a}", lane == 0 ? "" : ", ", e);
      // The product of 24 and 16 bits and the sum are exact in a long double's 64 bits.
      const auto rounded = static_cast<long long>(std::floor(0.5L + static_cast<long double>(k) * e));
      word |= (static_cast<std::uint32_t>(rounded) & ((bits == 8 ? 0x100u : 0x10000u) - 1)) << (lane * bits);
    }
    program += fmt::format("show pack{}x{}{}norm([{}]) == {:#x}\n", lanes, bits, with_sign ? "s" : "u", numbers, word);
  }
  std::string expected;
  for (int line = 0; line < lines; ++line) expected += "true\n";
  const RunResult run = run_program({"run", "-"}, program);
  CHECK(run.err == "");
  CHECK(run.out == expected);
}

TEST_CASE("derivatives of WGSL, over the invocations of a quad") {
  CHECK(exactly("dpdxFine[f32]([[1, 2], [4, 8]])") == "[[1, 1],\n [4, 4]]");
  CHECK(exactly("dpdyFine[f32]([[1, 2], [4, 8]])") == "[[3, 6],\n [3, 6]]");
  CHECK(exactly("fwidthFine[f32]([[1, 2], [4, 8]])") == "[[4, 7],\n [7, 10]]");
  CHECK(exactly("dpdxCoarse[f32]([[1, 2], [4, 8]])") == "[[1, 1],\n [1, 1]]");
  CHECK(exactly("dpdyCoarse[f32]([[1, 2], [4, 8]])") == "[[3, 3],\n [3, 3]]");
  const std::string import = "import \"profiles/wgsl\"\nimport \"wgsl\"\n";
  const auto accepted = [&](const char* name, const std::string& expected) {
    const std::string check = fmt::format("show {}([[f32(1), 2], [4, 8]])[0, 0] in accept(wgsl)\n", name);
    CHECK(run_program({"run", "-"}, import + check).out == expected + "\n");
  };
  accepted("dpdxFine", "1");
  accepted("dpdx", "1 or 4");
  accepted("dpdyCoarse", "3 or 6");
  accepted("fwidth", "4 or 7 or 10");
}

TEST_CASE("vector functions of WGSL") {
  CHECK(exactly("dot[f32]([1, 2, 3], [4, 5, 6])") == "32");
  CHECK(exactly("length[f16]([2, 3, 6])") == "7");
  CHECK(exactly("distance[f32]([1, 1], [4, 5])") == "5");
  CHECK(exactly("normalize[f32]([3, 4])") == "[3/5, 4/5]");
  CHECK(exactly("cross[f32]([1, 2, 3], [4, 5, 6])") == "[-3, 6, -3]");
  CHECK(exactly("reflect[f32]([1, -1], [0, 1])") == "[1, 1]");
  // At the normal, light goes straight on; beyond the critical angle there is no refraction.
  CHECK(exactly("refract[f32]([0, -1], [0, 1], 0.5)") == "[0, -1]");
  CHECK(exactly("refract[f32]([0.8, -0.6], [0, 1], 2)") == "[0, 0]");
  CHECK(exactly("refract[f32]([0.6, -0.8], [0, 1], 1)") == "[3/5, -4/5]");
  CHECK(exactly("faceForward[f32]([1, 2], [0, 1], [0, -1])") == "[1, 2]");
  CHECK(exactly("faceForward[f32]([1, 2], [0, 1], [0, 1])") == "[-1, -2]");
}

TEST_CASE("matrix functions of WGSL, by columns") {
  CHECK(exactly("transpose[f32]([[1, 2, 3], [4, 5, 6]])") == "[[1, 4],\n [2, 5],\n [3, 6]]");
  CHECK(exactly("determinant2[f32]([[1, 2], [3, 4]])") == "-2");
  CHECK(exactly("determinant3[f32]([[1, 2, 3], [4, 5, 6], [7, 8, 10]])") == "-3");
  // By expansion along the first row in rational arithmetic.
  CHECK(exactly("determinant4[f32]([[1, 2, 3, 4], [4, 5, 6, 7], [7, 8, 10, 1], [2, 3, 1, 2]])") == "90");
  CHECK(exactly("determinant4[f32]([[2, -1, 5, 3], [4, 7, -6, 1], [-7, 8, 10, 1], [2, 3, 1, -2]])") == "-2559");
  // Columns (1, 2), (3, 4) times columns (5, 6), (7, 8).
  CHECK(exactly("matMul[f32]([[1, 2], [3, 4]], [[5, 6], [7, 8]])") == "[[23, 34],\n [31, 46]]");
  CHECK(exactly("matVecMul[f32]([[1, 2, 3], [4, 5, 6]], [1, 10])") == "[41, 52, 63]");
  CHECK(exactly("vecMatMul[f32]([1, 10], [[1, 2], [3, 4], [5, 6]])") == "[21, 43, 65]");
  CHECK(exactly("matScalarMul[f32]([[1, 2]], 3)") == "[[3, 6]]");
  CHECK(exactly("matAdd[f32]([[1, 2]], [[3, 4]])") == "[[4, 6]]");
  CHECK(exactly("matSub[f32]([[1, 2]], [[3, 4]])") == "[[-2, -2]]");
}

TEST_CASE("a format follows from the arguments") {
  CHECK(run_program({"eval", "fract(f16(1.5))"}).out == "0.5  f16#3800\n");
  CHECK(run_program({"eval", "mix(f32(0), f32(2), 0.5)"}).out == "1  f32#3f800000\n");
  CHECK(run_program({"eval", "cross([f64(1), 0, 0], [0, 1, 0])"}).out == "[0, 0, 1]\n");
  const std::string import = "import \"wgsl\"\n";
  CHECK(run_program({"run", "-"}, import + "show fract(1.5)\n").err.find("E0303") != std::string::npos);
  CHECK(run_program({"eval", "fract(1.5)"}).out == "0.5  f64#3fe0000000000000\n");  // what meets no format is f64 there
  CHECK(run_program({"eval", "mix(f32(0), f16(2), 0.5)"}).err.find("E0300") != std::string::npos);
}
