// Nodes that do the same to operands with the same facts are computed once: the bound is that of computing them all.
#include <catch2/catch.hpp>

#include "tests/worst/random_circuits.h"

using namespace reckon;
using namespace reckon::worst;

namespace {

/// Layers of equal operations on what earlier layers gave. Inputs have two ranges; one of them may be a number.
random_circuits::Made layers(std::mt19937_64& random, const numerics::FloatMode& mode, bool steps) {
  using ir::Op;
  random_circuits::Made out;
  out.circuit = Circuit(mode);
  const Format formats[] = {Format::f32, Format::f16};
  const Format format = formats[random() % 2];
  Interval ranges[] = {random_circuits::range(random, format), random_circuits::range(random, format)};
  if (random() % 3 == 0) ranges[1].low = ranges[1].high;
  std::vector<NodeNumber> nodes;
  for (int k = 0; k < 8; ++k) {
    nodes.push_back(out.circuit.input(format));
    out.box.push_back(ranges[random() % 2]);
  }
  nodes.push_back(out.circuit.number(mpq_class(1, 2), ir::RealConstant::one, format));
  nodes.push_back(out.circuit.number(mpq_class(1, 10), ir::RealConstant::one, format));
  const Op ops[] = {Op::add, Op::sub, Op::mul, Op::fma, Op::neg, Op::abs, Op::max, Op::min, Op::convert, Op::sub};
  const auto operand = [&] { return nodes[nodes.size() - 1 - std::min(random() % nodes.size(), random() % 12)]; };
  for (int layer = 0; layer < 9; ++layer) {
    const Op op = ops[random() % std::size(ops)];
    const int count = ir::traits(op).arity;
    const Format to = op == Op::convert ? formats[random() % 2] : format;
    for (int k = 0; k < 4; ++k) {
      const NodeNumber a = operand(), b = random() % 4 == 0 ? a : operand(), c = operand();
      nodes.push_back(out.circuit.operation(op, to, a, count > 1 ? b : 0, count > 2 ? c : 0));
    }
  }
  std::vector<NodeNumber> outputs{nodes.back()};
  for (int k = 0; k < 6; ++k) outputs[0] = out.circuit.operation(Op::add, Format::f32, outputs[0], operand());
  // What an integer part leaves of its own operand, and of another one with the same range, perhaps.
  for (int k = 0; steps && k < 4; ++k) {
    const NodeNumber of = nodes[random() % 8], other = nodes[random() % 8];
    const NodeNumber whole = out.circuit.operation(Op::trunc, format, of);
    for (const NodeNumber left : {k % 2 == 0 ? of : other, k % 2 == 0 ? other : of}) {
      const NodeNumber rest = out.circuit.operation(Op::sub, format, left, whole);
      outputs[0] = out.circuit.operation(Op::add, Format::f32, outputs[0], rest);
    }
  }
  out.circuit.reduce(outputs);
  out.output = outputs[0];
  return out;
}

}  // namespace

TEST_CASE("alike nodes computed once give the bound of computing them all") {
  int bounded = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    std::mt19937_64 random(seed);
    numerics::FloatMode mode;
    mode.flush = mode.flush_inputs = seed % 5 == 0;
    const auto made = layers(random, mode, seed % 2 == 0);
    // With a condition, which always holds, each node is computed.
    Circuit conditional = made.circuit;
    conditional.condition({ir::Op::equal, 0, 0});
    for (const Inputs inputs : {Inputs::floats, Inputs::reals}) {
      INFO("seed " << seed);
      BoxBounds once(made.circuit, made.output, {.inputs = inputs}, made.box, false);
      BoxBounds each(conditional, made.output, {.inputs = inputs}, made.box, false);
      const BoxBound found = once.bound(made.box), expected = each.bound(made.box);
      REQUIRE(found.obstacle.has_value() == expected.obstacle.has_value());
      if (found.obstacle) continue;
      ++bounded;
      CHECK(found.error == expected.error);
      CHECK(found.drift == expected.drift);
      CHECK(found.value.low == expected.value.low);
      CHECK(found.value.high == expected.value.high);
      for (NodeNumber node = 0; node <= made.output; ++node) REQUIRE(once.share(node) == each.share(node));
    }
  }
  CHECK(bounded > 600);
}
