// Inputs at which a condition changes, by undoing the operations on one side of a comparison.
#pragma once

#include "check/comparisons.h"
#include "check/reads.h"

namespace reckon::check {

/// A bit pattern for one element of the inputs.
struct Preimage {
  Place place;
  std::uint64_t bits;
};

/// For a comparison with a number: patterns of single elements for which the other side is equal to that number, or
/// nearly so. They are found by inverting, from the outside in, operations whose other operands are numbers:
/// arithmetic, shifts and masks, bit patterns, and the elementary functions (by their inverses in doubles). This finds
/// the boundaries that the secant method does not find: `(x >> 12) == 5`, `bits(x) == 7`, `exp(x) < 1e30`.
std::vector<Preimage> preimages(const ir::Module& module, const std::vector<std::vector<std::int64_t>>& shapes,
                                const Comparison& comparison);

}  // namespace reckon::check
