// Empty intervals, and values that meet themselves, compiled for the host: the interpreter's ends, and its emptiness.
#include "tests/codegen/intervals.h"
#include "tests/support/in_turn.h"

namespace reckon::codegen::testing {
namespace {

/// Some of every sign, so that every partial operation has elements that it has no value for.
HostTensor signed_values(std::int64_t n, std::uint64_t seed) {
  HostTensor out(Scalar::f64, {n});
  Random random(seed);
  for (std::int64_t i = 0; i < n; ++i) {
    out.set_bits(i, std::bit_cast<std::uint64_t>(static_cast<double>(random.below(13)) / 2 - 3));
  }
  return out;
}

}  // namespace

TEST_CASE("intervals: every operation of what may be empty has the interpreter's ends", "[targets]") {
  // Not those that interval_test.cpp deals to an operation.
  test::InTurn<Flavour> in_turn({std::rbegin(flavours), std::rend(flavours)});
  int empty = 0;
  for (Op op : all_operations) {
    for (const Flavour& flavour : in_turn.next()) {
      INFO(ir::traits(op).spelling << " in " << flavour.name);
      Circuit c;
      const IndexId n = c.dimension("n");
      const NodeId x = c.parameter("x", Scalar::f64, {n}), y = c.parameter("y", Scalar::f64, {n}),
                   z = c.parameter("z", Scalar::f64, {n});
      c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
        std::vector<NodeId> operands;
        for (NodeId each : {x, y, z}) {
          const NodeId element = c.module.element(each, {c.at(i[0])});
          operands.push_back(operands.size() % 2 == 0 ? c.module.apply(Op::sqrt, {element})
                                                      : c.module.apply(Op::log, {element}));
        }
        operands.resize(static_cast<std::size_t>(ir::traits(op).arity));
        return c.module.apply(op, operands);
      }));
      const Compiled compiled = must_compile(c, interval_host(flavour));
      const std::vector<HostTensor> data{signed_values(200, 1), signed_values(200, 2), signed_values(200, 3)};
      const Outcome found = compiled_for_host(c, compiled, data);
      REQUIRE(found);
      CHECK(difference(found, interpreted(c, data, flavour)) == "");
      empty += has_empty(*found);
    }
  }
  CHECK(empty > 40);
}

TEST_CASE("intervals: choices among what may be empty have the interpreter's ends") {
  for (const Flavour& flavour : flavours) {
    Circuit c;
    auto& m = c.module;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", Scalar::f64, {n}), y = c.parameter("y", Scalar::f64, {n});
    const auto root = [&](NodeId of) { return m.apply(Op::sqrt, {of}); };
    const NodeId zero = m.rational(0, Scalar::f64);
    const auto each = [&](const std::function<NodeId(NodeId, NodeId)>& body) {
      return c.map({n}, [&](const std::vector<VariableId>& i) {
        return body(m.element(x, {c.at(i[0])}), m.element(y, {c.at(i[0])}));
      });
    };
    const auto choice = [&](NodeId a, NodeId b, NodeId left, NodeId right) {
      return m.apply(Op::select, {m.apply(Op::less, {a, b}), left, right});
    };
    c.result(m.tuple({each([&](NodeId a, NodeId b) { return choice(a, b, root(a), root(b)); }),
                      each([&](NodeId a, NodeId b) { return choice(root(a), zero, root(b), a); }),
                      each([&](NodeId a, NodeId b) { return choice(root(a), zero, a, root(b)); }),
                      each([&](NodeId a, NodeId b) { return m.apply(Op::equal, {root(a), b}); }),
                      each([&](NodeId a, NodeId b) { return m.apply(Op::not_equal, {root(a), root(b)}); })}));
    const Compiled compiled = must_compile(c, interval_host(flavour));
    CHECK(difference(c, compiled, {signed_values(300, 4), signed_values(300, 5)}, flavour) == "");
  }
}

TEST_CASE("intervals: reductions with an empty leaf, by every schedule") {
  for (const auto& [name, make] : every_schedule()) {
    INFO(name);
    Circuit c;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", Scalar::f64, {n});
    const auto leaf = [&](VariableId i) { return c.module.apply(Op::rsqrt, {c.module.element(x, {c.at(i)})}); };
    c.result(c.module.tuple({c.reduce(Op::add, n, make(c), leaf), c.module.scan(c.fold(Op::max, n, make(c), leaf))}));
    const Compiled compiled = must_compile(c, interval_host());
    for (std::int64_t length : {1, 2, 5, 17, 100}) {
      CHECK(difference(c, compiled, {signed_values(length, static_cast<std::uint64_t>(length))}) == "");
    }
  }
}

TEST_CASE("intervals: a single number that is empty is an error, and one that is chosen is none") {
  Circuit c;
  auto& m = c.module;
  const NodeId x = c.parameter("x", Scalar::f64), zero = m.rational(0, Scalar::f64);
  const NodeId logarithm = m.apply(Op::log, {x});
  m.places().put(logarithm, {0, 3, 9});
  HostTensor at(Scalar::f64, {});
  at.set_bits(0, std::bit_cast<std::uint64_t>(-2.0));
  c.result(m.apply(Op::add, {logarithm, x}));
  const Outcome refused = compiled_for_host(c, must_compile(c, interval_host()), {at});
  REQUIRE(!refused);
  CHECK(refused.error().primary.span == SourceSpan{0, 3, 9});
  CHECK(difference(refused, interpreted(c, {at})) == "");
  c.result(m.apply(Op::select, {m.apply(Op::less, {zero, x}), logarithm, x}));
  const Outcome chosen = compiled_for_host(c, must_compile(c, interval_host()), {at});
  REQUIRE(chosen);
  CHECK(difference(chosen, interpreted(c, {at})) == "");
}

TEST_CASE("intervals: 0 divided by what may be 0, and values that meet themselves") {
  for (const Flavour& flavour : flavours) {
    Circuit c;
    auto& m = c.module;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", Scalar::f64, {n}), y = c.parameter("y", Scalar::f64, {n}),
                 three = c.parameter("three", Scalar::f64);
    const NodeId third = m.apply(Op::div, {m.rational(1, Scalar::f64), three});
    const NodeId open = m.apply(Op::less, {m.apply(Op::sub, {third, m.rational(mpq_class(1, 3), Scalar::f64)}),
                                           m.rational(0, Scalar::f64)});
    const auto mul = [&](NodeId a, NodeId b) { return m.apply(Op::mul, {a, b}); };
    // v is the hull of two elements, so that it may hold 0.
    const auto each = [&](const std::function<NodeId(NodeId, NodeId)>& body) {
      return c.map({n}, [&](const std::vector<VariableId>& i) {
        const NodeId a = m.element(x, {c.at(i[0])}), b = m.element(y, {c.at(i[0])});
        return body(m.apply(Op::select, {open, a, b}), a);
      });
    };
    c.result(m.tuple({each([&](NodeId v, NodeId a) { return m.apply(Op::div, {m.apply(Op::sub, {a, a}), v}); }),
                      each([&](NodeId v, NodeId a) { return m.apply(Op::div, {a, v}); }),
                      each([&](NodeId v, NodeId) { return mul(v, v); }),
                      each([&](NodeId v, NodeId) { return mul(mul(mul(v, v), v), v); }),
                      each([&](NodeId v, NodeId a) { return mul(mul(v, a), v); }),
                      each([&](NodeId v, NodeId a) { return m.apply(Op::fma, {v, v, a}); }),
                      each([&](NodeId v, NodeId) { return m.apply(Op::sub, {v, v}); }),
                      c.reduce(Op::add, n, c.tree(), [&](VariableId i) {
                        const NodeId v = m.apply(Op::select, {open, m.element(x, {c.at(i)}), m.element(y, {c.at(i)})});
                        return mul(v, v);
                      })}));
    const Compiled compiled = compiled_at(c, {}, flavour);
    HostTensor number(Scalar::f64, {});
    number.set_bits(0, std::bit_cast<std::uint64_t>(3.0));
    const std::vector<HostTensor> data{signed_values(200, 7), signed_values(200, 8), number};
    const Outcome found = compiled_for_host(c, compiled, data);
    REQUIRE(found);
    CHECK(difference(found, interpreted(c, data, flavour)) == "");
    // No square is below 0, nor is any sum of them.
    for (std::size_t k : {2, 3, 7}) {
      const HostTensor& endpoints = (*found)[k];
      for (std::int64_t i = 0; i < endpoints.size(); ++i)
        CHECK(numerics::widen(endpoints.bits(i), ir::format_of(endpoints.scalar)) >= 0);
    }
  }
}

TEST_CASE(
    "intervals: values that sizes alone make equal are two, in the interpreter and in code for any and for these "
    "sizes") {
  for (const Flavour& flavour : flavours) {
    Circuit c;
    auto& m = c.module;
    const IndexId n = c.dimension("n");
    const NodeId x = c.parameter("x", Scalar::f64, {n}), three = c.parameter("three", Scalar::f64);
    // 1/3 is not known exactly, so that nobody knows whether it is less than the rational: v is x or -x.
    const NodeId third = m.apply(Op::div, {m.rational(1, Scalar::f64), three});
    const NodeId open = m.apply(Op::less, {m.apply(Op::sub, {third, m.rational(mpq_class(1, 3), Scalar::f64)}),
                                           m.rational(0, Scalar::f64)});
    const auto around_zero = [&](IndexId i) {
      const NodeId element = m.element(x, {i});
      return m.apply(Op::select, {open, element, m.apply(Op::neg, {element})});
    };
    const IndexId last = c.index().subtract(n, c.constant(1));
    const IndexId also_last = c.index().minimum(c.index().multiply(c.constant(2), n), last);
    c.result(m.tuple({m.apply(Op::mul, {around_zero(last), around_zero(last)}),
                      m.apply(Op::mul, {around_zero(last), around_zero(also_last)})}));
    HostTensor number(Scalar::f64, {}), elements(Scalar::f64, {3});
    number.set_bits(0, std::bit_cast<std::uint64_t>(3.0));
    for (std::int64_t i = 0; i < 3; ++i) elements.set_bits(i, std::bit_cast<std::uint64_t>(2.0));
    const Outcome expected = interpreted(c, {elements, number}, flavour);
    REQUIRE(expected);
    const auto low = [&](std::size_t k) {
      return numerics::widen((*expected)[k].bits(0), ir::format_of((*expected)[k].scalar));
    };
    CHECK(low(0) == 0);
    CHECK(low(1) == -4);
    const ir::Dimensions sizes{{m.symbol("n"), 3}};
    CHECK(difference(compiled_for_host(c, compiled_at(c, {}, flavour), {elements, number}), expected) == "");
    CHECK(difference(compiled_for_host(c, compiled_at(c, sizes, flavour), {elements, number}), expected) == "");
  }
}

}  // namespace reckon::codegen::testing
