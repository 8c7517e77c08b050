// A short description of a tree.
#pragma once

#include <string>

#include "ir/schedule/schedule.h"

namespace reckon::ir {

/// `left fold of 8`, `pairwise tree of 7`, `balanced tree of 8`, `halving of 8`; for another tree with equal parts
/// `pairwise tree of 3 nodes, each a left fold of 4`; otherwise `8 leaves, depth 5`.
std::string shape_text(TreeStore& trees, TreeId tree);

}  // namespace reckon::ir
