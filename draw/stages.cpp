#include "draw/stages.h"

#include <utility>

namespace reckon::draw {
namespace {

using ir::ScheduleId;
using ir::TreeId;

/// How many nodes any stage leaves of `before`: a quoted tree after it does not fit, and the problem has the number.
std::int64_t nodes_after(ir::ScheduleStore& schedules, ScheduleId stage, std::int64_t before) {
  const ScheduleId one = schedules.quoted(schedules.trees().leaf(0));
  const auto expansion = schedules.expand(schedules.then(stage, one), before);
  return expansion.problem ? expansion.problem->actual : 1;
}

/// The subtrees of `whole` that stand where `top` has its leaves, in the order of their numbers.
std::vector<TreeId> subtrees(const ir::TreeStore& trees, TreeId whole, TreeId top) {
  std::vector<TreeId> out(static_cast<std::size_t>(trees.leaf_count(top)));
  std::vector<std::pair<TreeId, TreeId>> stack{{whole, top}};
  while (!stack.empty()) {
    const auto [at, above] = stack.back();
    stack.pop_back();
    const ir::TreeNode node = trees[above];
    if (node.leaf >= 0) {
      out[static_cast<std::size_t>(node.leaf)] = at;
      continue;
    }
    stack.push_back({trees[at].left, node.left});
    stack.push_back({trees[at].right, node.right});
  }
  return out;
}

}  // namespace

Stages stages_of(ir::ScheduleStore& schedules, ScheduleId schedule, std::int64_t n) {
  Stages out;
  ScheduleId rest = schedule;
  for (std::int64_t left = n;;) {
    const auto [tree, problem] = schedules.expand(rest, left);
    if (problem) return {{}, problem};
    if (!out.stages.empty()) out.stages.back().runs = subtrees(schedules.trees(), out.stages.back().tree, tree);
    const auto [head, trouble] = schedules.head(rest, left);
    if (trouble) return {{}, trouble};
    const ir::ScheduleNode node = schedules[head];
    const bool staged = left > 1 && node.op == ir::ScheduleOp::then && ir::is_stage(schedules[node.operands[0]].op);
    const ScheduleId part = staged ? node.operands[0] : rest;
    const std::int64_t after = staged ? nodes_after(schedules, part, left) : 1;
    // A stage that changes nothing is left out.
    if (!staged || after != left) out.stages.push_back({part, left, after, schedules[staged ? part : head].level, tree, {tree}});
    if (!staged || after == 1) return out;
    rest = node.operands[1];
    left = after;
  }
}

}  // namespace reckon::draw
