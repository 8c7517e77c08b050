// Functions of f32 that are rounded once more, on GPUs: what becomes one operation, and what that is in PTX. Their
// values are compared on the emulator (tests/gpu/quotients.rk).
#include <functional>

#include "tests/codegen/program.h"

namespace reckon::codegen::testing {
namespace {

std::size_t times(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

using Element = std::function<NodeId(Circuit&, const std::function<NodeId(std::int64_t)>&)>;

/// The PTX of a circuit with an element made of x[0, i], ..., x[8, i].
std::string ptx_of(const Element& element, const char* arch) {
  Circuit c;
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f32, {c.constant(9), n});
  c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
    return element(c, [&](std::int64_t row) { return c.module.element(x, {c.constant(row), c.at(i[0])}); });
  }));
  return must_compile(c, ptx(arch)).assembly;
}

/// A sum of so many rounded functions.
Element sum_of(Op function, Scalar to, std::int64_t count) {
  return [=](Circuit& c, const auto& x) {
    NodeId sum;
    for (std::int64_t k = 0; k < count; ++k) {
      const NodeId each = c.module.convert(c.module.apply(function, {x(k)}), to);
      sum = k == 0 ? each : c.module.apply(Op::add, {sum, each});
    }
    return sum;
  };
}

}  // namespace

TEST_CASE("functions that are rounded once more are computed together in f32, and once in f64 for what is undecided") {
  for (const Scalar to : {Scalar::bf16, Scalar::f16}) {
    const std::string instruction = to == Scalar::bf16 ? "cvt.rn.bf16x2.f32" : "cvt.rn.f16x2.f32";
    for (const Op function : {Op::exp, Op::exp2}) {
      for (const std::int64_t count : {1, 2, 3, 8}) {
        CAPTURE(static_cast<int>(to), static_cast<int>(function), count);
        const std::string text = ptx_of(sum_of(function, to, count), "sm_90");
        const auto quick = static_cast<std::size_t>(count), pairs = (quick + 1) / 2;
        // Of several values, the undecided ones are found by computing anew.
        const std::size_t ways = count == 1 ? 1 : 2;
        if (to == Scalar::bf16) {
          CHECK(times(text, "ex2.approx.ftz.f32") == ways * quick);
          CHECK(times(text, "fma.rn.f32") == ways * quick * (function == Op::exp ? 3 : 0));
          // The same instruction rounds what the additions give, and what is computed exactly.
          CHECK(times(text, instruction) >= pairs + quick - 1);
          CHECK(times(text, instruction) <= pairs + quick + 2);
        } else {
          CHECK(times(text, "fma.rn.f32") == ways * quick * (function == Op::exp ? 7 : 5));
          CHECK(times(text, instruction) == ways * 2 * pairs);
        }
        CHECK(times(text, ".approx") == times(text, "ex2.approx.ftz.f32"));
        // Of several values, two that are undecided are computed at a time.
        CHECK(times(text, "cvt.rn.f32.f64") <= (count == 1 ? 1 : 3));
        CHECK(times(text, "call") == 0);
      }
    }
  }
}

TEST_CASE("other functions are rounded by an operation of their own") {
  const Element used_twice = [](Circuit& c, const auto& x) {
    const NodeId value = c.module.apply(Op::exp, {x(0)});
    return c.module.apply(Op::add, {value, c.module.convert(c.module.convert(value, Scalar::bf16), Scalar::f32)});
  };
  CHECK(times(ptx_of(used_twice, "sm_90"), ".approx") == 0);
  CHECK(times(ptx_of(sum_of(Op::sin, Scalar::bf16, 2), "sm_90"), "fma.rn.f32") == 0);
  CHECK(times(ptx_of(sum_of(Op::exp, Scalar::bf16, 2), "sm_75"), "fma.rn.f32") == 0);
  CHECK(times(ptx_of(sum_of(Op::exp, Scalar::bf16, 2), "sm_75"), ".approx") == 0);
}

}  // namespace reckon::codegen::testing
