// No bound is below an error: random circuits and boxes, at random points; and all points, where a format has few.
#include <catch2/catch.hpp>

#include "tests/worst/compared.h"

using namespace reckon;
using namespace reckon::worst;
using namespace reckon::worst::random_circuits;

TEST_CASE("bounds over boxes are above the errors at random points") {
  Counts counts;
  const Format formats[] = {Format::f64, Format::f32, Format::f16, Format::bf16, Format::tf32};
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    std::mt19937_64 random(seed);
    const Format format = formats[seed % std::size(formats)];
    const auto made = random_circuits::make(random, format, 1 + seed % 3, 2 + seed % 9, seed % 2 == 0);
    for (const Inputs inputs : {Inputs::floats, Inputs::reals}) compare(made, {.inputs = inputs}, seed, counts);
  }
  INFO(counts.bounded << " bounded, " << counts.refused << " refused, " << counts.tight << " tight, " << counts.points);
  CHECK(counts.bounded > 700);
  // Half of the bounds are within a factor of 4 of what 200 random points show.
  CHECK(counts.tight > counts.bounded / 2);
}

TEST_CASE("bounds of circuits with selections are above the errors at random points") {
  Counts counts;
  const Format formats[] = {Format::f16, Format::f32, Format::bf16, Format::f64};
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    std::mt19937_64 random(seed);
    const Format format = formats[seed % std::size(formats)];
    const auto made = random_circuits::make(random, format, 1 + seed % 2, 4 + seed % 8, seed % 3 == 0, true);
    for (const Inputs inputs : {Inputs::floats, Inputs::reals}) compare(made, {.inputs = inputs}, seed, counts);
  }
  INFO(counts.bounded << " bounded, " << counts.refused << " refused, " << counts.tight << " tight");
  CHECK(counts.bounded > 300);
}

TEST_CASE("the distance of two circuits is above their distances at random points") {
  Counts counts;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    std::mt19937_64 random(seed);
    const Format format = seed % 2 == 0 ? Format::f32 : Format::f16;
    auto made = random_circuits::make(random, format, 2, 4 + seed % 5, seed % 3 == 0);
    const NodeNumber other = static_cast<NodeNumber>(random() % made.circuit.nodes().size());
    std::vector<NodeNumber> outputs{made.circuit.difference(made.output, other)};
    made.circuit.reduce(outputs);
    made.output = outputs.front();
    compare(made, {.with_value = true}, seed, counts);
  }
  CHECK(counts.bounded > 80);
}

TEST_CASE("bounds over boxes are above the errors of all numbers of f16") {
  int bounded = 0;
  for (std::uint64_t seed = 1; seed <= 90; ++seed) {
    std::mt19937_64 random(seed);
    const auto made = random_circuits::make(random, Format::f16, 1, 3 + seed % 8, seed % 2 == 0, seed % 3 == 0);
    BoxBounds bounds(made.circuit, made.output, {}, made.box, true);
    const Extreme error = extreme(bounds, made.box, Goal::error, {.operations = 1e6});
    if (error.obstacle) continue;
    ++bounded;
    const double most = most_at_all_numbers(made, Format::f16);
    INFO("seed " << seed << ": " << most << " of " << error.bound);
    REQUIRE(most <= error.bound + noise);
    REQUIRE(error.reached <= error.bound);
  }
  CHECK(bounded > 30);
}

TEST_CASE("bounds over boxes are above the errors of all pairs of numbers of six bits") {
  // With 3 and 4 digits, terms of the second order are a tenth of the first.
  Compared bounds;
  for (std::uint64_t seed = 1; seed <= 240; ++seed) {
    std::mt19937_64 random(seed);
    const Format format = seed % 2 == 0 ? Format::f6e2m3 : Format::f6e3m2;
    const auto made = random_circuits::make(random, format, 2, 3 + seed % 6, false, seed % 4 == 0);
    INFO("seed " << seed);
    bounds.compare(made, format);
  }
  CHECK(bounds.bounded > 100);
  CHECK(bounds.close > 20);
}

TEST_CASE("a quotient whose divisor has no affine form is enclosed by intervals") {
  // What the root of a range of 400 decades is off its tangent is beyond all floats.
  Circuit circuit;
  const NodeNumber x = circuit.input(Format::f64);
  const NodeNumber root = circuit.operation(ir::Op::sqrt, Format::f64, x);
  const NodeNumber one = circuit.number(1, ir::RealConstant::one, Format::f64);
  const NodeNumber inverse = circuit.operation(ir::Op::div, Format::f64, one, root);
  const Box box{{1e-200, 1e200}};
  BoxBounds bounds(circuit, inverse, {}, box, true);
  Sampler sampler(circuit, inverse, {});
  // The boxes that were evaluated before leave nothing behind.
  for (int again = 0; again < 2; ++again) {
    const BoxBound found = bounds.bound(box);
    REQUIRE(!found.obstacle);
    for (const double at : {1e-200, 1e-100, 1.0, 1e100, 1e200}) {
      const Sample sample = sampler.at({{at}, {0}});
      CHECK(found.value.low <= sample.real);
      CHECK(found.value.high >= sample.real);
      CHECK(found.error >= sample.error);
    }
    bounds.bound({{1, 2}});
  }
}

TEST_CASE("sums that are rounded once are bounded above the errors of all pairs of numbers of six bits") {
  Compared bounds;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    std::mt19937_64 random(seed);
    const Format format = seed % 2 == 0 ? Format::f6e2m3 : Format::f6e3m2;
    auto made = random_circuits::make(random, format, 2, 3 + seed % 4, false);
    // Some of its values and products of them, added exactly; then an operation on the rounded sum.
    const auto any = [&] { return static_cast<NodeNumber>(random() % (made.output + 1)); };
    NodeNumber total = made.circuit.exact(ir::Op::mul, any(), any());
    for (int k = 0; k < 3; ++k) {
      const NodeNumber leaf = any(), product = made.circuit.exact(ir::Op::mul, any(), any());
      total = made.circuit.exact(ir::Op::add, total, k == 1 ? leaf : product);
    }
    const NodeNumber once = made.circuit.operation(ir::Op::convert, format, total);
    std::vector<NodeNumber> outputs{seed % 3 == 0 ? made.circuit.operation(ir::Op::mul, format, once, any()) : once};
    made.circuit.reduce(outputs);
    made.output = outputs.front();
    INFO("seed " << seed);
    bounds.compare(made, format);
  }
  CHECK(bounds.bounded > 20);
  CHECK(bounds.close > 3);
}
