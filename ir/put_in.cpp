#include "ir/put_in.h"

#include "ir/op.h"
#include "ir/rewrite.h"

namespace reckon::ir {

NodeId put_in(Module& module, NodeId map, const std::vector<IndexId>& subscripts) {
  const Node& node = module[map];
  Module::Substitution replaced;
  for (std::size_t k = 0; k < subscripts.size(); ++k) replaced.indices.variables[node.variables[k]] = subscripts[k];
  const NodeId body = node.operands[0];
  return module.substitute(body, replaced);
}

NodeId with_maps_put_in(Module& module, NodeId id) {
  if (module.facts(id).tensor_operands.empty()) return id;
  return module.rewrite(id, [&](const Node& node, std::vector<NodeId> operands) {
    const bool put =
        node.op == Op::element && module[operands[0]].op == Op::map && !module.free_variables(operands[0]).empty();
    return put ? put_in(module, operands[0], node.indices) : module.rebuild(node, std::move(operands));
  });
}

}  // namespace reckon::ir
