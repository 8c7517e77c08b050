// Traversal of a circuit: visits every node that is reachable from some nodes, each once.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace reckon::ir {

/// How a traversal goes on after a node: into its operands, past them, or not at all.
enum class Walk : std::uint8_t { below, beside, stop };

/// Calls `step(id)` once for every node that it reaches, from the roots down. The result is the node at which it
/// stopped.
template <class Step>
std::optional<NodeId> walk(const Module& module, std::vector<NodeId> roots, Step&& step) {
  std::vector<NodeId> pending = std::move(roots);
  std::set<NodeId> seen;
  while (!pending.empty()) {
    const NodeId id = pending.back();
    pending.pop_back();
    if (!seen.insert(id).second) continue;
    const Walk next = step(id);
    if (next == Walk::stop) return id;
    if (next == Walk::beside) continue;
    const std::vector<NodeId>& operands = module[id].operands;
    pending.insert(pending.end(), operands.begin(), operands.end());
  }
  return std::nullopt;
}

/// The first node, from the roots down, for which `is_one(id)` holds.
template <class Predicate>
std::optional<NodeId> find_node(const Module& module, std::vector<NodeId> roots, Predicate&& is_one) {
  return walk(module, std::move(roots), [&](NodeId id) { return is_one(id) ? Walk::stop : Walk::below; });
}

/// Calls `visit(id)` for every node.
template <class Visit>
void visit_nodes(const Module& module, std::vector<NodeId> roots, Visit&& visit) {
  walk(module, std::move(roots), [&](NodeId id) {
    visit(id);
    return Walk::below;
  });
}

}  // namespace reckon::ir
