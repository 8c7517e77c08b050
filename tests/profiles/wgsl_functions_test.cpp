// The functions of stdlib/wgsl.rk against values worked out by hand or from their definitions in WGSL's specification.
#include <catch2/catch.hpp>

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
