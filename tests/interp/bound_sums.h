// Sums and dots in every order and with every accumulator, and what they are in rationals; for the tests of bounds and
// of `within bound`.
#pragma once

#include "tests/interp/bound_inputs.h"

namespace reckon::interp::testing {

/// A random tree over a random permutation of n leaves.
inline ScheduleId random_quoted(Circuit& circuit, Random& random, std::int64_t n) {
  ir::TreeStore& trees = circuit.schedules().trees();
  std::vector<ir::TreeId> nodes;
  for (std::int64_t i = 0; i < n; ++i) nodes.push_back(trees.leaf(i));
  while (nodes.size() > 1) {
    const auto a = static_cast<std::ptrdiff_t>(random.below(nodes.size()));
    const ir::TreeId left = nodes[static_cast<std::size_t>(a)];
    nodes.erase(nodes.begin() + a);
    ir::TreeId& right = nodes[random.below(nodes.size())];
    right = trees.pair(left, right);
  }
  return circuit.schedules().quoted(nodes[0]);
}

/// A layout's runs: n = d (n / d) taken across, or runs of k from left to right with an open end.
inline ScheduleId random_arrangement(Circuit& circuit, Random& random, std::int64_t n, ScheduleId inner) {
  ir::Arrangement arrangement;
  std::vector<std::int64_t> divisors;
  for (std::int64_t d = 1; d <= n; ++d) {
    if (n % d == 0) divisors.push_back(d);
  }
  const std::int64_t d = divisors[random.below(divisors.size())];
  if (random.below(2) == 0) {
    arrangement.run = {{d, n / d}};
    arrangement.runs = {{n / d, 1}};
  } else {
    arrangement.run = {{d, 1}};
    arrangement.runs = {{1, d}};
    arrangement.open = true;
  }
  return circuit.schedules().arrange(arrangement, inner);
}

/// Any schedule of n leaves that is a tree of additions.
inline ScheduleId any_tree_of(Circuit& circuit, Random& random, std::int64_t n) {
  switch (random.below(5)) {
    case 0: return random_quoted(circuit, random, n);
    case 1:
      return circuit.then(random_arrangement(circuit, random, n, random_schedule(circuit, random, 1)),
                          random_schedule(circuit, random, 1));
    case 2: return circuit.schedules().simple(ir::ScheduleOp::blelloch);
    default: return random_schedule(circuit, random);
  }
}

/// ... or with an accumulator of its own. `products`: the leaves are products of two numbers of the sum's format.
inline ScheduleId any_accumulation(Circuit& circuit, Random& random, std::int64_t n, bool products,
                                   bool with_bins = true) {
  ir::ScheduleStore& schedules = circuit.schedules();
  switch (random.below(12)) {
    case 0: return schedules.simple(ir::ScheduleOp::kahan);
    case 1: return schedules.neumaier(any_tree_of(circuit, random, n));
    case 2: return schedules.simple(ir::ScheduleOp::rounded_once);
    case 3:
      if (with_bins) return schedules.binned(circuit.constant(static_cast<std::int64_t>(1 + random.below(4))));
      [[fallthrough]];
    case 4:
      if (products) return schedules.fused(schedules.simple(ir::ScheduleOp::rounded_once));
      [[fallthrough]];
    case 5:
    case 6:
      if (products) return schedules.fused(any_tree_of(circuit, random, n));
      [[fallthrough]];
    default: return any_tree_of(circuit, random, n);
  }
}

}  // namespace reckon::interp::testing
