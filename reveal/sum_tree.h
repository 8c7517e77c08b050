// The tree of a summation, whose nodes may have more than two children: those that hardware adds at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/schedule/schedule.h"

namespace reckon::reveal {

/// Children stand in the order of their smallest leaves, since addition commutes: two trees are the same summation
/// exactly if their texts are equal. Nodes are numbered so that children come before their parents.
class SumTree {
 public:
  using Node = std::uint32_t;

  Node leaf(std::int64_t number);
  /// At least two children, none of which has a parent yet.
  Node join(std::vector<Node> children);
  void set_root(Node node) { root_ = node; }

  Node root() const { return root_; }
  std::size_t node_count() const { return nodes_.size(); }
  bool is_leaf(Node node) const { return nodes_[node].children.empty(); }
  std::int64_t leaf_number(Node node) const { return nodes_[node].smallest; }
  const std::vector<Node>& children(Node node) const { return nodes_[node].children; }
  std::int64_t leaf_count(Node node) const { return nodes_[node].leaves; }
  std::int64_t leaf_count() const { return leaf_count(root_); }
  /// Leaves under the lowest node that has both.
  std::int64_t meeting_size(std::int64_t a, std::int64_t b) const;

  /// Nodes of more than two children.
  std::int64_t multiway_nodes() const;
  /// One node of all leaves, three at least.
  bool flat() const;
  /// `((0 1) 2)`; `(0 1 2 3)` for a node of four.
  std::string text() const;

  /// Nothing if a node has more than two children.
  std::optional<ir::TreeId> binary(ir::TreeStore& store) const;
  static SumTree of(const ir::TreeStore& store, ir::TreeId tree);
  /// Reads text(); children may come in any order. Nothing if it is no tree of the leaves 0..n-1.
  static std::optional<SumTree> parse(std::string_view text);

  friend bool operator==(const SumTree& a, const SumTree& b) { return a.text() == b.text(); }

 private:
  struct NodeData {
    std::vector<Node> children;
    std::int64_t smallest = 0;  ///< leaf number; a leaf's own
    std::int64_t leaves = 1;
    Node parent = none;
  };
  static constexpr Node none = ~Node{0};
  std::vector<NodeData> nodes_;
  std::vector<Node> leaf_nodes_;  ///< by number
  Node root_ = none;
};

}  // namespace reckon::reveal
