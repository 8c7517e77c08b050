// Integers whose range is stated.
#pragma once

#include "ir/module.h"

namespace reckon::ir {

/// Whether the node is `at k < n: k` of an integer: the integer itself, which must be below n. So a parameter states
/// its range (frontend/stated_range.h).
bool states_range(const Module& module, NodeId id);

}  // namespace reckon::ir
