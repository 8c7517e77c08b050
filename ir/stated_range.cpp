#include "ir/stated_range.h"

#include "ir/op.h"

namespace reckon::ir {

bool states_range(const Module& module, NodeId id) {
  const Node& node = module[id];
  if (node.op != Op::at) return false;
  const Node& body = module[node.operands[0]];
  if (body.op != Op::index_value || body.type != module[node.operands[1]].type) return false;
  const IndexNode& index = module.indices()[body.indices[0]];
  return index.op == IndexOp::variable && index.variable == node.variables[0];
}

}  // namespace reckon::ir
