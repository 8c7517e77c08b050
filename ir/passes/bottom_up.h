// Rewrites a circuit from its leaves up without opening its binders. This is faster than Module::rewrite, and every
// node keeps its canonical variables, so that equal parts of different binders stay equal.
//
// The rewrite must not introduce binders: the height of a node (Module::height) must never rise. Under this condition
// the variable of a binder stays above every variable that is bound in its body, and the free variables of the body
// stay above the binder's. If a height has fallen, rebuilding gives the binder a lower number, between the two.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/module.h"

namespace reckon::ir {

template <class Visit>
class BottomUp {
 public:
  BottomUp(Module& module, Visit visit) : module_(module), visit_(std::move(visit)) {}

  /// `visit(original, node, operands)` gets a node, and its operands rewritten, and gives its replacement.
  NodeId run(NodeId id) {
    if (auto found = done_.find(id); found != done_.end()) return found->second;
    const Node node = module_[id];  // a copy: the store may grow
    std::vector<NodeId> operands;
    operands.reserve(node.operands.size());
    for (NodeId operand : node.operands) operands.push_back(run(operand));
    const NodeId result = visit_(id, node, std::move(operands));
    module_.places().put(result, module_.span(id));
    done_.emplace(id, result);
    return result;
  }

 private:
  Module& module_;
  Visit visit_;
  std::unordered_map<NodeId, NodeId> done_;
};

}  // namespace reckon::ir
