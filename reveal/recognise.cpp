#include "reveal/recognise.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <map>
#include <vector>

namespace reckon::reveal {
namespace {

using ir::ScheduleId;
using ir::ScheduleOp;
using ir::TreeId;

constexpr int deepest = 3;
constexpr int shortest_stage = 3, nested_stage = 5;  // terms of a stage: at least, and with another stage in its groups
constexpr int shortest_split = 4;
constexpr std::int64_t longest_from_right = 4096;  // its expansion is as deep as it is long

struct Term {
  ScheduleId schedule;
  std::string text;
  int terms = 1;
};

class Recogniser {
 public:
  Recogniser() {
    for (const auto& [op, name] :
         {std::pair{ScheduleOp::seq, "seq"}, {ScheduleOp::tree, "tree"}, {ScheduleOp::halving, "halving"}}) {
      simple_.push_back({schedules_.simple(op), name, 1});
    }
    // from_right = length n: split(1, seq, from_right)
    const ir::SymbolId symbol{0};
    const ScheduleId itself = schedules_.reference(symbol);
    schedules_.define(symbol, schedules_.split(indices_.constant(1), simple_[0].schedule, itself));
    from_right_ = {itself, "from_right", 1};
  }

  std::optional<Term> whole(const SumTree& tree) {
    const auto id = tree.binary(schedules_.trees());
    if (!id) return std::nullopt;
    return find(*id, deepest);  // the children of a SumTree stand in canonical order
  }

 private:
  ir::TreeStore& trees() { return schedules_.trees(); }

  /// The tree with its leaves renamed, and at every node the child with the smaller leaf first. `collapsed`: subtrees
  /// that are replaced by leaves of those names.
  TreeId canonical(TreeId tree, const std::vector<std::int64_t>& labels) { return renamed(tree, labels, {}); }
  TreeId renamed(TreeId tree, const std::vector<std::int64_t>& labels,
                 const std::map<TreeId, std::int64_t>& collapsed) {
    struct Made {
      TreeId tree;
      std::int64_t smallest;
    };
    std::vector<std::pair<TreeId, bool>> stack{{tree, false}};
    std::vector<Made> made;
    while (!stack.empty()) {
      const auto [id, ready] = stack.back();
      stack.pop_back();
      const ir::TreeNode node = trees()[id];
      if (ready) {
        Made second = made.back();
        made.pop_back();
        Made& first = made.back();
        if (second.smallest < first.smallest) std::swap(first, second);
        first.tree = trees().pair(first.tree, second.tree);
        continue;
      }
      const auto found = collapsed.find(id);
      if (found != collapsed.end()) {
        made.push_back({trees().leaf(found->second), found->second});
      } else if (node.leaf >= 0) {
        const std::int64_t label = labels[static_cast<std::size_t>(node.leaf)];
        made.push_back({trees().leaf(label), label});
      } else {
        stack.push_back({id, true});
        stack.push_back({node.right, false});
        stack.push_back({node.left, false});
      }
    }
    return made[0].tree;
  }

  /// Whether the tree has the depth of a simple schedule's, and the sibling of its first leaf: an expansion takes as
  /// long as all the rest.
  bool may_be(const Term& term, TreeId tree) {
    const std::int64_t n = trees().leaf_count(tree), depth = trees().depth(tree);
    if (n < 8) return true;
    if (&term == &simple_[0]) return depth == n - 1;
    if (depth != static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(n - 1)))) return false;
    TreeId at = tree;
    while (trees()[trees()[at].left].leaf < 0) at = trees()[at].left;
    return (trees()[trees()[at].right].leaf == 1) == (&term == &simple_[1]);
  }

  /// Whether the schedule has this canonical tree.
  bool fits(ScheduleId schedule, TreeId tree) {
    const std::int64_t n = trees().leaf_count(tree);
    const auto [found, inserted] = expansions_.try_emplace({schedule.index, n});
    if (inserted) {
      const auto expansion = schedules_.expand(schedule, n);
      if (!expansion.problem) {
        std::vector<std::int64_t> labels(static_cast<std::size_t>(n));
        for (std::size_t k = 0; k < labels.size(); ++k) labels[k] = static_cast<std::int64_t>(k);
        const TreeId expanded = canonical(expansion.tree, labels);
        expansions_[{schedule.index, n}] = expanded;
        return expanded == tree;
      }
    }
    return found->second && *found->second == tree;
  }

  /// The shortest term for a canonical tree.
  std::optional<Term> find(TreeId tree, int depth) {
    const auto [known, inserted] = found_.try_emplace({tree.index, depth});
    if (!inserted) return known->second;
    std::optional<Term> best = search(tree, depth);
    found_[{tree.index, depth}] = best;
    return best;
  }

  std::optional<Term> search(TreeId tree, int depth) {
    const std::int64_t n = trees().leaf_count(tree);
    for (const Term& term : simple_) {
      if (may_be(term, tree) && fits(term.schedule, tree)) return term;
    }
    const bool starts_right = n > 2 && n <= longest_from_right && trees()[trees()[tree].left].leaf == 0;
    if (starts_right && fits(from_right_.schedule, tree)) return from_right_;
    if (depth == 0) return std::nullopt;
    std::optional<Term> best;
    const auto offer = [&](const std::optional<Term>& term) {
      if (term && (!best || term->terms < best->terms)) best = term;
    };
    for (const auto& [lanes, k] : stages(tree)) {
      const int limit = best ? best->terms - 1 : INT_MAX;
      if (limit < shortest_stage) return best;
      if (limit < nested_stage && !may_begin_simply(tree, lanes, k)) continue;
      offer(staged(tree, lanes, k, depth));
    }
    if (!best || best->terms > shortest_split) offer(split(tree, depth));
    return best;
  }

  /// Stages whose first group could be a subtree: one that has leaf 0 is tile(k) if its leaves are 0..k-1, and lanes(k)
  /// if they are the multiples of k.
  std::vector<std::pair<bool, std::int64_t>> stages(TreeId tree) {
    // The path from the root to leaf 0, which is the first child of every node on it.
    std::vector<TreeId> path;
    for (TreeId at = tree; trees()[at].leaf < 0; at = trees()[at].left) path.push_back(at);
    std::vector<std::pair<bool, std::int64_t>> out;
    const std::int64_t n = trees().leaf_count(tree);
    std::int64_t second = n, largest = 0;
    for (std::size_t up = 0; up + 1 < path.size(); ++up) {  // not the root
      const TreeId node = path[path.size() - 1 - up];
      const auto [low, high] = extent(trees()[node].right);
      second = std::min(second, low);
      largest = std::max(largest, high);
      const std::int64_t size = trees().leaf_count(node);
      // What is joined to the first group is whole groups, of which the last may be short: else every node of a chain
      // would be looked at.
      const std::int64_t joined = trees().leaf_count(trees()[path[path.size() - 2 - up]].right) % size;
      if (largest == size - 1 && (joined == 0 || joined == n % size)) out.emplace_back(false, size);
      if (second > 1 && (n - 1) / second + 1 == size && largest == (size - 1) * second) out.emplace_back(true, second);
    }
    return out;
  }

  /// Smallest and largest leaf.
  std::pair<std::int64_t, std::int64_t> extent(TreeId tree) {
    std::vector<TreeId> stack{tree};
    std::int64_t low = INT64_MAX, high = -1;
    while (!stack.empty()) {
      const ir::TreeNode& node = trees()[stack.back()];
      stack.pop_back();
      if (node.leaf >= 0) {
        low = std::min(low, node.leaf);
        high = std::max(high, node.leaf);
      } else {
        stack.push_back(node.left);
        stack.push_back(node.right);
      }
    }
    return {low, high};
  }

  /// Whether the first group's subtree may be that of a simple schedule, by its depth.
  bool may_begin_simply(TreeId tree, bool lanes, std::int64_t k) {
    const std::int64_t n = trees().leaf_count(tree), size = lanes ? (n - 1) / k + 1 : std::min(k, n);
    TreeId at = tree;
    while (trees().leaf_count(at) > size) at = trees()[at].left;
    const std::int64_t depth = trees().depth(at);
    return depth == size - 1 ||
           depth == static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(size - 1)));
  }

  /// `lanes(k, A) then B` or `tile(k, A) then B`, if every group is a subtree, all of one order.
  std::optional<Term> staged(TreeId tree, bool lanes, std::int64_t k, int depth) {
    const std::int64_t n = trees().leaf_count(tree);
    const std::int64_t groups = lanes ? k : (n - 1) / k + 1;
    const auto group_of = [&](std::int64_t leaf) { return lanes ? leaf % k : leaf / k; };
    const auto place_of = [&](std::int64_t leaf) { return lanes ? leaf / k : leaf % k; };
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(groups)), labels(static_cast<std::size_t>(n));
    for (std::int64_t leaf = 0; leaf < n; ++leaf) {
      ++sizes[static_cast<std::size_t>(group_of(leaf))];
      labels[static_cast<std::size_t>(leaf)] = place_of(leaf);
    }
    // From the root down: a node whose leaves are one whole group becomes a leaf of what is left.
    std::map<TreeId, std::int64_t> collapsed;
    std::vector<TreeId> stack{tree};
    std::map<TreeId, bool> orders;
    while (!stack.empty()) {
      const TreeId id = stack.back();
      stack.pop_back();
      const ir::TreeNode node = trees()[id];
      const std::int64_t group = group_of(first_leaf(id)), size = trees().leaf_count(id);
      if (size <= sizes[static_cast<std::size_t>(group)]) {
        if (size < sizes[static_cast<std::size_t>(group)] || !all_in(id, group, group_of)) return std::nullopt;
        collapsed[id] = group;
        if (size > 1) orders[canonical(id, labels)] = true;
        continue;
      }
      stack.push_back(node.left);
      stack.push_back(node.right);
    }
    // The order of the longest group must fit the shorter groups as well.
    TreeId longest = orders.begin()->first;
    for (const auto& [order, unused] : orders) {
      if (trees().leaf_count(order) > trees().leaf_count(longest)) longest = order;
    }
    std::optional<Term> inner;
    const auto serves = [&](const Term& term) {
      return std::all_of(orders.begin(), orders.end(),
                         [&](const auto& order) { return fits(term.schedule, order.first); });
    };
    for (const Term& term : simple_) {
      if (!inner && may_be(term, longest) && serves(term)) inner = term;
    }
    if (!inner) inner = find(longest, depth - 1);
    if (!inner || !serves(*inner)) return std::nullopt;
    const auto outer = find(renamed(tree, labels, collapsed), depth - 1);
    if (!outer) return std::nullopt;
    const ir::IndexId size = indices_.constant(k);
    const ScheduleId stage = lanes ? schedules_.lanes(size, inner->schedule) : schedules_.tile(size, inner->schedule);
    return Term{schedules_.then(stage, outer->schedule),
                fmt::format("{}({}, {}) then {}", lanes ? "lanes" : "tile", k, inner->text, outer->text),
                1 + inner->terms + outer->terms};
  }

  std::int64_t first_leaf(TreeId id) {
    while (trees()[id].leaf < 0) id = trees()[id].left;
    return trees()[id].leaf;
  }
  template <class GroupOf>
  bool all_in(TreeId tree, std::int64_t group, const GroupOf& group_of) {
    std::vector<TreeId> stack{tree};
    while (!stack.empty()) {
      const ir::TreeNode& node = trees()[stack.back()];
      stack.pop_back();
      if (node.leaf >= 0) {
        if (group_of(node.leaf) != group) return false;
      } else {
        stack.push_back(node.left);
        stack.push_back(node.right);
      }
    }
    return true;
  }

  /// `split(m, A, B)`: the root joins the first m and the rest.
  std::optional<Term> split(TreeId tree, int depth) {
    const ir::TreeNode node = trees()[tree];
    const std::int64_t m = trees().leaf_count(node.left), n = trees().leaf_count(tree);
    if (extent(node.left).second != m - 1) return std::nullopt;
    std::vector<std::int64_t> labels(static_cast<std::size_t>(n));
    for (std::int64_t leaf = 0; leaf < n; ++leaf) labels[static_cast<std::size_t>(leaf)] = leaf < m ? leaf : leaf - m;
    const auto first = find(canonical(node.left, labels), depth - 1);
    if (!first) return std::nullopt;
    const auto rest = find(canonical(node.right, labels), depth - 1);
    if (!rest) return std::nullopt;
    return Term{schedules_.split(indices_.constant(m), first->schedule, rest->schedule),
                fmt::format("split({}, {}, {})", m, first->text, rest->text), 2 + first->terms + rest->terms};
  }

  ir::IndexStore indices_;
  ir::ScheduleStore schedules_{indices_};
  std::vector<Term> simple_;
  Term from_right_;
  std::map<std::pair<std::uint32_t, std::int64_t>, std::optional<TreeId>> expansions_;
  std::map<std::pair<std::uint32_t, int>, std::optional<Term>> found_;
};

}  // namespace

std::optional<Recognised> recognise(const SumTree& tree) {
  const auto term = Recogniser().whole(tree);
  if (!term) return std::nullopt;
  return Recognised{term->text, term->terms};
}

}  // namespace reckon::reveal
