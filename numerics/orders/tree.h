// A written-out order of a fold: it says which two nodes each step joins.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace reckon::numerics {

/// Nodes 0..leaf_count-1 are the leaves; node leaf_count + k is the pair `pairs[k]` of two earlier nodes, left operand
/// first. A whole tree has leaf_count - 1 pairs, and its root is the last node.
struct OrderTree {
  std::uint32_t leaf_count = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;

  std::uint32_t root() const { return leaf_count + static_cast<std::uint32_t>(pairs.size()) - 1; }
  /// `((0 1) 2)`, as the language writes a quoted tree; a single leaf is `0`.
  std::string text() const;
  friend bool operator==(const OrderTree&, const OrderTree&) = default;
};

/// ((p[0] p[1]) p[2]) ...
OrderTree left_fold(const std::vector<std::uint32_t>& permutation);

}  // namespace reckon::numerics
