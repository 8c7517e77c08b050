// The tree semantics: every number carries, beside its value, which node of a reduction's tree it is, or none. A kernel
// is right if its results are the nodes that the schedule states.
//   leaf  makes a leaf of a reduction, whatever the value was before
//   node  makes the pair of what its second and third operand are; no node if one of them is none, and the other one
//         if one of them is a sum of no leaves
//   select gives what it chooses
//   any other operation gives the one node that its operands are, if they are not different ones; rounding,
//   converting, scaling and joining with what is no node keep the node
#pragma once

#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/schedule/schedule.h"
#include "kernel/interpret/numbers.h"

namespace reckon::kernel {

/// The number of a term in a Trees; 0: no node.
using TermId = std::uint32_t;
/// The tree of a value that changes no bit as left operand of `add` (Constant::Kind::neutral): a sum of no leaves.
constexpr TermId no_leaves = 1;

/// A leaf or a pair of a reduction's tree.
struct Term {
  ir::NodeId site;
  std::int64_t leaf = -1;  ///< -1 for a pair
  TermId left = 0, right = 0;
  bool joint = false;  ///< as ir::TreeNode has it
  friend bool operator==(const Term&, const Term&) = default;
};

/// Hash-consed terms.
class Trees {
 public:
  Trees() : terms_(2), counts_(2) {}
  TermId leaf(ir::NodeId site, std::int64_t position) { return intern({site, position}); }
  TermId pair(ir::NodeId site, TermId left, TermId right) { return intern({site, -1, left, right}); }
  TermId joint(ir::NodeId site, TermId left, TermId right) { return intern({site, -1, left, right, true}); }
  const Term& operator[](TermId id) const { return terms_[id]; }
  std::int64_t leaf_count(TermId id) const { return counts_[id]; }
  /// `((0 1) 2)`; `none`. Cut after about so many characters.
  std::string text(TermId id, std::size_t most = 80) const;

 private:
  TermId intern(const Term& term);
  struct Hash {
    std::size_t operator()(const Term& term) const;
  };
  std::vector<Term> terms_;
  std::vector<std::int64_t> counts_;
  std::unordered_map<Term, TermId, Hash> interned_;
};

/// Compares terms with stated trees. Nodes that were found to be the same are not compared again: the prefixes of a
/// scan share most of theirs.
class TreeComparison {
 public:
  TreeComparison(const Trees& terms, const ir::TreeStore& stated) : terms_(terms), stated_(stated) {}
  /// Whether the term is that tree, over leaves of that reduction: nothing, or the first difference from the left, in
  /// words. After a difference the object has no more answers.
  std::optional<std::string> difference(TermId id, ir::NodeId site, ir::TreeId stated);

 private:
  const Trees& terms_;
  const ir::TreeStore& stated_;
  std::unordered_set<std::uint64_t> same_;  ///< a term's number, and a tree's
};

/// Where a `root` operation was executed, and the tree of its value; equal ones once.
struct Root {
  ir::NodeId site;
  std::uint32_t block = 0, thread = 0;
  TermId term = 0;
  friend auto operator<=>(const Root&, const Root&) = default;
};

/// Numbers with the trees that they stand for; the values are those of `values`.
class TreeNumbers final : public Numbers {
 public:
  explicit TreeNumbers(Numbers& values) : values_(values) {}

  const Trees& trees() const { return trees_; }
  /// In the order in which they were met.
  const std::vector<Root>& roots() const { return roots_; }
  TermId term(ir::Scalar scalar, const std::byte* value) const;

  std::size_t size(ir::Scalar scalar) const override { return tag_at(scalar) + tag_bytes; }
  void construct(ir::Scalar scalar, std::byte* data, std::size_t count) const override;
  void destroy(ir::Scalar scalar, std::byte* data, std::size_t count) const override;
  void copy(ir::Scalar scalar, const std::byte* from, std::byte* to) const override;
  std::optional<NoValue> constant(const Program& program, const Constant& constant, std::byte* out) override;
  std::optional<NoValue> from_pattern(ir::Scalar scalar, std::uint64_t pattern, std::byte* out) override;
  std::optional<std::uint64_t> pattern(ir::Scalar scalar, const std::byte* value) const override;
  std::optional<NoValue> from_index(ir::Scalar scalar, std::int64_t index, std::byte* out) override;
  void from_flag(bool flag, std::byte* out) override;
  std::optional<bool> to_flag(const std::byte* boolean) const override { return values_.to_flag(boolean); }
  std::optional<NoValue> apply(const Calculation& calculation, Operands operands, std::byte* out,
                               std::size_t count) override;
  std::optional<NoValue> mma_sum(const Products& products, ir::NodeId site, std::byte* out) override;
  void leaf(ir::NodeId site, ir::Scalar scalar, const std::byte* value, std::int64_t position, std::byte* out) override;
  void node(ir::NodeId site, ir::Scalar scalar, const std::byte* value, const std::byte* left, const std::byte* right,
            std::byte* out) override;
  void root(ir::NodeId site, ir::Scalar scalar, const std::byte* value, std::uint32_t block, std::uint32_t thread,
            std::byte* out) override;

 private:
  /// The tag takes 16 bytes, so that values are aligned as strictly as those of any semantics.
  static constexpr std::size_t tag_bytes = 16;
  std::size_t tag_at(ir::Scalar scalar) const { return (values_.size(scalar) + tag_bytes - 1) / tag_bytes * tag_bytes; }
  void set_term(ir::Scalar scalar, std::byte* value, TermId term) const;
  TermId term_of(const Calculation& calculation, Operands operands) const;

  Numbers& values_;
  Trees trees_;
  std::vector<Root> roots_;
  std::map<Root, bool> met_;
};

}  // namespace reckon::kernel
