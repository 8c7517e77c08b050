// Module::rewrite: rebuilding a circuit from its leaves up.
#pragma once

#include <unordered_map>

#include "ir/module.h"

namespace reckon::ir {

namespace detail {

template <class Visit>
class Rewriter {
 public:
  Rewriter(Module& module, Visit& visit) : module_(module), visit_(visit) {}

  NodeId run(NodeId id) {
    if (auto found = done_.find(id); found != done_.end()) return found->second;
    Node node = module_[id];
    const SourceSpan span = module_.span(id);
    // Open the binder: fresh variables, so that nothing put into its body can be captured.
    module_.open(node);
    std::vector<NodeId> operands;
    for (NodeId operand : node.operands) operands.push_back(run(operand));
    const NodeId result = visit_(node, std::move(operands));
    module_.places().put(result, span);
    done_[id] = result;
    return result;
  }

 private:
  Module& module_;
  Visit& visit_;
  std::unordered_map<NodeId, NodeId> done_;
};

}  // namespace detail

template <class Visit>
NodeId Module::rewrite(NodeId id, Visit&& visit) {
  return detail::Rewriter<std::remove_reference_t<Visit>>(*this, visit).run(id);
}

}  // namespace reckon::ir
