// Elements of tensors that only re-index another tensor become elements of that tensor.
#include <algorithm>

#include "ir/op.h"
#include "ir/passes/bottom_up.h"
#include "ir/passes/passes.h"

namespace reckon::ir {

Function inline_views(Module& module, const Function& function, Laws) {
  Function out = function;
  BottomUp pass(module, [&](NodeId id, const Node& node, std::vector<NodeId> operands) {
    if (node.op == Op::element && module[operands[0]].op == Op::map) {
      const Node view = module[operands[0]];
      const Node body = module[view.operands[0]];
      const bool reindexes = body.op == Op::element &&
                             std::none_of(view.variables.begin(), view.variables.end(), [&](VariableId variable) {
                               return module.depends_on(body.operands[0], variable);
                             });
      if (reindexes && view.variables.size() == node.indices.size()) {
        IndexSubstitution subscripts;
        for (std::size_t k = 0; k < node.indices.size(); ++k) {
          subscripts.variables[view.variables[k]] = node.indices[k];
        }
        std::vector<IndexId> indices;
        for (IndexId index : body.indices) indices.push_back(module.indices().substitute(index, subscripts));
        return module.element(body.operands[0], std::move(indices));
      }
    }
    return operands == node.operands ? id : module.rebuild(node, std::move(operands));
  });
  out.body = pass.run(function.body);
  return out;
}

}  // namespace reckon::ir
