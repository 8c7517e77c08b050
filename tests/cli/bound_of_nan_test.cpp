// `bound` and `bound(any)` end where NaNs and infinities come in, and say why there is no bound.
#include "tests/cli/reckon_run.h"

using namespace reckon::test;

namespace {

std::string shown(const std::string& items) {
  const RunResult result = run_program({"run", "-"}, items, std::chrono::seconds(20));
  INFO(items << "\n" << result.err);
  CHECK(result.status == 0);
  return result.out;
}

}  // namespace

TEST_CASE("a NaN among the leaves of a sum has no bound, in any order") {
  const std::string sum = "fn t(x: f16[n]) -> f16 = sum i: x[i] by any_seq\n";
  CHECK(shown(sum + "show t([f16#5176, f16#7e00, f16#080f, f16#8f0f, f16#4372, f16#461a]) in bound(any)") ==
        "nan  +- unbounded (not a number)\n");
  for (const char* by : {"seq", "tree", "any", "any_tree"}) {
    const std::string each = "fn t(x: f32[n]) -> f32 = sum i: x[i] by " + std::string(by) + "\n";
    CHECK(shown(each + "show t([f32(1), nan, 2]) in bound(any)") == "nan  +- unbounded (not a number)\n");
    CHECK(shown(each + "show t([inf, f32(1), -inf, 3]) in bound(any)").starts_with("nan  +- unbounded ("));
  }
}

TEST_CASE("a remainder and a function of no number have no bound") {
  const std::string f = "fn f(a: bf16, x: bf16) -> bf16 = fma(rsqrt(a), x, bf16(0)) % bf16(0)\n";
  CHECK(shown(f + "show f(bf16#bfef, bf16#bfef) in bound(any)") ==
        "nan  +- unbounded (an operand may lie outside the function's domain)\n");
  CHECK(shown(f + "show f(bf16#bfef, bf16#bfef) in bound") ==
        "nan  +- unbounded (an operand may lie outside the function's domain)\n");
}
