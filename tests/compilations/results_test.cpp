// All results of all compilations, against independent enumerations and samples of them by C++'s floats.
#include <catch2/catch.hpp>

#include <algorithm>

#include "compilations/changes.h"
#include "compilations/residues.h"
#include "tests/compilations/random_circuit.h"

using namespace reckon;
using namespace reckon::test;
using compilations::Results;
using compilations::Rewrites;
using ir::Op;
using numerics::Format;
using worst::NodeNumber;

namespace {

worst::Circuit written_out(const SmallCircuit& small) {
  worst::Circuit out;
  out.keep_constants();
  std::vector<NodeNumber> numbers;
  for (const SmallNode& node : small.nodes) {
    const auto a = node.op == Sign::input ? 0 : numbers[node.first], b = node.op == Sign::input ? 0 : numbers[node.second];
    switch (node.op) {
      case Sign::input: numbers.push_back(out.input(Format::f32)); break;
      case Sign::add: numbers.push_back(out.operation(Op::add, Format::f32, a, b)); break;
      case Sign::sub: numbers.push_back(out.operation(Op::sub, Format::f32, a, b)); break;
      case Sign::mul: numbers.push_back(out.operation(Op::mul, Format::f32, a, b)); break;
      case Sign::neg: numbers.push_back(out.operation(Op::neg, Format::f32, a)); break;
    }
  }
  return out;
}

const std::vector<std::string> input_names{"a", "b", "c", "d"};

FloatSet values(const Results& found) {
  FloatSet out;
  for (const compilations::Result& each : found.results) out.insert(static_cast<float>(each.value));
  return out;
}

Results results_of(const SmallCircuit& small, const std::vector<float>& x, const Rewrites& rewrites) {
  const worst::Circuit circuit = written_out(small);
  return compilations::results(circuit, static_cast<NodeNumber>(circuit.nodes().size() - 1), {x.begin(), x.end()},
                               input_names, rewrites);
}

std::string listed(const FloatSet& set) {
  std::string out;
  for (const float each : set) out += std::to_string(each) + " ";
  return out;
}

}  // namespace

TEST_CASE("the results of contraction are those of every choice of additions that are fused") {
  std::mt19937_64 random(7);
  int several = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const SmallCircuit small(random, 2 + static_cast<int>(random() % 7));
    const std::vector<float> x = small_inputs(random);
    const auto expected = small.contracted(x);
    if (!expected) continue;
    const Results found = results_of(small, x, {.contract = true});
    REQUIRE(found.complete);
    INFO(small.text("f") << listed(*expected) << "| " << listed(values(found)));
    REQUIRE(values(found).size() == expected->size());
    REQUIRE(std::equal(expected->begin(), expected->end(), values(found).begin(),
                       [](float a, float b) { return !ByPattern()(a, b) && !ByPattern()(b, a); }));
    several += expected->size() > 1 ? 1 : 0;
  }
  CHECK(several > 200);
}

TEST_CASE("with reassociation every sampled compilation is among the results, and the samples find them all") {
  std::mt19937_64 random(11);
  int compared = 0, short_of = 0, several = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const SmallCircuit small(random, 3 + static_cast<int>(random() % 3));
    const std::vector<float> x = small_inputs(random);
    const Results found = results_of(small, x, {.contract = true, .reassociate = true});
    if (!found.complete) continue;
    const FloatSet all = values(found);
    FloatSet sampled;
    for (int k = 0; k < 3000; ++k) sampled.insert(small.reassociated(x, random));
    INFO(small.text("f") << listed(sampled) << "| " << listed(all));
    for (const float each : sampled) REQUIRE(all.contains(each));
    ++compared;
    several += all.size() > 2 ? 1 : 0;
    short_of += sampled.size() < all.size() ? 1 : 0;
  }
  CHECK(compared > 350);
  CHECK(several > 40);
  // Samples of few circuits miss a rare order.
  CHECK(short_of <= compared / 20);
}

TEST_CASE("two values for each subset of the terms give the extremes of all compilations of a sum of products") {
  std::mt19937_64 random(13);
  int wider = 0;
  for (int trial = 0; trial < 60; ++trial) {
    worst::Circuit circuit;
    std::vector<double> x;
    std::vector<std::string> names;
    NodeNumber sum = 0;
    const int terms = 3 + trial % 4;
    for (int k = 0; k < terms; ++k) {
      const NodeNumber a = circuit.input(Format::f32), b = circuit.input(Format::f32);
      for (const float each : {small_inputs(random)[0], small_inputs(random)[1]}) {
        x.push_back(each);
        names.emplace_back("x");
      }
      const NodeNumber product = circuit.operation(Op::mul, Format::f32, a, b);
      sum = k == 0 ? product : circuit.operation(Op::add, Format::f32, sum, product);
    }
    const Rewrites rewrites{.contract = true, .reassociate = true};
    const Results all = compilations::results(circuit, sum, x, names, rewrites);
    const Results ends = compilations::results(circuit, sum, x, names, rewrites, {.extremes = true});
    REQUIRE(all.complete);
    REQUIRE(ends.complete);
    CHECK(compilations::is_same(all.results.front().value, ends.results.front().value));
    CHECK(compilations::is_same(all.results.back().value, ends.results.back().value));
    wider += all.results.size() > 2 ? 1 : 0;
  }
  CHECK(wider > 20);
}

TEST_CASE("without anything to rewrite there is one result, that of the circuit as it is written") {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const SmallCircuit small(random, 5);
    const std::vector<float> x = small_inputs(random);
    const Results found = results_of(small, x, {});
    REQUIRE(found.results.size() == 1);
    REQUIRE(small.contracted(x).value().contains(static_cast<float>(found.results.front().value)));
  }
}

TEST_CASE("error terms are the sums that are 0 in real numbers") {
  worst::Circuit circuit;
  const NodeNumber a = circuit.input(Format::f32), b = circuit.input(Format::f32);
  const auto add = [&](NodeNumber x, NodeNumber y) { return circuit.operation(Op::add, Format::f32, x, y); };
  const auto sub = [&](NodeNumber x, NodeNumber y) { return circuit.operation(Op::sub, Format::f32, x, y); };
  const auto mul = [&](NodeNumber x, NodeNumber y) { return circuit.operation(Op::mul, Format::f32, x, y); };
  const NodeNumber s = add(a, b), bb = sub(s, a);
  const NodeNumber error = add(sub(a, sub(s, bb)), sub(b, bb));  // Knuth's TwoSum
  const NodeNumber p = mul(a, b), rest = circuit.operation(Op::fma, Format::f32, a, b, circuit.operation(Op::neg, Format::f32, p));
  const NodeNumber squares = sub(mul(a, a), mul(b, b)), other = mul(add(a, b), sub(a, b)), zero = sub(squares, other);
  const NodeNumber no_zero = sub(squares, add(other, circuit.number(1, ir::RealConstant::one, Format::f32)));
  const auto zeros = compilations::zeros_in_reals(circuit);
  CHECK(zeros[error] == 1);
  CHECK(zeros[rest] == 1);
  CHECK(zeros[zero] == 1);
  CHECK(zeros[s] == 0);
  CHECK(zeros[bb] == 0);
  CHECK(zeros[no_zero] == 0);
}

TEST_CASE("TwoSum survives contraction and not reassociation; x y - p does not survive contraction") {
  worst::Circuit circuit;
  circuit.keep_constants();
  const NodeNumber a = circuit.input(Format::f32), b = circuit.input(Format::f32);
  const auto add = [&](NodeNumber x, NodeNumber y) { return circuit.operation(Op::add, Format::f32, x, y); };
  const auto sub = [&](NodeNumber x, NodeNumber y) { return circuit.operation(Op::sub, Format::f32, x, y); };
  const NodeNumber s = add(a, b), bb = sub(s, a), error = add(sub(a, sub(s, bb)), sub(b, bb));
  const NodeNumber p = circuit.operation(Op::mul, Format::f32, a, b), difference = sub(p, p);
  const NodeNumber two_sum = add(s, circuit.operation(Op::mul, Format::f32, error, error));
  const compilations::Draw draw{{{-1, 1}, {-1, 1}}, {Format::f32, Format::f32}, 100, 1};
  const std::vector<std::string> names{"a", "b"};

  const auto contracted = compilations::changes(circuit, error, names, {.contract = true}, draw, nullptr);
  CHECK_FALSE(contracted.may_change);

  const auto fast = compilations::changes(circuit, two_sum, names, {.reassociate = true}, draw, nullptr);
  REQUIRE(fast.error_terms.size() == 1);
  CHECK(fast.error_terms[0].node == error);
  CHECK(fast.error_terms[0].changed > 50);

  const auto product = compilations::changes(circuit, difference, names, {.contract = true}, draw, nullptr);
  REQUIRE(product.may_change);
  CHECK(product.output.changed > 50);
  CHECK(product.output.written == 0);
  // By C++'s own fma.
  const auto& at = product.output.inputs;
  const auto x = static_cast<float>(at[0]), y = static_cast<float>(at[1]);
  CHECK(std::fabs(product.output.other.value) == std::fabs(std::fma(x, y, -(x * y))));
}
