// The parts of values.
#pragma once

#include <vector>

#include "ir/module.h"

namespace reckon::ir {

/// The parts of a tuple, or the one of any other node.
std::vector<NodeId> parts_of(Module& module, NodeId node);

}  // namespace reckon::ir
