#include "ir/schedule/shape.h"

#include <bit>
#include <map>
#include <vector>

namespace reckon::ir {
namespace {

/// Trees without their leaf numbers, hash-consed; 0 is a leaf.
class Shapes {
 public:
  explicit Shapes(const TreeStore& trees) : trees_(trees) {}

  std::uint32_t pair(std::uint32_t left, std::uint32_t right) {
    return pairs_.try_emplace({left, right}, static_cast<std::uint32_t>(pairs_.size() + 1)).first->second;
  }
  std::uint32_t left_fold(std::int64_t n, std::uint32_t leaf) {
    std::uint32_t out = leaf;
    for (std::int64_t k = 1; k < n; ++k) out = pair(out, leaf);
    return out;
  }
  std::uint32_t right_fold(std::int64_t n, std::uint32_t leaf) {
    std::uint32_t out = leaf;
    for (std::int64_t k = 1; k < n; ++k) out = pair(leaf, out);
    return out;
  }
  /// Adjacent pairs, an odd last one carried: the left part has the largest power of two below n leaves.
  std::uint32_t pairwise(std::int64_t n, std::uint32_t leaf) {
    if (n == 1) return leaf;
    const auto left = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n - 1)));
    return pair(pairwise(left, leaf), pairwise(n - left, leaf));
  }

  std::uint32_t of(TreeId root) {
    std::vector<TreeId> pending{root};
    while (!pending.empty()) {
      const TreeId id = pending.back();
      const TreeNode& node = trees_[id];
      if (known_.contains(id)) {
        pending.pop_back();
        continue;
      }
      if (node.leaf >= 0) {
        known_[id] = 0;
        continue;
      }
      const auto left = known_.find(node.left), right = known_.find(node.right);
      if (left != known_.end() && right != known_.end()) {
        known_[id] = pair(left->second, right->second);
        continue;
      }
      if (left == known_.end()) pending.push_back(node.left);
      if (right == known_.end()) pending.push_back(node.right);
    }
    return known_.at(root);
  }

  /// The form of n parts of one shape, if it has a name.
  std::string form(std::uint32_t shape, std::int64_t n, std::uint32_t part) {
    if (n == 1) return {};
    if (n == 2 && shape == pair(part, part)) return "pair";
    if (std::has_single_bit(static_cast<std::uint64_t>(n)) && shape == pairwise(n, part)) return "balanced tree";
    if (shape == left_fold(n, part)) return "left fold";
    if (shape == pairwise(n, part)) return "pairwise tree";
    if (shape == right_fold(n, part)) return "right fold";
    return {};
  }

 private:
  const TreeStore& trees_;
  std::map<TreeId, std::uint32_t> known_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> pairs_;
};

}  // namespace

std::string shape_text(TreeStore& trees, TreeId tree) {
  const std::int64_t n = trees.leaf_count(tree);
  if (n == 1) return "1 leaf";
  Shapes shapes(trees);
  const std::uint32_t whole = shapes.of(tree);
  if (const std::string name = shapes.form(whole, n, 0); !name.empty()) {
    return name + " of " + std::to_string(n) + " leaves";
  }
  // The candidates for equal parts are the subtrees at the ends of the leftmost path, the largest first.
  for (TreeId part = trees[tree].left; trees[part].leaf < 0; part = trees[part].left) {
    const std::int64_t size = trees.leaf_count(part);
    if (n % size != 0) continue;
    const std::uint32_t shape = shapes.of(part);
    const std::string outer = shapes.form(whole, n / size, shape), inner = shapes.form(shape, size, 0);
    if (outer.empty() || inner.empty()) continue;
    return outer + " of " + std::to_string(n / size) + " nodes, each a " + inner + " of " + std::to_string(size) +
           " leaves";
  }
  return std::to_string(n) + " leaves, depth " + std::to_string(trees.depth(tree));
}

}  // namespace reckon::ir
