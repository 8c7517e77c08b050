// Written-out trees: the store, their text, and the expansion of a schedule for a given number of leaves, which follows
// the definitions of docs/schedules.md word for word. Evaluators fold without it and are tested against it.
#include <algorithm>
#include <bit>
#include <cassert>
#include <set>
#include <utility>

#include "ir/schedule/order.h"
#include "ir/schedule/round_walk.h"

namespace reckon::ir {

/// The finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
static std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Pairs of large trees have numbers in regular steps, which a weaker hash takes to the same places.
std::size_t TreeStore::Hash::operator()(const TreeNode& node) const {
  if (node.leaf >= 0) return mix(static_cast<std::uint64_t>(node.leaf) + 1);
  const std::uint64_t pair = std::uint64_t{node.left.index} << 32 | node.right.index;
  return mix(pair + (node.joint ? 0x9e3779b97f4a7c15 : 0));
}

TreeId TreeStore::intern(TreeNode node) {
  auto [found, inserted] = interned_.try_emplace(node, TreeId{static_cast<std::uint32_t>(nodes_.size())});
  if (!inserted) return found->second;
  const bool pair = node.leaf < 0;
  counts_.push_back(pair ? counts_[node.left.index] + counts_[node.right.index] : 1);
  const auto above = [&](TreeId operand) { return 1 + depths_[operand.index]; };
  depths_.push_back(!pair ? 0 : std::max(node.joint ? depths_[node.left.index] : above(node.left), above(node.right)));
  std::array<std::uint64_t, 2> hash{};
  for (std::size_t k = 0; k < 2; ++k) {
    const std::uint64_t seed = mix(k + 1) + (node.joint ? 2 : 0);
    hash[k] = pair ? mix(mix(seed + hashes_[node.left.index][k]) + 3 * hashes_[node.right.index][k] + 1)
                   : mix(seed ^ mix(static_cast<std::uint64_t>(node.leaf)));
  }
  hashes_.push_back(hash);
  nodes_.push_back(node);
  return found->second;
}

std::string TreeStore::hash_text(TreeId id) const {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (std::uint64_t part : hashes_[id.index]) {
    for (int shift = 60; shift >= 0; shift -= 4) out += digits[(part >> shift) & 15];
  }
  return out;
}

TreeId TreeStore::leaf(std::int64_t number) { return intern({number, {}, {}}); }
TreeId TreeStore::pair(TreeId left, TreeId right) { return intern({-1, left, right}); }
TreeId TreeStore::joint(TreeId left, TreeId right) { return intern({-1, left, right, true}); }

std::string TreeStore::text(TreeId id) const {
  // An explicit stack: a `seq` tree is as deep as it has leaves.
  std::string out;
  struct Item {
    TreeId at;
    char sign;  ///< 0: the whole tree
  };
  std::vector<Item> stack{{id, 0}};
  while (!stack.empty()) {
    const auto [at, sign] = stack.back();
    stack.pop_back();
    if (sign != 0) {
      out += sign;
      continue;
    }
    if (nodes_[at.index].leaf >= 0) {
      out += std::to_string(nodes_[at.index].leaf);
      continue;
    }
    std::vector<TreeId> operands;
    TreeId first = at;
    for (; nodes_[first.index].joint; first = nodes_[first.index].left) operands.push_back(nodes_[first.index].right);
    operands.push_back(nodes_[first.index].right);
    operands.push_back(nodes_[first.index].left);
    out += '(';
    stack.push_back({at, ')'});
    // `operands` has the last one first; runs of three leaves and more are written as ranges.
    for (std::size_t k = 0; k < operands.size();) {
      const auto leaf = [&](std::size_t of) { return nodes_[operands[of].index].leaf; };
      std::size_t end = k + 1;
      while (leaf(k) >= 0 && end < operands.size() && leaf(end) >= 0 && leaf(end) == leaf(end - 1) - 1) ++end;
      if (k > 0) stack.push_back({at, ' '});
      if (end - k < 3) {
        stack.push_back({operands[k], 0});
        ++k;
        continue;
      }
      stack.push_back({operands[k], 0});
      stack.push_back({at, '.'});
      stack.push_back({at, '.'});
      stack.push_back({operands[end - 1], 0});
      k = end;
    }
  }
  return out;
}

namespace {

constexpr std::int64_t largest_expansion = 10'000'000;

class Expander {
 public:
  Expander(TreeStore& trees, bool additions) : trees_(trees), additions_(additions) {}

  std::optional<TreeId> fold(const Order& order, std::vector<TreeId> nodes) {
    // A schedule that refers to itself for the same number of nodes would never end.
    const auto [open, inserted] = open_.insert({order, static_cast<std::int64_t>(nodes.size())});
    if (!inserted) {
      problem = ScheduleProblem{ScheduleProblem::Kind::endless};
      return std::nullopt;
    }
    auto tree = fold_once(order, std::move(nodes));
    open_.erase(open);
    return tree;
  }

  std::optional<ScheduleProblem> problem;

 private:
  std::optional<TreeId> fold_once(const Order& order, std::vector<TreeId> nodes) {
    const auto n = static_cast<std::int64_t>(nodes.size());
    const auto [head, trouble] = order.head(n);
    if (trouble) {
      problem = trouble;
      return std::nullopt;
    }
    switch (head.op()) {
      case ScheduleOp::seq: {
        TreeId all = nodes[0];
        for (std::int64_t i = 1; i < n; ++i) all = trees_.pair(all, nodes[i]);
        return all;
      }
      case ScheduleOp::tree: return pair_up(std::move(nodes));
      case ScheduleOp::halving: {
        std::size_t half = 1;
        while (half < nodes.size()) half *= 2;
        for (half /= 2; half >= 1; half /= 2) {
          for (std::size_t i = 0; i < half && i + half < nodes.size(); ++i) {
            nodes[i] = trees_.pair(nodes[i], nodes[i + half]);
          }
          if (nodes.size() > half) nodes.resize(half);
        }
        return nodes[0];
      }
      case ScheduleOp::blelloch: {
        std::optional<TreeId> all;
        std::size_t first = 0;
        while (first < nodes.size()) {
          const std::size_t block = std::bit_floor(nodes.size() - first);
          const TreeId one = pair_up({nodes.begin() + static_cast<std::ptrdiff_t>(first),
                                      nodes.begin() + static_cast<std::ptrdiff_t>(first + block)});
          all = all ? trees_.pair(*all, one) : one;
          first += block;
        }
        return all;
      }
      case ScheduleOp::rounds: return by_rounds(head.node().form->rounds, nodes);
      case ScheduleOp::kahan: return fold(head.plain(ScheduleOp::seq), std::move(nodes));
      case ScheduleOp::fused:
      case ScheduleOp::neumaier: return fold(head.operand(0), std::move(nodes));
      case ScheduleOp::rounded_once:
      case ScheduleOp::binned: problem = ScheduleProblem{ScheduleProblem::Kind::no_tree}; return std::nullopt;
      case ScheduleOp::mma: return by_additions(*head.node().mma, nodes);
      case ScheduleOp::quoted: return place(head.trees(), head.node().tree, nodes);
      case ScheduleOp::split: {
        const std::int64_t first = head.parameter();
        if (n <= first) return fold(head.operand(0), std::move(nodes));
        std::vector<TreeId> rest(nodes.begin() + first, nodes.end());
        nodes.resize(first);
        auto left = fold(head.operand(0), std::move(nodes));
        if (!left) return left;
        auto right = fold(head.operand(1), std::move(rest));
        if (!right) return right;
        return trees_.pair(*left, *right);
      }
      case ScheduleOp::then: {
        auto shorter = stage(head.operand(0), std::move(nodes));
        if (!shorter) return std::nullopt;
        return fold(head.operand(1), std::move(*shorter));
      }
      default: break;
    }
    assert(false && "not a schedule's head");
    return std::nullopt;
  }

  std::optional<std::vector<TreeId>> stage(const Order& order, std::vector<TreeId> nodes) {
    const auto n = static_cast<std::int64_t>(nodes.size());
    const auto [head, trouble] = order.head(n);
    if (trouble) {
      problem = trouble;
      return std::nullopt;
    }
    if (head.op() == ScheduleOp::stage_then) {
      auto first = stage(head.operand(0), std::move(nodes));
      if (!first) return first;
      return stage(head.operand(1), std::move(*first));
    }
    std::vector<std::vector<TreeId>> groups;
    if (head.op() == ScheduleOp::arrange) {
      const Arrangement& arrangement = head.arrangement();
      const std::int64_t run = arrangement.run_length();
      const std::int64_t runs = arrangement.open ? (n + run - 1) / run : n / run;
      for (std::int64_t o = 0; o < runs; ++o) {
        auto& group = groups.emplace_back();
        for (std::int64_t c = 0; c < run; ++c) {
          const std::int64_t at = arrangement.open
                                      ? o * arrangement.runs[0].stride + Arrangement::offset(arrangement.run, c)
                                      : arrangement.node(o, c);
          if (at < n) group.push_back(nodes[static_cast<std::size_t>(at)]);
        }
      }
    } else if (const std::int64_t k = head.parameter(); head.op() == ScheduleOp::tile) {
      for (std::int64_t i = 0; i < n; i += k) {
        groups.emplace_back(nodes.begin() + i, nodes.begin() + std::min(n, i + k));
      }
    } else {
      groups.resize(std::min(n, k));
      for (std::int64_t i = 0; i < n; ++i) groups[i % k].push_back(nodes[i]);
    }
    std::vector<TreeId> out;
    for (auto& group : groups) {
      auto one = fold(head.operand(0), std::move(group));
      if (!one) return std::nullopt;
      out.push_back(*one);
    }
    return out;
  }

  TreeId pair_up(std::vector<TreeId> nodes) {
    while (nodes.size() > 1) {
      std::vector<TreeId> next;
      for (std::size_t i = 0; i + 1 < nodes.size(); i += 2)
        next.push_back(trees_.pair(nodes[i], nodes[i + 1]));
      if (nodes.size() % 2) next.push_back(nodes.back());
      nodes = std::move(next);
    }
    return nodes[0];
  }

  TreeId by_rounds(const Rounds& rounds, const std::vector<TreeId>& nodes) {
    std::vector<TreeId> made;
    RoundWalk walk(rounds, static_cast<std::int64_t>(nodes.size()));
    while (const auto step = walk.next()) {
      if (*step != RoundWalk::join) {
        made.push_back(nodes[static_cast<std::size_t>(*step)]);
        continue;
      }
      const TreeId right = made.back();
      made.pop_back();
      made.back() = trees_.pair(made.back(), right);
    }
    return made.back();
  }

  /// Each addition takes the one before it and the next leaves.
  std::optional<TreeId> by_additions(const TensorCores& cores, const std::vector<TreeId>& nodes) {
    const numerics::MmaUnit* unit = cores.unit();
    if (!additions_ || unit == nullptr) {
      problem = ScheduleProblem{additions_ ? ScheduleProblem::Kind::no_formats : ScheduleProblem::Kind::many_operands};
      return std::nullopt;
    }
    const auto length = static_cast<std::size_t>(unit->length);
    TreeId all = nodes[0];
    for (std::size_t k = 1; k < nodes.size(); ++k) {
      const bool starts = k == 1 || k % length == 0;
      all = starts ? trees_.pair(all, nodes[k]) : trees_.joint(all, nodes[k]);
    }
    return all;
  }

  TreeId place(const TreeStore& shapes, TreeId shape, const std::vector<TreeId>& nodes) {
    const TreeNode node = shapes[shape];
    if (node.leaf >= 0) return nodes[node.leaf];
    const TreeId left = place(shapes, node.left, nodes);
    return trees_.pair(left, place(shapes, node.right, nodes));
  }

  TreeStore& trees_;
  bool additions_;                                 ///< additions of many operands are written out, too
  std::set<std::pair<Order, std::int64_t>> open_;  ///< pairs of an order and a length that are being expanded
};

}  // namespace

ScheduleStore::Expansion expand(const Order& order, std::int64_t n, TreeStore& trees, bool additions) {
  if (n < 1 || n > largest_expansion) return {{}, ScheduleProblem{ScheduleProblem::Kind::no_value}};
  std::vector<TreeId> leaves;
  for (std::int64_t i = 0; i < n; ++i) leaves.push_back(trees.leaf(i));
  Expander expander(trees, additions);
  auto tree = expander.fold(order, std::move(leaves));
  if (!tree) return {{}, expander.problem};
  return {*tree, {}};
}

ScheduleStore::Expansion ScheduleStore::expand(ScheduleId id, std::int64_t n) {
  return ir::expand(Order(*this, id), n, trees_);
}

ScheduleStore::Expansion ScheduleStore::additions(ScheduleId id, std::int64_t n) {
  return ir::expand(Order(*this, id), n, trees_, true);
}

}  // namespace reckon::ir
