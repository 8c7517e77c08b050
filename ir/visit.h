// Going through a circuit: every node that some nodes are made of, each once.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace reckon::ir {

/// The first node, from the roots downwards, of which `is_one(id)` holds.
template <class Predicate>
std::optional<NodeId> find_node(const Module& module, std::vector<NodeId> roots, Predicate&& is_one) {
  std::vector<NodeId> pending = std::move(roots);
  std::set<NodeId> seen;
  while (!pending.empty()) {
    const NodeId id = pending.back();
    pending.pop_back();
    if (!seen.insert(id).second) continue;
    if (is_one(id)) return id;
    const std::vector<NodeId>& operands = module[id].operands;
    pending.insert(pending.end(), operands.begin(), operands.end());
  }
  return std::nullopt;
}

/// Calls `visit(id)` of every node.
template <class Visit>
void visit_nodes(const Module& module, std::vector<NodeId> roots, Visit&& visit) {
  find_node(module, std::move(roots), [&](NodeId id) {
    visit(id);
    return false;
  });
}

}  // namespace reckon::ir
