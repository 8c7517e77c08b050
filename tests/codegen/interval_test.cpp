// Intervals compiled for the host against the interpreter's, whose ends are tested against Arb and rationals
// (tests/interp/interval_*): the same ends, to the bit but for the sign of zero, on hostile operands; the same
// refusals. RECKON_TRIALS is how many operands each operation gets.
#include "diagnostics/codes/undefined_result.h"
#include "tests/codegen/intervals.h"
#include "tests/support/in_turn.h"
#include "tests/support/long_run.h"

namespace reckon::codegen::testing {

TEST_CASE("intervals: every operation has the interpreter's ends", "[targets]") {
  const auto trials = test::trials<std::int64_t>(20'000);
  constexpr std::int64_t chunk = 2'000;
  Random random(test::stream(4));
  test::InTurn<Flavour> in_turn({std::begin(flavours), std::end(flavours)});
  for (Op op : all_operations) {
    for (const Flavour& flavour : in_turn.next()) {
      INFO(ir::traits(op).spelling << " in " << flavour.name);
      Operation circuit(op);
      const Compiled compiled = must_compile(circuit, interval_host(flavour));
      // The interpreter's are MPFR's, which takes its time.
      const bool is_function = ir::is_elementary(op) || op == Op::rsqrt;
      for (std::int64_t done = 0; done < (is_function && !test::long_run() ? trials / 10 : trials); done += chunk) {
        CHECK(difference(circuit, compiled, circuit.arguments(random, chunk), flavour) == "");
      }
    }
  }
}

TEST_CASE("intervals: without optimisation the ends are the same") {
  Random random(5);
  for (Op op : {Op::mul, Op::div, Op::fma, Op::rem, Op::sqrt}) {
    Operation circuit(op);
    CompileOptions options = interval_host();
    options.optimise = false;
    CHECK(difference(circuit, must_compile(circuit, options), circuit.arguments(random, 2000)) == "");
  }
}

TEST_CASE("intervals: parameters of every format, indices, literals and bools") {
  for (Scalar scalar : float_scalars) {
    INFO(ir::scalar_name(scalar));
    Circuit c;
    auto& m = c.module;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", scalar, {n}), flags = c.parameter("flags", Scalar::boolean, {n});
    // 1/3 of the format is kept as a rational, and an index may be larger than 2^53.
    const NodeId list = m.array({m.rational(mpq_class(1, 3), scalar), m.rational(mpq_class("1" + std::string(400, '0')), scalar)}, {2});
    const auto body = [&](const std::vector<VariableId>& i) {
      const NodeId value = m.element(x, {c.at(i[0])});
      const NodeId big = m.index_value(c.index().multiply(c.at(i[0]), c.constant(0x123456789abcdef)), scalar);
      const NodeId moved = m.apply(Op::add, {value, m.element(list, {c.index().floor_mod(c.at(i[0]), c.constant(2))})});
      return m.apply(Op::select, {m.element(flags, {c.at(i[0])}), m.apply(Op::sub, {moved, big}), m.rational(mpq_class(1, 10), scalar)});
    };
    const auto truths = [&](const std::vector<VariableId>& i) {
      const NodeId value = m.element(x, {c.at(i[0])}), flag = m.element(flags, {c.at(i[0])});
      const NodeId third = m.rational(mpq_class(1, 3), scalar);
      const NodeId unknown = m.apply(Op::less_equal, {third, third});
      const NodeId small = m.apply(Op::less, {value, third});
      const NodeId either = m.apply(Op::logical_or, {m.apply(Op::logical_and, {unknown, small}), m.apply(Op::logical_not, {flag})});
      return m.apply(Op::select, {unknown, either, m.apply(Op::select, {flag, small, either})});
    };
    c.result(m.tuple({c.map({n}, body), c.map({n}, truths), x, flags}));
    HostTensor values = edgy(scalar, {80}, 3);
    for (std::int64_t i = 0; i < values.size(); ++i) {
      if (numerics::is_nan(values.bits(i), ir::format_of(scalar))) values.set_bits(i, 0);
    }
    for (const Flavour& flavour : flavours) {
      const Compiled compiled = must_compile(c, interval_host(flavour));
      CHECK(difference(c, compiled, {values, ordinary(Scalar::boolean, {80}, 7)}, flavour) == "");
    }
  }
}

TEST_CASE("intervals: NaN has none, in an argument, a list or a literal") {
  Circuit c;
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f16, {n}), y = c.parameter("y", Scalar::f16, {n});
  c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
    return c.module.apply(Op::add, {c.module.element(x, {c.at(i[0])}), c.module.element(y, {c.at(i[0])})});
  }));
  const Compiled compiled = must_compile(c, interval_host());
  HostTensor fine = ordinary(Scalar::f16, {9}, 1), bad = fine;
  bad.set_bits(8, numerics::canonical_nan(numerics::Format::f16));
  CHECK(compiled_for_host(c, compiled, {fine, fine}));
  const Outcome outcome = compiled_for_host(c, compiled, {fine, bad});
  REQUIRE(!outcome);
  CHECK(outcome.error().message == "argument `y`: `nan` is no real number, so it has no value under `interval`");
  CHECK(difference(outcome, interpreted(c, {fine, bad})) == "");

  ir::Literal nan;
  nan.kind = ir::Literal::Kind::not_a_number;
  Circuit literal;
  literal.result(literal.module.apply(Op::add, {literal.module.literal(nan, Scalar::f32), literal.module.rational(1, Scalar::f32)}));
  const auto refused = compile(literal.module, literal.function, interval_host());
  REQUIRE(!refused);
  CHECK(refused.error().code == code::undefined_result);
}

}  // namespace reckon::codegen::testing
