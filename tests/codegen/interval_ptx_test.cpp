// Intervals in PTX: what is emitted, the audit and ptxas. Whether it runs so is tests/gpu/agree.sh's to say.
#include "tests/codegen/intervals.h"
#include "tests/support/golden.h"

namespace reckon::codegen::testing {

TEST_CASE("intervals in PTX: directed instructions, as they have always been") {
  Circuit c;
  auto& m = c.module;
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f32, {n}), y = c.parameter("y", Scalar::f64, {n});
  c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
    const NodeId a = m.element(x, {c.at(i[0])}), b = m.element(y, {c.at(i[0])}), wide = m.convert(a, Scalar::f64);
    const NodeId third = m.rational(mpq_class(1, 3), Scalar::f64);
    return m.apply(Op::fma, {wide, third, m.apply(Op::div, {m.apply(Op::sqrt, {m.apply(Op::abs, {b})}), m.apply(Op::add, {b, third})})});
  }));
  const std::string assembly = must_compile(c, ptx("sm_90", CompiledSemantics::interval)).assembly;
  for (const char* name : {"add", "div", "sqrt", "fma"}) {
    for (const char* way : {".rm.f64", ".rp.f64"}) CHECK(assembly.find(std::string(name) + way) != std::string::npos);
  }
  CHECK(assembly.find(".rn.") == std::string::npos);
  test::check_golden("codegen/interval.ptx", assembly);
}

TEST_CASE("intervals in PTX: every operation and schedule passes the audit and assembles") {
  const auto assembles = [](const Compiled& compiled, const char* arch) {
    const PtxasResult result = check_with_ptxas(compiled.assembly, arch);
    INFO(result.message);
    CHECK(result.status != PtxasResult::Status::rejected);
  };
  for (Op op : all_operations) {
    INFO(ir::traits(op).spelling);
    Operation circuit(op);
    assembles(must_compile(circuit, ptx("sm_100", CompiledSemantics::interval_f32)), "sm_100");
    if (!ptx_has(op)) continue;
    assembles(must_compile(circuit, ptx("sm_80", CompiledSemantics::interval)), "sm_80");
  }
  for (const auto& [name, make] : every_schedule()) {
    Circuit c;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", Scalar::f32, {n});
    c.result(c.reduce(Op::mul, n, make(c), [&](VariableId i) { return c.module.element(x, {c.at(i)}); }));
    const Compiled compiled = must_compile(c, ptx("sm_90", CompiledSemantics::interval));
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

TEST_CASE("intervals in PTX: what LLVM folds has the ends of the interpreter") {
  Random random(8);
  int folded = 0;
  for (Op op : {Op::add, Op::sub, Op::mul, Op::div, Op::fma, Op::sqrt}) {
    for (int trial = 0; trial < 12; ++trial) {
      Circuit c;
      std::vector<NodeId> operands;
      for (int k = 0; k < ir::traits(op).arity; ++k) {
        double value = hostile(random);
        while (!std::isfinite(value) || value == 0 || (op == Op::sqrt && value < 0)) value = hostile(random);
        const auto exact = *numerics::exact_value(std::bit_cast<std::uint64_t>(value), numerics::Format::f64);
        // A third of it is no f64, so that its ends differ.
        operands.push_back(c.module.rational(trial % 2 == 0 ? exact : mpq_class(exact / 3), Scalar::f64));
      }
      const NodeId x = c.parameter("x", Scalar::f64);
      c.result(c.module.apply(Op::min, {x, c.module.apply(op, operands)}));
      const std::string assembly = must_compile(c, ptx("sm_90", CompiledSemantics::interval)).assembly;
      HostTensor largest_number(Scalar::f64, {});
      largest_number.set_bits(0, std::bit_cast<std::uint64_t>(infinity));
      const Outcome expected = interpreted(c, {largest_number});
      REQUIRE(expected);
      for (int end = 0; end < 2; ++end) {
        const double value = std::bit_cast<double>((*expected)[0].bits(end));
        if (std::fabs(value) >= largest || value == 0) continue;
        char text[32];
        std::snprintf(text, sizeof text, "0d%016llX", static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(value)));
        const bool at_run_time = assembly.find(std::string(ir::traits(op).spelling) + ".r") != std::string::npos;
        INFO(ir::traits(op).spelling << ": " << text << "\n" << assembly);
        folded += !at_run_time;
        CHECK((at_run_time || assembly.find(text) != std::string::npos));
      }
    }
  }
  CHECK(folded > 50);
}

}  // namespace reckon::codegen::testing
