// Reductions and scans of intervals along every schedule, empty ones and faults, compiled for the host against the interpreter's.
#include "diagnostics/codes/undefined_result.h"
#include "tests/codegen/intervals.h"

namespace reckon::codegen::testing {

TEST_CASE("intervals: reductions and scans along every schedule") {
  for (const auto& [name, make] : every_schedule()) {
    INFO(name);
    Circuit c;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", Scalar::f32, {n}), y = c.parameter("y", Scalar::f32, {n});
    const auto product = [&](VariableId i) {
      return c.module.apply(Op::mul, {c.module.element(x, {c.at(i)}), c.module.element(y, {c.at(i)})});
    };
    const NodeId sum = c.reduce(Op::add, n, make(c), product);
    const NodeId running = c.module.scan(c.fold(Op::mul, n, make(c), [&](VariableId i) { return c.module.element(x, {c.at(i)}); }));
    c.result(c.module.tuple({sum, running}));
    for (const Flavour& flavour : flavours) {
      const Compiled compiled = must_compile(c, interval_host(flavour));
      for (std::int64_t length : lengths) {
        INFO("n = " << length << " in " << flavour.name);
        const auto seed = static_cast<std::uint64_t>(length);
        CHECK(difference(c, compiled, {ordinary(Scalar::f32, {length}, seed), ordinary(Scalar::f32, {length}, seed + 1)}, flavour) == "");
      }
    }
  }
}

TEST_CASE("intervals: accumulators are plain sums") {
  const std::vector<std::pair<const char*, Make>> all = {
      {"kahan", [](Circuit& c) { return c.schedules().simple(ir::ScheduleOp::kahan); }},
      {"rounded_once", [](Circuit& c) { return c.schedules().simple(ir::ScheduleOp::rounded_once); }},
      {"neumaier(tree)", [](Circuit& c) { return c.schedules().neumaier(c.tree()); }},
      {"fused(seq)", [](Circuit& c) { return c.schedules().fused(c.seq()); }},
      {"binned(3)", [](Circuit& c) { return c.schedules().binned(c.constant(3)); }},
  };
  for (const auto& [name, make] : all) {
    INFO(name);
    Circuit c;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", Scalar::f32, {n});
    c.result(c.reduce(Op::add, n, make(c), [&](VariableId i) {
      return c.module.apply(Op::mul, {c.module.element(x, {c.at(i)}), c.module.element(x, {c.at(i)})});
    }));
    const Compiled compiled = must_compile(c, interval_host());
    for (std::int64_t length : {1, 2, 9, 100}) CHECK(difference(c, compiled, {ordinary(Scalar::f32, {length}, 1)}) == "");
  }
}

namespace {

/// Small integers, so that differences are often 0.
HostTensor small_integers(std::int64_t n, std::uint64_t seed) {
  HostTensor out(Scalar::f64, {n});
  Random random(seed);
  for (std::int64_t i = 0; i < n; ++i) {
    out.set_bits(i, std::bit_cast<std::uint64_t>(static_cast<double>(random.below(40)) - 3));
  }
  return out;
}

}  // namespace

TEST_CASE("intervals: a fold by an operation is empty where the interpreter's is, and nowhere else") {
  // Nothing that no node is may be joined: 0 / 0 would be empty. `a / (b - 5)`: from leaves, and from nodes.
  for (const auto& [name, make] : every_schedule()) {
    INFO(name);
    Circuit c;
    auto& m = c.module;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", Scalar::f64, {n});
    const auto leaf = [&](VariableId i) { return m.element(x, {c.at(i)}); };
    const auto quotient = [&](NodeId a, NodeId b) {
      const NodeId made = m.apply(Op::div, {a, m.apply(Op::sub, {b, m.rational(5, Scalar::f64)})});
      m.places().put(made, {0, 10, 17});
      return made;
    };
    c.result(m.tuple({m.reduce(c.user_fold(n, make(c), leaf, quotient)), m.scan(c.user_fold(n, make(c), leaf, quotient))}));
    const Compiled compiled = must_compile(c, interval_host());
    int empty = 0, results = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const auto length = static_cast<std::int64_t>(1 + seed % 20);
      const HostTensor data = small_integers(length, seed);
      const Outcome expected = interpreted(c, {data});
      INFO("n = " << length << ", seed " << seed);
      CHECK(difference(compiled_for_host(c, compiled, {data}), expected) == "");
      REQUIRE(expected);
      ++(has_empty(*expected) ? empty : results);
    }
    CHECK(empty > 5);
    CHECK(results > 5);
  }
}

TEST_CASE("intervals: the first of several faults is told, of any number of operations") {
  // 70 quotients, of which one, or two, have no value.
  for (int bad : {0, 1, 63, 64, 69}) {
    Circuit c;
    auto& m = c.module;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", Scalar::f64, {n});
    NodeId total = m.rational(0, Scalar::f64);
    for (int k = 0; k < 70; ++k) {
      const NodeId quotient = m.apply(Op::div, {m.rational(k + 1, Scalar::f64), m.element(x, {c.constant(k)})});
      m.places().put(quotient, {0, static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(k + 1)});
      total = m.apply(Op::add, {total, quotient});
    }
    c.result(total);
    HostTensor data(Scalar::f64, {70});
    for (int k = 0; k < 70; ++k) data.set_bits(k, std::bit_cast<std::uint64_t>(k == bad || k == bad + 2 ? 0.0 : 3.0));
    const Outcome outcome = compiled_for_host(c, must_compile(c, interval_host()), {data});
    REQUIRE(!outcome);
    CHECK(outcome.error().code == code::undefined_result);
    CHECK(outcome.error().primary.span == SourceSpan{0, static_cast<std::uint32_t>(bad), static_cast<std::uint32_t>(bad + 1)});
    CHECK(difference(outcome, interpreted(c, {data})) == "");
  }
}

}  // namespace reckon::codegen::testing
