#include "tests/interp/circuits.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

namespace {

/// op on rationals, shown; or the fault's sentence.
std::string shown(Op op, const std::vector<mpq_class>& operands) {
  Circuit c;
  std::vector<NodeId> nodes;
  for (const mpq_class& value : operands) nodes.push_back(c.module.rational(value, Scalar::number));
  c.result(c.module.apply(op, nodes));
  auto exact = semantics("exact");
  auto values = c.run(*exact);
  return values ? exact->render((*values)[0].scalar(), (*values)[0].data()).text : values.error().message;
}

mpq_class q(long a, long b = 1) {
  mpq_class value(a, b);
  value.canonicalize();
  return value;
}

}  // namespace

TEST_CASE("exact arithmetic on rationals") {
  CHECK(shown(Op::add, {q(1, 3), q(1, 6)}) == "1/2");
  CHECK(shown(Op::sub, {q(1, 3), q(1, 3)}) == "0");
  CHECK(shown(Op::mul, {q(2, 3), q(3, 4)}) == "1/2");
  CHECK(shown(Op::div, {q(1), q(-3)}) == "-1/3");
  CHECK(shown(Op::fma, {q(1, 3), q(3), q(1, 7)}) == "8/7");
  CHECK(shown(Op::neg, {q(1, 3)}) == "-1/3");
  CHECK(shown(Op::abs, {q(-5, 3)}) == "5/3");
  CHECK(shown(Op::min, {q(1, 3), q(2, 7)}) == "2/7");
  CHECK(shown(Op::max, {q(1, 3), q(2, 7)}) == "1/3");
  CHECK(shown(Op::sign, {q(-5, 3)}) == "-1");
  CHECK(shown(Op::copysign, {q(5, 3), q(-1)}) == "-5/3");
  CHECK(shown(Op::less, {q(1, 3), q(1, 2)}) == "true");
  CHECK(shown(Op::not_equal, {q(1, 3), q(2, 6)}) == "false");
}

TEST_CASE("exact remainders and roundings") {
  CHECK(shown(Op::rem, {q(7, 2), q(1)}) == "1/2");
  CHECK(shown(Op::rem, {q(-7, 2), q(1)}) == "-1/2");
  CHECK(shown(Op::rem, {q(7, 2), q(-3)}) == "1/2");
  for (auto [value, floor, ceil, trunc, round] : {std::tuple{q(5, 2), "2", "3", "2", "2"},
                                                  {q(7, 2), "3", "4", "3", "4"},
                                                  {q(-5, 2), "-3", "-2", "-2", "-2"},
                                                  {q(-7, 2), "-4", "-3", "-3", "-4"},
                                                  {q(8, 3), "2", "3", "2", "3"},
                                                  {q(4), "4", "4", "4", "4"}}) {
    CHECK(shown(Op::floor, {value}) == floor);
    CHECK(shown(Op::ceil, {value}) == ceil);
    CHECK(shown(Op::trunc, {value}) == trunc);
    CHECK(shown(Op::round, {value}) == round);
  }
}

TEST_CASE("what has no exact value says so") {
  CHECK(shown(Op::div, {q(1), q(0)}) == "division by zero has no value under `exact`");
  CHECK(shown(Op::rem, {q(1), q(0)}) == "the remainder by zero has no value under `exact`");
  CHECK(shown(Op::exp, {q(1)}) == "`exp` has no meaning under `exact`");
}

TEST_CASE("exact keeps literals and ignores conversions") {
  Circuit c;
  c.result(c.module.convert(c.module.convert(c.module.rational(q(1, 10), Scalar::f32), Scalar::f16), Scalar::f64));
  auto exact = semantics("exact");
  auto values = c.run(*exact);
  REQUIRE(values);
  CHECK(exact->render(Scalar::f64, (*values)[0].data()).text == "1/10");
  CHECK(!exact->bits(Scalar::f64, (*values)[0].data()));
  // 1/10 has no f64: the host's pattern is a canonical NaN.
  CHECK((*values)[0].host(*exact).bits(0) == 0x7ff8000000000000u);
}

TEST_CASE("a long exact sum") {
  Circuit c;
  c.result(c.reduce(Op::add, c.constant(200), c.tree(), [&](VariableId i) {
    return c.module.apply(Op::div, {c.module.rational(1, Scalar::number),
                                    c.module.index_value(c.index().add(c.at(i), c.constant(1)), Scalar::number)});
  }));
  mpq_class harmonic = 0;
  for (long k = 1; k <= 200; ++k) harmonic += q(1, k);
  auto exact = semantics("exact");
  auto values = c.run(*exact);
  REQUIRE(values);
  CHECK(exact->enclosure(Scalar::number, (*values)[0].data())->low == harmonic);
}
