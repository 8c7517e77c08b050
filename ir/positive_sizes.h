// Conditions on sizes that are true of all positive ones.
#pragma once

#include "ir/index.h"

namespace reckon::ir {

/// Whether the condition is true wherever its dimensions are 1 or more and it has a value. `false` means that this is
/// not shown. It is
/// shown where no coefficient is negative once each size is written as 1 and a natural number more; remainders, quotients
/// and extremes among the terms give way to their bounds.
bool holds_for_positive(IndexStore& indices, IndexId condition);

}  // namespace reckon::ir
