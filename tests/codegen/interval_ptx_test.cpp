// Intervals in PTX: what is emitted, the audit and ptxas. Whether it runs so is tests/gpu/agree.sh's to say.
#include <fmt/format.h>

#include "tests/codegen/intervals.h"
#include "tests/support/golden.h"
#include "tests/support/in_turn.h"

namespace reckon::codegen::testing {

TEST_CASE("intervals in PTX: directed instructions, as they have always been") {
  Circuit c;
  auto& m = c.module;
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f32, {n}), y = c.parameter("y", Scalar::f64, {n});
  c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
    const NodeId a = m.element(x, {c.at(i[0])}), b = m.element(y, {c.at(i[0])}), wide = m.convert(a, Scalar::f64);
    const NodeId third = m.rational(mpq_class(1, 3), Scalar::f64);
    return m.apply(Op::fma,
                   {wide, third,
                    m.apply(Op::div, {m.apply(Op::sqrt, {m.apply(Op::abs, {b})}), m.apply(Op::add, {b, third})})});
  }));
  const std::string assembly = must_compile(c, ptx("sm_90", &interval_code())).assembly;
  for (const char* name : {"add", "div", "sqrt", "fma"}) {
    for (const char* way : {".rm.f64", ".rp.f64"}) CHECK(assembly.find(std::string(name) + way) != std::string::npos);
  }
  CHECK(assembly.find(".rn.") == std::string::npos);
  test::check_golden("codegen/interval.ptx", assembly);
}

TEST_CASE("intervals in PTX: every operation and schedule passes the audit and assembles", "[targets]") {
  const auto assembles = [](const Compiled& compiled, const char* arch) {
    const PtxasResult result = check_with_ptxas(compiled.assembly, arch);
    INFO(result.message);
    CHECK(result.status != PtxasResult::Status::rejected);
  };
  test::InTurn<bool> wide({false, true});
  for (Op op : all_operations) {
    INFO(ir::traits(op).spelling);
    Operation circuit(op);
    for (const bool f64 : wide.next()) {
      if (!ptx_has(op, f64)) continue;
      if (!f64) assembles(must_compile(circuit, ptx("sm_100", &interval_f32_code())), "sm_100");
      else assembles(must_compile(circuit, ptx("sm_80", &interval_code())), "sm_80");
    }
  }
  for (const auto& [name, make] : every_schedule()) {
    Circuit c;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", Scalar::f32, {n});
    c.result(c.reduce(Op::mul, n, make(c), [&](VariableId i) { return c.module.element(x, {c.at(i)}); }));
    const Compiled compiled = must_compile(c, ptx("sm_90", &interval_code()));
    assembles(compiled, "sm_90");
    if (std::string(name) == "default") {
      CHECK(compiled.plan.kernels.size() == 1);
      for (const Kernel& kernel : compiled.plan.kernels) {
        CHECK(kernel.block_items == 1);
        CHECK(kernel.shared_bytes % 16 == 0);
      }
    }
  }
}

TEST_CASE("intervals in PTX: with f32 ends arithmetic is f32") {
  for (Op op : {Op::add, Op::sub, Op::mul, Op::div, Op::fma, Op::sqrt}) {
    INFO(ir::traits(op).spelling);
    Circuit c;
    std::vector<NodeId> operands;
    for (int k = 0; k < ir::traits(op).arity; ++k)
      operands.push_back(c.parameter(k == 0 ? "x" : k == 1 ? "y" : "z", Scalar::f32));
    c.result(c.module.apply(op, operands));
    const std::string assembly = must_compile(c, ptx("sm_90", &interval_f32_code())).assembly;
    const std::string name(ir::traits(op == Op::sub ? Op::add : op).spelling);  // x + -y
    for (const char* way : {".rm.f32", ".rp.f32"}) CHECK(assembly.find(name + way) != std::string::npos);
    CHECK(assembly.find(".f64") == std::string::npos);
  }
}

std::string in_ptx(double value, Scalar endpoints) {
  if (endpoints == Scalar::f32)
    return fmt::format("0f{:08X}", std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  return fmt::format("0d{:016X}", std::bit_cast<std::uint64_t>(value));
}

double end_of(const HostTensor& endpoints, int k) {
  return endpoints.scalar == Scalar::f32 ? std::bit_cast<float>(static_cast<std::uint32_t>(endpoints.bits(k)))
                                         : std::bit_cast<double>(endpoints.bits(k));
}

/// Finite, not 0.
double hostile_number(Random& random, Scalar endpoints) {
  double value = 0;
  while (!std::isfinite(value) || value == 0) {
    value =
        endpoints == Scalar::f32 ? std::bit_cast<float>(static_cast<std::uint32_t>(random.word())) : hostile(random);
  }
  return value;
}

TEST_CASE("intervals in PTX: what LLVM folds has the ends of the interpreter") {
  for (const Flavour& flavour : flavours) {
    Random random(8);
    int folded = 0;
    for (Op op : {Op::add, Op::sub, Op::mul, Op::div, Op::fma, Op::sqrt}) {
      for (int trial = 0; trial < 12; ++trial) {
        Circuit c;
        std::vector<NodeId> operands;
        for (int k = 0; k < ir::traits(op).arity; ++k) {
          double value = hostile_number(random, flavour.endpoints);
          if (op == Op::sqrt) value = std::fabs(value);
          const auto exact = *numerics::exact_value(std::bit_cast<std::uint64_t>(value), numerics::Format::f64);
          // A third of it is no number of a format, so that its ends differ.
          operands.push_back(c.module.rational(trial % 2 == 0 ? exact : mpq_class(exact / 3), Scalar::f64));
        }
        const NodeId x = c.parameter("x", Scalar::f64);
        c.result(c.module.apply(Op::min, {x, c.module.apply(op, operands)}));
        const std::string assembly = must_compile(c, ptx("sm_90", flavour.semantics)).assembly;
        HostTensor largest_number(Scalar::f64, {});
        largest_number.set_bits(0, std::bit_cast<std::uint64_t>(infinity));
        const Outcome expected = interpreted(c, {largest_number}, flavour);
        REQUIRE(expected);
        const double min_unbounded =
            flavour.endpoints == Scalar::f32 ? double{std::numeric_limits<float>::max()} : largest;
        for (int end = 0; end < 2; ++end) {
          const double value = end_of((*expected)[0], end);
          if (std::fabs(value) >= min_unbounded || value == 0) continue;
          const std::string text = in_ptx(value, flavour.endpoints);
          const bool at_run_time = assembly.find(std::string(ir::traits(op).spelling) + ".r") != std::string::npos;
          INFO(flavour.name << ' ' << ir::traits(op).spelling << ": " << text << "\n" << assembly);
          folded += !at_run_time;
          CHECK((at_run_time || assembly.find(text) != std::string::npos));
        }
      }
    }
    CHECK(folded > 50);
  }
}

}  // namespace reckon::codegen::testing
