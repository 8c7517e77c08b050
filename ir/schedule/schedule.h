// Schedules: for every length n >= 1, one binary tree over leaves 0..n-1 (language.md, "Schedules").
// A schedule is kept as its combinator term; terms are hash-consed. Parameters are index expressions over the
// function's dimensions and the lengths that enclosing `length` terms name.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/ids.h"
#include "ir/index.h"

namespace reckon::ir {

enum class ScheduleOp : std::uint8_t {
  seq,          ///< ((0 1) 2) 3 ...
  tree,         ///< adjacent pairs, again and again; an odd last one is carried
  halving,      ///< i with i + P/2, P the least power of two >= n, then P halved; absent operands pass through
  quoted,       ///< tree: that tree, for that number of leaves only
  split,        ///< parameter m, operands A, B: the first m by A, the rest by B, joined; n <= m: A alone
  then,         ///< operands: a stage, a schedule
  length,       ///< variable, operand: the operand with the variable standing for n
  conditional,  ///< parameter: a condition; operands: if it holds, else
  reference,    ///< symbol: the definition of that name in the module (recursion through `length`)
  any,          ///< every tree on every permutation
  any_tree,     ///< every tree in this order
  any_seq,      ///< left folds of every permutation
  tile,         ///< stage; parameter k, operand S: each run of k consecutive nodes becomes one by S
  lanes,        ///< stage; parameter k, operand S: node i goes to lane i mod k; each lane becomes one by S
  stage_then,   ///< stage; operands: first one stage, then another
};

constexpr bool is_stage(ScheduleOp op) { return op >= ScheduleOp::tile; }

struct ScheduleNode {
  ScheduleOp op{};
  IndexId parameter;
  VariableId variable;
  SymbolId symbol;
  TreeId tree;
  std::vector<ScheduleId> operands;
  friend bool operator==(const ScheduleNode&, const ScheduleNode&) = default;
};

/// A binary tree over leaf numbers: a leaf, or the pair of two trees. Hash-consed.
struct TreeNode {
  std::int64_t leaf = -1;  ///< -1 for a pair
  TreeId left, right;
  friend bool operator==(const TreeNode&, const TreeNode&) = default;
};

class TreeStore {
 public:
  TreeId leaf(std::int64_t number);
  TreeId pair(TreeId left, TreeId right);
  const TreeNode& operator[](TreeId id) const { return nodes_[id.index]; }
  std::int64_t leaf_count(TreeId id) const { return counts_[id.index]; }
  int depth(TreeId id) const { return depths_[id.index]; }
  /// `((0 1) 2)`; a single leaf is `0`.
  std::string text(TreeId id) const;

 private:
  TreeId intern(TreeNode node);
  struct Hash {
    std::size_t operator()(const TreeNode& node) const;
  };
  std::vector<TreeNode> nodes_;
  std::vector<std::int64_t> counts_;
  std::vector<int> depths_;
  std::unordered_map<TreeNode, TreeId, Hash> interned_;
};

/// Why a schedule has no tree for a length.
struct ScheduleProblem {
  enum class Kind : std::uint8_t {
    quoted_length,    ///< a quoted tree has another number of leaves
    bad_size,         ///< a stage's k, or a split's m, is not positive
    no_single_order,  ///< any, any_tree, any_seq
    no_value,         ///< a parameter mentions an unknown dimension, overflows or divides by zero
    endless,          ///< `length` terms refer to each other without end
  } kind{};
  std::int64_t expected = 0;  ///< quoted_length: leaves of the tree; bad_size: the value
  std::int64_t actual = 0;    ///< quoted_length: the number asked for
};

class ScheduleStore {
 public:
  explicit ScheduleStore(IndexStore& indices) : indices_(indices) {}

  ScheduleId simple(ScheduleOp op);  ///< seq, tree, halving, any, any_tree, any_seq
  ScheduleId quoted(TreeId tree);
  ScheduleId split(IndexId first, ScheduleId a, ScheduleId b);
  /// Re-associates to the right: (A then B) then S is A then (B then S).
  ScheduleId then(ScheduleId stage, ScheduleId schedule);
  ScheduleId tile(IndexId size, ScheduleId schedule);
  ScheduleId lanes(IndexId count, ScheduleId schedule);
  ScheduleId stage_then(ScheduleId first, ScheduleId second);
  /// `variable` is any variable free in `body`; the term is renumbered canonically.
  ScheduleId length(VariableId variable, ScheduleId body);
  ScheduleId conditional(IndexId condition, ScheduleId if_true, ScheduleId if_false);
  ScheduleId reference(SymbolId symbol);
  /// With no `by`: lanes(128, tree) then tree.
  ScheduleId default_order();

  void define(SymbolId symbol, ScheduleId schedule) { definitions_[symbol] = schedule; }
  std::optional<ScheduleId> definition(SymbolId symbol) const;
  const std::map<SymbolId, ScheduleId>& definitions() const { return definitions_; }

  const ScheduleNode& operator[](ScheduleId id) const { return nodes_[id.index]; }
  ScheduleId substitute(ScheduleId id, const IndexSubstitution& substitution);

  /// The schedule that `id` is for n nodes, its outermost term being none of length, conditional, reference, and its
  /// parameter (if it has one) a positive constant. `id` mentions no dimension.
  struct Head {
    ScheduleId schedule;
    std::optional<ScheduleProblem> problem;
  };
  Head head(ScheduleId id, std::int64_t n);
  /// The constant parameter of a head.
  std::int64_t parameter(ScheduleId head) const { return indices_[nodes_[head.index].parameter].value; }

  /// The tree for n leaves, if the schedule has one (and n is at most ten million).
  struct Expansion {
    TreeId tree;
    std::optional<ScheduleProblem> problem;
  };
  Expansion expand(ScheduleId id, std::int64_t n);

  TreeStore& trees() { return trees_; }
  const TreeStore& trees() const { return trees_; }
  IndexStore& indices() { return indices_; }

 private:
  ScheduleId intern(ScheduleNode node);
  std::uint32_t height(ScheduleId id) const { return heights_[id.index]; }
  struct Hash {
    std::size_t operator()(const ScheduleNode& node) const;
  };
  IndexStore& indices_;
  TreeStore trees_;
  std::vector<ScheduleNode> nodes_;
  std::vector<std::uint32_t> heights_;  ///< one above every length variable bound inside
  std::unordered_map<ScheduleNode, ScheduleId, Hash> interned_;
  std::map<SymbolId, ScheduleId> definitions_;
  std::unordered_map<std::uint64_t, ScheduleId> heads_;
};

}  // namespace reckon::ir
