// Reductions by key (ir/keyed_reduction.h) whose items one pass over the leaves can serve: on the host in a single
// thread, on a GPU as codegen/strategies/by_key/ says.
#pragma once

#include "codegen/plan.h"
#include "ir/keyed_reduction.h"

namespace reckon::codegen {

class Numbers;

/// A kernel whose items are a sum by key, or whether any leaf has the key. The first dimension of its space is that of
/// the target, the variable plus `first_key`; there is one more at most.
struct ByKey {
  ir::NodeId reduce;
  ir::KeyedReduction keyed;
  std::int64_t first_key = 0;  ///< at least 0
  /// Leaves do not depend on the item, and are computed whether they take part or not, since they may have an error.
  bool leaf_first = false;
};

/// The reduction by key that `reduce` is over such a space, whose first dimension is that of the target: a sum, or
/// whether any leaf has the key.
std::optional<ByKey> reduction_by_key(ir::Module& module, ir::NodeId reduce, const std::vector<Binder>& space);

/// Finds the kernels that the host computes so: sums from left to right, and of integers in any order.
void place_by_key(ir::Module& module, Planned& planned, const Numbers& code);

}  // namespace reckon::codegen
