// The places where the value of a circuit depends on an order of two numbers: comparisons, minima and maxima, absolute
// values, step functions, and the boundaries of domains.
#pragma once

#include <vector>

#include "ir/module.h"

namespace reckon::check {

/// Two closed scalars of one number type. The circuit's value depends on which of them is larger, or on their equality.
struct Comparison {
  ir::NodeId left, right;
};

/// The comparisons of a circuit whose sizes are known, and the boundaries of its operations' domains (a divisor
/// compared with 0). Each is given at a few values of the surrounding indices: the first, the last, and others that the
/// seed chooses. A maximum or minimum over a range compares two of its leaves, and so does a reduction by a function
/// that the program defines. The function adds nodes to the module.
std::vector<Comparison> comparisons_of(ir::Module& module, ir::NodeId body, std::int64_t seed);

/// The condition of a selection: a closed bool that depends on inputs, and the place of the condition in the source.
struct Selection {
  ir::NodeId condition;
  SourceSpan place;
};

/// The selections of a circuit, at the same values of the indices around them.
std::vector<Selection> selections_of(ir::Module& module, ir::NodeId body, std::int64_t seed);

}  // namespace reckon::check
