#include "ir/schedule/shared_shape.h"

#include <algorithm>
#include <bit>
#include <set>

namespace reckon::ir {

namespace {

struct Run {
  TreeId tree;
  std::int64_t count = 0;
  friend bool operator<(const Run& a, const Run& b) {
    return a.tree != b.tree ? a.tree < b.tree : a.count < b.count;
  }
};
using Nodes = std::vector<Run>;

void append(Nodes& nodes, TreeId tree, std::int64_t count) {
  if (count <= 0) return;
  if (!nodes.empty() && nodes.back().tree == tree) nodes.back().count += count;
  else nodes.push_back({tree, count});
}

std::int64_t length(const Nodes& nodes) {
  std::int64_t total = 0;
  for (const Run& run : nodes) total += run.count;
  return total;
}

/// Nodes first..first+count-1.
Nodes part(const Nodes& nodes, std::int64_t first, std::int64_t count) {
  Nodes out;
  for (const Run& run : nodes) {
    const std::int64_t from = std::max<std::int64_t>(first, 0), to = std::min(first + count, run.count);
    if (to > from) append(out, run.tree, to - from);
    first -= run.count;
    if (first + count <= 0) break;
  }
  return out;
}

class Shaper {
 public:
  explicit Shaper(ScheduleStore& store) : store_(store) {}

  std::optional<ScheduleProblem> problem;
  bool unfamiliar = false;  ///< set if a schedule or stage has no case here

  std::optional<TreeId> fold(ScheduleId id, const Nodes& nodes) {
    const std::int64_t n = length(nodes);
    const auto key = std::pair(id, nodes);
    if (auto found = done_.find(key); found != done_.end()) return found->second;
    auto [head, trouble] = store_.head(id, n);
    if (trouble) {
      problem = trouble;
      return std::nullopt;
    }
    if (!open_.insert(key).second) {
      problem = ScheduleProblem{ScheduleProblem::Kind::endless};
      return std::nullopt;
    }
    const auto tree = fold_head(head, nodes, n);
    open_.erase(key);
    if (tree) done_[key] = *tree;
    return tree;
  }

 private:
  std::optional<TreeId> fold_head(ScheduleId head, Nodes nodes, std::int64_t n) {
    const ScheduleNode node = store_[head];
    TreeStore& trees = store_.trees();
    switch (node.op) {
      case ScheduleOp::seq: {
        std::optional<TreeId> all;
        for (const Run& run : nodes) {
          for (std::int64_t k = 0; k < run.count; ++k) all = all ? trees.pair(*all, run.tree) : run.tree;
        }
        return all;
      }
      case ScheduleOp::tree:
        for (; n > 1; n = n / 2 + n % 2) nodes = paired(nodes);
        return nodes[0].tree;
      case ScheduleOp::halving: {
        std::int64_t half = 1;
        while (half < n) half *= 2;
        for (half /= 2; half >= 1; half /= 2) {
          if (n <= half) continue;
          Nodes next = zipped(part(nodes, 0, n - half), part(nodes, half, n - half));
          for (const Run& run : part(nodes, n - half, 2 * half - n)) append(next, run.tree, run.count);
          nodes = std::move(next);
          n = half;
        }
        return nodes[0].tree;
      }
      case ScheduleOp::blelloch: {
        std::optional<TreeId> all;
        for (std::int64_t first = 0; first < n;) {
          const auto block = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n - first)));
          Nodes level = part(nodes, first, block);
          for (std::int64_t left = block; left > 1; left /= 2) level = paired(level);
          all = all ? trees.pair(*all, level[0].tree) : level[0].tree;
          first += block;
        }
        return all;
      }
      case ScheduleOp::quoted: {
        std::vector<TreeId> each;
        for (const Run& run : nodes) each.insert(each.end(), static_cast<std::size_t>(run.count), run.tree);
        return place(node.tree, each);
      }
      case ScheduleOp::split: {
        const std::int64_t first = store_.parameter(head);
        if (n <= first) return fold(node.operands[0], nodes);
        const auto left = fold(node.operands[0], part(nodes, 0, first));
        const auto right = left ? fold(node.operands[1], part(nodes, first, n - first)) : left;
        if (!right) return right;
        return trees.pair(*left, *right);
      }
      case ScheduleOp::then: {
        auto shorter = stage(node.operands[0], nodes);
        return shorter ? fold(node.operands[1], *shorter) : std::nullopt;
      }
      default: unfamiliar = true; return std::nullopt;
    }
  }

  std::optional<Nodes> stage(ScheduleId id, const Nodes& nodes) {
    const std::int64_t n = length(nodes);
    auto [head, trouble] = store_.head(id, n);
    if (trouble) {
      problem = trouble;
      return std::nullopt;
    }
    const ScheduleNode node = store_[head];
    Nodes out;
    if (node.op == ScheduleOp::stage_then) {
      auto first = stage(node.operands[0], nodes);
      return first ? stage(node.operands[1], *first) : first;
    }
    const bool lanes = node.op == ScheduleOp::lanes, arranged = node.op == ScheduleOp::arrange;
    // If all nodes are equal, the runs are those of a tile, whichever nodes they have.
    if (arranged && nodes.size() > 1) {
      unfamiliar = true;
      return std::nullopt;
    }
    const std::int64_t k = std::min(arranged ? store_.arrangement_of(node).run_length() : store_.parameter(head), n);
    if (nodes.size() == 1) {
      // Of equal nodes, only the lengths of runs or lanes matter.
      const std::int64_t longer = lanes ? n % k : n / k, rest = lanes ? k - longer : (n % k != 0);
      const std::int64_t size = lanes ? n / k + 1 : k, rest_size = lanes ? n / k : n % k;
      for (auto [count, of] : {std::pair(longer, size), std::pair(rest, rest_size)}) {
        if (count == 0) continue;
        auto one = fold(node.operands[0], {{nodes[0].tree, of}});
        if (!one) return std::nullopt;
        append(out, *one, count);
      }
      return out;
    }
    for (std::int64_t at = 0; at < (lanes ? k : (n + k - 1) / k); ++at) {
      Nodes group;
      if (lanes) {
        std::int64_t next = at;  // position of the lane's next node, counted from the run's first
        for (const Run& run : nodes) {
          if (next < run.count) {
            const std::int64_t count = (run.count - next + k - 1) / k;
            append(group, run.tree, count);
            next += count * k;
          }
          next -= run.count;
        }
      } else {
        group = part(nodes, at * k, std::min(k, n - at * k));
      }
      auto one = fold(node.operands[0], group);
      if (!one) return std::nullopt;
      append(out, *one, 1);
    }
    return out;
  }

  /// Adjacent pairs; an odd last one is carried.
  Nodes paired(const Nodes& nodes) {
    Nodes out;
    std::optional<TreeId> waiting;
    for (Run run : nodes) {
      if (waiting) {
        append(out, store_.trees().pair(*waiting, run.tree), 1);
        --run.count;
        waiting.reset();
      }
      if (run.count >= 2) append(out, store_.trees().pair(run.tree, run.tree), run.count / 2);
      if (run.count % 2 != 0) waiting = run.tree;
    }
    if (waiting) append(out, *waiting, 1);
    return out;
  }

  Nodes zipped(const Nodes& left, const Nodes& right) {
    Nodes out;
    std::size_t a = 0, b = 0;
    std::int64_t a_used = 0, b_used = 0;
    while (a < left.size() && b < right.size()) {
      const std::int64_t count = std::min(left[a].count - a_used, right[b].count - b_used);
      append(out, store_.trees().pair(left[a].tree, right[b].tree), count);
      if ((a_used += count) == left[a].count) ++a, a_used = 0;
      if ((b_used += count) == right[b].count) ++b, b_used = 0;
    }
    return out;
  }

  TreeId place(TreeId shape, const std::vector<TreeId>& nodes) {
    const TreeNode node = store_.trees()[shape];
    if (node.leaf >= 0) return nodes[static_cast<std::size_t>(node.leaf)];
    const TreeId left = place(node.left, nodes);
    return store_.trees().pair(left, place(node.right, nodes));
  }

  ScheduleStore& store_;
  std::map<std::pair<ScheduleId, Nodes>, TreeId> done_;
  std::set<std::pair<ScheduleId, Nodes>> open_;
};

}  // namespace

ScheduleStore::Expansion shape_of(ScheduleStore& schedules, ScheduleId schedule, std::int64_t n) {
  TreeStore& trees = schedules.trees();
  if (n < 1) return {{}, ScheduleProblem{ScheduleProblem::Kind::no_value}};
  Shaper shaper(schedules);
  if (auto tree = shaper.fold(schedule, {{trees.leaf(0), n}})) return {*tree, {}};
  if (!shaper.unfamiliar) return {{}, shaper.problem};
  auto [tree, problem] = schedules.expand(schedule, n);
  if (problem) return {{}, problem};
  // Leaves first: a pair is made after its parts, so ids ascend.
  std::set<TreeId> all{tree};
  for (std::vector<TreeId> work{tree}; !work.empty();) {
    const TreeNode node = trees[work.back()];
    work.pop_back();
    if (node.leaf >= 0) continue;
    for (TreeId child : {node.left, node.right}) {
      if (all.insert(child).second) work.push_back(child);
    }
  }
  std::map<TreeId, TreeId> shapes;
  for (TreeId id : all) {
    const TreeNode node = trees[id];
    shapes[id] = node.leaf >= 0 ? trees.leaf(0) : trees.pair(shapes.at(node.left), shapes.at(node.right));
  }
  return {shapes.at(tree), {}};
}

}  // namespace reckon::ir
