// Schedules: for every length n >= 1, one binary tree over leaves 0..n-1 (docs/schedules.md).
// A schedule is kept as its combinator term; terms are hash-consed. Parameters are index expressions over the
// function's dimensions and the lengths that enclosing `length` terms name.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/ids.h"
#include "ir/index.h"
#include "ir/schedule/forms.h"
#include "layout/composed.h"
#include "numerics/mma.h"

namespace reckon::ir {

enum class ScheduleOp : std::uint8_t {
  seq,           ///< ((0 1) 2) 3 ...
  tree,          ///< adjacent pairs, again and again; an odd last one is carried
  halving,       ///< i with i + P/2, P the least power of two >= n, then P halved; absent operands pass through
  blelloch,      ///< the aligned blocks of n's binary digits, each by `tree`, joined from the left
  rounds,        ///< form: a row of the table of forms that is defined by its rounds
  quoted,        ///< tree: that tree, for that number of leaves only
  split,         ///< parameter m, operands A, B: the first m by A, the rest by B, joined; n <= m: A alone
  then,          ///< operands: a stage, a schedule
  length,        ///< variable, operand: the operand with the variable standing for n
  conditional,   ///< parameter: a condition; operands: if it holds, else
  reference,     ///< symbol: the definition of that name in the module (recursion through `length`)
  fused,         ///< operand S: in S's tree, a product leaf is absorbed by its node's addition as one fma
  neumaier,      ///< operand S: nodes carry (s, c); (s, e) = TwoSum(s1, s2), c = (c1 + c2) + e; the result is s + c
  kahan,         ///< the classical compensated loop, from left to right
  rounded_once,  ///< the exact sum, rounded once: no tree
  binned,        ///< parameter k: leaves rounded to the last of k bins below the largest one, added exactly: no tree
  mma,           ///< mma: additions of many products at once, as tensor cores carry them out: no binary tree
  any,           ///< every tree on every permutation
  any_tree,      ///< every tree in this order
  any_seq,       ///< left folds of every permutation
  tile,          ///< stage; parameter k, operand S: each run of k consecutive nodes becomes one by S
  lanes,         ///< stage; parameter k, operand S: node i goes to lane i mod k; each lane becomes one by S
  arrange,       ///< stage; arrangement, operand S: the runs of a layout's last mode, each by S
  stage_then,    ///< stage; operands: first one stage, then another
  any_depth,     ///< parameter h: every tree of at most that height on every permutation
  any_lanes,  ///< parameter k: node i goes to lane i mod k; each lane by any tree on any permutation, then the lanes so
};

/// Where a stage is carried out: a thread on its own, the lanes of a warp, ... It changes no bit.
enum class MachineLevel : std::uint8_t { none, thread, warp, block, grid };
std::string_view machine_level_name(MachineLevel level);
std::optional<MachineLevel> machine_level_named(std::string_view name);

constexpr bool is_stage(ScheduleOp op) { return op >= ScheduleOp::tile && op <= ScheduleOp::stage_then; }
/// The schedules that say how the accumulator computes, and not only in which order: for sums alone.
constexpr bool is_arithmetic(ScheduleOp op) { return op >= ScheduleOp::fused && op <= ScheduleOp::mma; }

/// The sets of orders that have a parameter, fewer orders than `any` has.
constexpr bool is_limited_set(ScheduleOp op) { return op >= ScheduleOp::any_depth; }
/// The schedules that stand for many orders, and have no tree.
constexpr bool is_set_of_orders(ScheduleOp op) {
  return is_limited_set(op) || (op >= ScheduleOp::any && op <= ScheduleOp::any_seq);
}

/// The least height of a tree over n >= 1 leaves.
int min_height(std::int64_t n);

/// The runs of an `arrange` stage: its layout, flattened. Run o consists of the nodes at offset(run, c) + offset(runs,
/// o), for c = 0, 1, ... in colexicographic order. If the layout is composed (swizzled), the stages map these numbers
/// to the numbers of the nodes.
struct Arrangement {
  struct Mode {
    std::int64_t extent = 1, stride = 0;
    friend auto operator<=>(const Mode&, const Mode&) = default;
  };
  std::vector<Mode> run;   ///< all modes but the last, the leftmost fastest
  std::vector<Mode> runs;  ///< the last mode; if `open`, a single one whose extent is as large as needed
  bool open = false;
  std::vector<layout::Stage> stages = {};  ///< none if `open`
  friend bool operator==(const Arrangement&, const Arrangement&) = default;

  /// The layout as it is written; its last mode is that of the runs. The arrangement is not open.
  layout::AnyLayout layout() const;
  std::int64_t run_length() const;
  std::int64_t size() const;  ///< nodes of all runs; the arrangement is not open
  /// The node at position c of run o. The arrangement is not open, and is a bijection.
  std::int64_t node(std::int64_t o, std::int64_t c) const;
  /// The offset of the index among the modes.
  static std::int64_t offset(const std::vector<Mode>& modes, std::int64_t index);
  /// Whether each group of `count` consecutive nodes of a run has the same distances between its nodes as the first
  /// group.
  bool repeats_every(std::int64_t count) const;
  /// The modes of a run of which only every count-th node is kept; `repeats_every(count)` holds.
  std::vector<Mode> every(std::int64_t count) const;
  /// Whether every node belongs to exactly one run: 0..size-1, or every natural number for an open one, whose nodes
  /// beyond the last one that there is are absent.
  bool is_bijection() const;
  /// Whether the nodes of every run are in the order in which `tile` has them.
  bool runs_in_order() const;
};

/// The tensor cores that an `mma` schedule follows. The formats are stated, or follow from the sum.
struct TensorCores {
  numerics::MmaModel model{};
  std::optional<numerics::Format> accumulator = std::nullopt, operand = std::nullopt;
  friend bool operator==(const TensorCores&, const TensorCores&) = default;
  /// Null: a format is missing, or the model has no such addition.
  const numerics::MmaUnit* unit() const;
};

struct ScheduleNode {
  ScheduleOp op{};
  IndexId parameter;
  VariableId variable;
  SymbolId symbol;
  TreeId tree;
  const Form* form = nullptr;     ///< rounds: its row
  std::uint32_t arrangement = 0;  ///< arrange: which of the store's
  std::optional<TensorCores> mma = std::nullopt;
  MachineLevel level = MachineLevel::none;  ///< to which the term is pinned; never on then, length or conditional
  std::vector<ScheduleId> operands;
  friend bool operator==(const ScheduleNode&, const ScheduleNode&) = default;
};

/// A binary tree over leaf numbers: a leaf, or the pair of two trees. Hash-consed. One addition of several operands
/// (`mma`) is a pair of the first two, and a joint pair for each of the others.
struct TreeNode {
  std::int64_t leaf = -1;  ///< -1 for a pair
  TreeId left, right;
  bool joint = false;  ///< the right operand is added together with the left pair's operands, in one rounding
  friend bool operator==(const TreeNode&, const TreeNode&) = default;
};

class TreeStore {
 public:
  TreeId leaf(std::int64_t number);
  TreeId pair(TreeId left, TreeId right);
  TreeId joint(TreeId left, TreeId right);
  const TreeNode& operator[](TreeId id) const { return nodes_[id.index]; }
  std::int64_t leaf_count(TreeId id) const { return counts_[id.index]; }
  int depth(TreeId id) const { return depths_[id.index]; }
  /// `((0 1) 2)`; a single leaf is `0`. One addition of many leaves is `(0..15)`, of one before it `((0..15) 16..31)`.
  std::string text(TreeId id) const;
  /// 128 bits that depend on the tree alone, as 32 hexadecimal digits: trees of different programs compare by it.
  std::string hash_text(TreeId id) const;

 private:
  TreeId intern(TreeNode node);
  struct Hash {
    std::size_t operator()(const TreeNode& node) const;
  };
  std::vector<TreeNode> nodes_;
  std::vector<std::int64_t> counts_;
  std::vector<int> depths_;
  std::vector<std::array<std::uint64_t, 2>> hashes_;
  std::unordered_map<TreeNode, TreeId, Hash> interned_;
};

/// Why a schedule has no tree for a length.
struct ScheduleProblem {
  enum class Kind : std::uint8_t {
    quoted_length,      ///< a quoted tree has another number of leaves
    arranged_length,    ///< an arrangement has another number of nodes
    bad_size,           ///< a stage's k, or a split's m, is not positive
    no_single_order,    ///< a set of orders
    no_tree,            ///< rounded_once, binned: asked for a tree
    many_operands,      ///< mma: asked for a binary tree
    no_formats,         ///< mma: asked for its additions, which depend on the operands' format
    nested_arithmetic,  ///< fused, neumaier, ... within each other
    no_value,           ///< a parameter mentions an unknown dimension, overflows or divides by zero
    endless,            ///< `length` terms refer to each other without end
    too_shallow,        ///< any_depth: no tree of that height has so many leaves
  } kind{};
  std::int64_t expected = 0;  ///< quoted_length, arranged_length: leaves of the tree; bad_size, too_shallow: the value
  std::int64_t actual = 0;    ///< quoted_length, arranged_length, too_shallow: the number asked for
};

/// A chain of length and reference terms that never reaches a combinator would go on for ever; no chain that ends visits
/// more terms than there are.
inline constexpr std::size_t max_steps_to_head = 10'000;

class ScheduleStore {
 public:
  /// `forms`: those that a text may name; the table has to outlive the store.
  explicit ScheduleStore(IndexStore& indices, const Forms& forms = Forms::standard());
  /// A copy whose parameters are those of a copy of the other's indices.
  ScheduleStore(const ScheduleStore& other, IndexStore& indices);
  ScheduleStore(const ScheduleStore&) = delete;
  ~ScheduleStore();

  ScheduleId simple(ScheduleOp op);  ///< seq, tree, halving, blelloch, kahan, rounded_once, any, any_tree, any_seq
  /// `seq` or `tree`, which every store has.
  ScheduleId plain(ScheduleOp op) const { return op == ScheduleOp::seq ? seq_ : tree_; }
  /// Any form but `arrange`, of what it takes.
  ScheduleId make(const Form& form, IndexId size = {}, std::vector<ScheduleId> schedules = {});
  ScheduleId quoted(TreeId tree);
  ScheduleId split(IndexId first, ScheduleId a, ScheduleId b);
  ScheduleId fused(ScheduleId schedule) { return intern({.op = ScheduleOp::fused, .operands = {schedule}}); }
  ScheduleId neumaier(ScheduleId schedule) { return intern({.op = ScheduleOp::neumaier, .operands = {schedule}}); }
  ScheduleId any_depth(IndexId height) { return intern({.op = ScheduleOp::any_depth, .parameter = height}); }
  ScheduleId any_lanes(IndexId count) { return intern({.op = ScheduleOp::any_lanes, .parameter = count}); }
  ScheduleId binned(IndexId folds) { return intern({.op = ScheduleOp::binned, .parameter = folds}); }
  ScheduleId mma(const TensorCores& cores) { return intern({.op = ScheduleOp::mma, .mma = cores}); }
  /// The same schedule with other tensor cores in its `mma` terms. Definitions stay as they are.
  ScheduleId with_tensor_cores(ScheduleId id, const std::function<TensorCores(TensorCores)>& other);
  ScheduleId arrange(const Arrangement& arrangement, ScheduleId schedule);
  /// Re-associates to the right: (A then B) then S is A then (B then S).
  ScheduleId then(ScheduleId stage, ScheduleId schedule);
  ScheduleId tile(IndexId size, ScheduleId schedule);
  ScheduleId lanes(IndexId count, ScheduleId schedule);
  ScheduleId stage_then(ScheduleId first, ScheduleId second);
  /// The same order, pinned to a level. Each stage, and the schedule that follows the last one, is pinned by itself; a
  /// term that already has a level keeps it.
  ScheduleId pinned(ScheduleId id, MachineLevel level);
  /// The same order, pinned nowhere. The definitions that it refers to stay as they are.
  ScheduleId unpinned(ScheduleId id);
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
  const Arrangement& arrangement(std::uint32_t which) const { return arrangements_[which]; }
  const Arrangement& arrangement_of(const ScheduleNode& node) const { return arrangement(node.arrangement); }
  /// The terms that `id` is made of, those of definitions included.
  std::vector<ScheduleId> terms(ScheduleId id) const;
  /// The operations that occur in a term and in the definitions that it refers to.
  std::set<ScheduleOp> operations(ScheduleId id) const;
  /// The levels that its terms are pinned to.
  std::set<MachineLevel> levels(ScheduleId id) const;
  /// Whether the schedule says how a sum is accumulated, so that it is for sums alone.
  bool has_arithmetic(ScheduleId id) const;
  /// Whether its nodes take the products that are leaves as they are, not rounded (`fused`, `mma`).
  bool absorbs_products(ScheduleId id) const;
  ScheduleId substitute(ScheduleId id, const IndexSubstitution& substitution);

  /// The schedule that `id` denotes for n nodes. Its outermost term is not a length, conditional or reference, and its
  /// parameter, if it has one, is a positive constant. `id` mentions no dimension.
  struct Head {
    ScheduleId schedule;
    std::optional<ScheduleProblem> problem;
  };
  Head head(ScheduleId id, std::int64_t n);
  /// Why a term with this parameter, if it has one that is known, is no head for n nodes.
  std::optional<ScheduleProblem> head_problem(const ScheduleNode& node, std::optional<std::int64_t> parameter,
                                              std::int64_t n) const;
  /// The constant parameter of a head, or of a limited set (whose head has the problem no_single_order).
  std::int64_t parameter(ScheduleId head) const { return indices_[nodes_[head.index].parameter].value; }

  /// The tree for n leaves, if the schedule has one (and n is at most ten million).
  struct Expansion {
    TreeId tree;
    std::optional<ScheduleProblem> problem;
  };
  Expansion expand(ScheduleId id, std::int64_t n);
  /// The same, with the additions of many operands that `mma` has.
  Expansion additions(ScheduleId id, std::int64_t n);

  TreeStore& trees() { return trees_; }
  const TreeStore& trees() const { return trees_; }
  IndexStore& indices() { return indices_; }
  const IndexStore& indices() const { return indices_; }
  const Forms& forms() const { return *forms_; }

 private:
  ScheduleId intern(ScheduleNode node);
  std::uint32_t height(ScheduleId id) const { return heights_[id.index]; }
  struct Hash {
    std::size_t operator()(const ScheduleNode& node) const;
  };
  IndexStore& indices_;
  const Forms* forms_;
  TreeStore trees_;
  std::vector<ScheduleNode> nodes_;
  std::deque<Arrangement> arrangements_;  ///< a deque: references stay
  std::vector<std::uint32_t> heights_;  ///< one above every length variable bound inside
  std::unordered_map<ScheduleNode, ScheduleId, Hash> interned_;
  std::map<SymbolId, ScheduleId> definitions_;
  std::unordered_map<std::uint64_t, ScheduleId> heads_;
  ScheduleId seq_, tree_;
};

}  // namespace reckon::ir
