#include "interp/plan.h"

#include <algorithm>
#include <unordered_set>

#include "ir/op.h"

namespace reckon::interp {

std::size_t Planner::Hash::operator()(const Key& key) const {
  std::size_t seed = key.root;
  for (ir::VariableId variable : key.bound) seed = ir::hash_combine(seed, variable.index);
  for (ir::NodeId node : key.roots) seed = ir::hash_combine(seed, node.index);
  return seed;
}

const Plan& Planner::plan(const Frame& frame, const std::vector<ir::NodeId>& roots) {
  Key key{frame.link == Frame::Link::root, frame.bound, roots};
  auto found = plans_.find(key);
  if (found == plans_.end()) found = plans_.emplace(std::move(key), make(frame, roots)).first;
  return found->second;
}

Plan Planner::make(const Frame& frame, const std::vector<ir::NodeId>& roots) {
  Plan plan;
  std::unordered_map<ir::NodeId, std::uint32_t> position;  // of finished nodes
  struct Visit {
    ir::NodeId node;
    bool finished;
  };
  std::vector<Visit> stack;
  for (auto root = roots.rbegin(); root != roots.rend(); ++root) stack.push_back({*root, false});
  while (!stack.empty()) {
    const Visit visit = stack.back();
    stack.pop_back();
    if (position.contains(visit.node)) continue;
    if (!visit.finished) {
      stack.push_back({visit.node, true});
      const auto& parts = free_parts(visit.node);
      for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        if (frame.owns(module_, *part) && !position.contains(*part)) stack.push_back({*part, false});
      }
      continue;
    }
    Plan::Step step{visit.node, {}};
    for (ir::NodeId part : free_parts(visit.node)) {
      if (auto found = position.find(part); found != position.end()) step.needs.push_back(found->second);
    }
    std::sort(step.needs.begin(), step.needs.end());
    step.needs.erase(std::unique(step.needs.begin(), step.needs.end()), step.needs.end());
    position.emplace(visit.node, static_cast<std::uint32_t>(plan.steps.size()));
    plan.steps.push_back(std::move(step));
  }
  for (ir::NodeId root : roots) plan.roots.push_back(position.at(root));
  return plan;
}

const std::vector<ir::NodeId>& Planner::free_parts(ir::NodeId id) {
  if (auto found = free_parts_.find(id); found != free_parts_.end()) return found->second;
  const ir::Node& node = module_[id];
  std::vector<ir::NodeId> parts;
  const bool binder = ir::operands_inside(module_, node) > 0;
  const bool of_table = node.op == ir::Op::element && !module_.free_variables(node.operands[0]).empty();
  if (!binder && !of_table && node.op != ir::Op::call) {
    parts = node.operands;
  } else {
    // A tensor with free variables has no column of its own (frame.h, Table): the nodes that it is made from are used.
    const auto& free = module_.free_variables(id);
    std::unordered_set<ir::NodeId> seen;
    std::vector<ir::NodeId> stack(node.operands.rbegin(), node.operands.rend());
    while (!stack.empty()) {
      const ir::NodeId part = stack.back();
      stack.pop_back();
      if (!seen.insert(part).second) continue;
      const auto& needed = module_.free_variables(part);
      const bool outside = std::includes(free.begin(), free.end(), needed.begin(), needed.end());
      const ir::Node& inner = module_[part];
      const bool has_value = needed.empty() || (module_.type(part).kind != ir::TypeKind::tensor &&
                                                inner.op != ir::Op::scan && inner.op != ir::Op::loop);
      if (outside && has_value) {
        parts.push_back(part);
      } else {
        stack.insert(stack.end(), inner.operands.rbegin(), inner.operands.rend());
      }
    }
  }
  return free_parts_.emplace(id, std::move(parts)).first->second;
}

}  // namespace reckon::interp
