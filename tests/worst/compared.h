// Bounds of random circuits beside the errors that they are about.
#pragma once

#include <catch2/catch.hpp>

#include <algorithm>

#include "tests/worst/random_circuits.h"
#include "worst/search.h"
#include "worst/witness.h"

namespace reckon::worst::random_circuits {

struct Counts {
  int bounded = 0, refused = 0, points = 0, tight = 0;
};

/// Compares the bounds of one circuit, by forms and without, with the errors at random points.
inline void compare(const Made& made, const Question& question, std::uint64_t seed, Counts& counts) {
  BoxBounds bounds(made.circuit, made.output, question, made.box, true);
  Effort effort;
  effort.operations = 2e5;
  const Extreme error = extreme(bounds, made.box, Goal::error, effort);
  const BoxBound plain = BoxBounds(made.circuit, made.output, question, made.box, false).bound(made.box);
  if (error.obstacle) {
    ++counts.refused;
    return;
  }
  ++counts.bounded;
  const Extreme least = extreme(bounds, made.box, Goal::least, effort),
                greatest = extreme(bounds, made.box, Goal::greatest, effort);
  const Extreme relative = extreme(bounds, made.box, Goal::relative, effort);
  Sampler sampler(made.circuit, made.output, question);
  const bool has_remainder = std::ranges::any_of(made.circuit.nodes(), [](const Node& node) {
    return node.kind == Kind::operation && node.op == ir::Op::rem;
  });
  double most = 0;
  std::uint64_t random = seed;
  for (int k = 0; k < 200; ++k) {
    const Point point = sampler.draw(made.box, random);
    // No part of the box was left out whose own bound is larger. (The bound of a remainder is the less of two, each of
    // which may be the less in the whole and the greater in a part.)
    if (k % 4 == 0 && !has_remainder) {
      Box near;
      for (const double x : point.floats) near.push_back({x, x});
      const BoxBound there = bounds.bound(near);
      if (!there.obstacle) REQUIRE(there.error <= error.bound * (1 + 1e-9));
    }
    const Sample sample = sampler.at(point);
    INFO("seed " << seed << ", point " << k);
    REQUIRE(sample.valid);
    REQUIRE(sample.error <= error.bound);
    if (!plain.obstacle) REQUIRE(sample.error <= plain.error);
    REQUIRE(sample.real >= least.bound);
    REQUIRE(sample.real <= greatest.bound);
    if (sample.real != 0 && !question.with_value)
      REQUIRE(sample.error / std::fabs(sample.real) <= relative.bound * (1 + 1e-15));
    most = std::max(most, sample.error);
    ++counts.points;
  }
  if (most > error.bound / 4) ++counts.tight;
}

/// More than 280 bits leave out of the reals of circuits of small numbers.
inline constexpr double noise = 0x1p-260;

/// The largest error at any of the numbers of the box.
inline double most_at_all_numbers(const Made& made, Format format) {
  Sampler sampler(made.circuit, made.output, {});
  std::vector<std::vector<double>> numbers;
  std::size_t count = 1;
  for (const Interval& range : made.box) {
    numbers.emplace_back();
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << numerics::traits(format).width; ++bits) {
      const double x = numerics::widen(bits, format);
      if (x >= range.low && x <= range.high) numbers.back().push_back(x);
    }
    count *= numbers.back().size();
  }
  double most = 0;
  for (std::size_t k = 0; k < count; ++k) {
    Point point;
    std::size_t rest = k;
    for (const auto& each : numbers) {
      point.floats.push_back(each[rest % each.size()]);
      rest /= each.size();
    }
    point.offsets.resize(point.floats.size());
    const Sample sample = sampler.at(point);
    REQUIRE(sample.valid);
    most = std::max(most, sample.error);
  }
  return most;
}

/// How many circuits have a bound, and of how many the bound is near an error.
struct Compared {
  int bounded = 0, close = 0;

  /// Requires the bound of a circuit, if it has one, to be above its errors at all numbers of the box.
  void compare(const Made& made, Format format) {
    BoxBounds bounds(made.circuit, made.output, {}, made.box, true);
    const Extreme error = extreme(bounds, made.box, Goal::error, {.operations = 1e6});
    if (error.obstacle) return;
    ++bounded;
    const double most = most_at_all_numbers(made, format);
    INFO(most << " of " << error.bound);
    REQUIRE(most <= error.bound + noise);
    if (most >= 0.9 * error.bound) ++close;
  }
};

}  // namespace reckon::worst::random_circuits
