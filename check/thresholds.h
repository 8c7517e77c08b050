// The index values at which conditions change, for conditions whose constants do not show them: `i * i < 3000000`
// changes at 1733.
#pragma once

#include <vector>

#include "ir/index.h"

namespace reckon::check {

/// A value at which a comparison of indices changes.
struct Threshold {
  /// The variable that moves while every other one is 0; invalid: all variables, or all sizes, move together.
  ir::VariableId variable;
  std::int64_t value = 0;
};

/// For every comparison in a condition: the first values at which the sign of the difference of its two operands changes.
/// The sign is computed at the powers of two up to 2^20, and bisection finds the change between two of them, so that two
/// changes between neighbouring powers are missed. Each variable moves alone, and all of them together, while the sizes
/// are very large; then the sizes move.
std::vector<Threshold> thresholds_of(const ir::IndexStore& indices, ir::IndexId condition);

}  // namespace reckon::check
