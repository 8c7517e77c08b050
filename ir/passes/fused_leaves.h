// The products that schedules absorb (`fused`, `mma`).
#pragma once

#include <set>

#include "ir/op.h"
#include "ir/visit.h"

namespace reckon::ir {

/// The products that a schedule absorbs: their value is never rounded, and they must stay products.
inline std::set<NodeId> fused_leaves(const Module& module, NodeId root) {
  std::set<NodeId> out;
  visit_nodes(module, {root}, [&](NodeId id) {
    const Node& node = module[id];
    if ((node.op == Op::reduce || node.op == Op::scan) &&
        module.schedules().absorbs_products(module.reduction_of(id).schedule)) {
      out.insert(node.operands[0]);
    }
  });
  return out;
}

}  // namespace reckon::ir
