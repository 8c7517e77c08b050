// Where the value of a circuit turns on an order: comparisons, extremes, absolute values, steps, borders of domains.
#pragma once

#include <vector>

#include "ir/module.h"

namespace reckon::check {

/// Two closed scalars of one number type: the circuit's value turns on which of them is larger, or on their equality.
struct Comparison {
  ir::NodeId left, right;
};

/// The comparisons of a circuit whose sizes are known, and the edges of the domains of its operations (a divisor and
/// 0), each at a few values of the indices around it: the first, the last, and others by the seed. A maximum or minimum
/// over a range compares two of its leaves, and so does a reduction by a function of the program. The module gains
/// nodes.
std::vector<Comparison> comparisons_of(ir::Module& module, ir::NodeId body, std::int64_t seed);

/// The condition of a selection: a closed bool that depends on inputs, and the place of the condition in the source.
struct Selection {
  ir::NodeId condition;
  SourceSpan place;
};

/// The selections of a circuit, at the same values of the indices around them.
std::vector<Selection> selections_of(ir::Module& module, ir::NodeId body, std::int64_t seed);

}  // namespace reckon::check
