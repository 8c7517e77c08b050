// A cut through the tree that a schedule denotes for n leaves: subtrees that several machines fold, and the order in
// which their results, the nodes, are joined. The joined tree is the schedule's own tree, so a cut changes no bit.
//
// A subtree is itself the fold of some leaves by a schedule. Its leaves lie at equal distances, or in the places that
// stages give them (lanes, runs); `leaf` says where. Consecutive nodes of one form are kept as one group.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "ir/schedule/schedule.h"

namespace reckon::ir {

class Cut {
 public:
  /// Equal subtrees, at equal distances.
  struct Group {
    std::int64_t count = 1;   ///< nodes
    std::int64_t leaves = 1;  ///< of each node
    ScheduleId order;         ///< folds the leaves of a node
    /// The number of leaf t of node j. Number: std::int64_t, or IndexTerm.
    template <class Number>
    Number leaf(Number j, Number t) const;
    /// Whether that is linear in j and t.
    bool linear() const { return levels.back().affine; }

   private:
    friend class Cut;
    friend class Cutter;
    /// Positions of the flattened list of one level: base + step * j + stride * t, or through the level above.
    struct Level {
      bool lanes = false;                            ///< how the list above is made of this one; level 0 has none above
      std::int64_t start = 0, stride = 1, size = 1;  ///< of the stage: where its list starts, and its k
      std::int64_t length = 1;                       ///< elements of this level that a node has
      bool affine = true;
      std::int64_t base = 0, step = 0, pace = 1;  ///< affine: base + step * j + pace * t
    };
    template <class Number>
    Number position(std::size_t level, Number j, Number t) const;
    bool same_form(const Group& other) const;
    std::vector<Level> levels;
    bool single_leaves = false;  ///< node j is leaf j of the subtree that `levels` describe
  };

  std::vector<Group> groups;  ///< in the order in which `join` takes their nodes
  ScheduleId join;            ///< of all nodes
  std::int64_t nodes() const;
  /// Whether the nodes are the leaves, because the schedule's tree has no subtrees to give away.
  bool of_leaves() const { return groups.size() == 1 && groups[0].single_leaves; }
};

/// About `wanted` nodes or more, where the tree has so many; nothing if the schedule has no tree for n leaves (its sum
/// is rounded once, ...): the caller folds it whole. `keeps_products`: leaves are products that a node may absorb
/// (`fused`); no single product is then the left sibling of a larger node, because a node's result absorbs nothing.
std::optional<Cut> cut(ScheduleStore& schedules, ScheduleId schedule, std::int64_t n, std::int64_t wanted,
                       bool keeps_products);

template <class Number>
Number Cut::Group::position(std::size_t level, Number j, Number t) const {
  const Level& at = levels[level];
  if (at.affine) return j * at.step + t * at.pace + at.base;
  const Level& above = levels[level - 1];
  if (at.lanes) {
    return (t / above.length * at.size + position<Number>(level - 1, j, t % above.length)) * at.stride + at.start;
  }
  return (position<Number>(level - 1, j, t / at.size) * at.size + t % at.size) * at.stride + at.start;
}

template <class Number>
Number Cut::Group::leaf(Number j, Number t) const {
  if (single_leaves) return position<Number>(levels.size() - 1, j * 0, j);
  return position<Number>(levels.size() - 1, j, t);
}

}  // namespace reckon::ir
