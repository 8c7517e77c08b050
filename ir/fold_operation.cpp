#include "ir/fold_operation.h"

#include <set>

#include "diagnostics/codes/unsupported_operation.h"
#include "ir/op.h"

namespace reckon::ir {

std::optional<Op> plain_operation(const Module& module, NodeId body, VariableId left, VariableId right) {
  const Node& node = module[body];
  if (node.op != Op::add && node.op != Op::mul && node.op != Op::min && node.op != Op::max) return std::nullopt;
  const auto is = [&](NodeId id, VariableId which) {
    return module[id].op == Op::operand && module[id].variables[0] == which;
  };
  const NodeId a = node.operands[0], b = node.operands[1];
  if ((is(a, left) && is(b, right)) || (is(a, right) && is(b, left))) return node.op;
  return std::nullopt;
}

std::optional<NodeId> reduction_by_function(const Module& module, NodeId root) {
  std::set<NodeId> seen{root};
  std::vector<NodeId> work{root};
  while (!work.empty()) {
    const NodeId id = work.back();
    const Node& node = module[id];
    work.pop_back();
    if ((node.op == Op::reduce || node.op == Op::scan) && module.reduction_of(id).user) return id;
    for (NodeId operand : node.operands) {
      if (seen.insert(operand).second) work.push_back(operand);
    }
  }
  return std::nullopt;
}

Diagnostic orders_of_function(const Module& module, NodeId reduction) {
  return Diagnostic(code::unsupported_operation, module.span(reduction),
                    "a reduction by a function of its own has no bound over all orders");
}

}  // namespace reckon::ir
