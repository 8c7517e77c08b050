// What schedules fold while code is emitted: lists of nodes, which need not be in memory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "codegen/lower/scope.h"
#include "ir/module.h"

namespace reckon::codegen {

/// How nodes are joined (docs/schedules.md: `fused`, `neumaier`, `kahan`).
enum class Arithmetic : std::uint8_t { plain, fused, neumaier, kahan };

/// A reduce or scan whose leaves are being folded. A node is kept as the values of the body. If the schedule fuses, it
/// is kept as two values and a flag: both factors of a product, or a value and a zero, and which of the two it is.
/// Under `neumaier` and `kahan` it is kept as a sum and its compensation.
struct FoldSite {
  ir::NodeId id;
  ir::NodeId tree;           ///< the reduction whose tree its nodes are of: itself, or the one that it is a part of,
  ir::IndexId first_leaf{};  ///< among whose leaves its own ones begin here
  ir::Node node;
  ir::Reduction reduction;
  std::vector<ir::Scalar> scalars;
  std::vector<Type> state;  ///< of a node
  bool fuses = false;
  Arithmetic arithmetic = Arithmetic::plain;
  bool cheap = false;         ///< a leaf and a join are few enough operations to be emitted several times in a row,
  bool light = false;         ///< or, where registers hold many of them side by side, a few more
  std::int64_t prefetch = 1;  ///< leaves that `seq` reads before it joins them
  bool over_grid = false;     ///< the blocks of the grid share the leaves, not one block alone
};

struct List;

/// Nodes start, start + stride, ... of a list; length >= 1.
struct Slice {
  const List* list = nullptr;
  Value start = nullptr;
  Value stride = nullptr;
  Value length = nullptr;
};

/// The nodes of a list, at most so many of them.
struct Nodes {
  Slice slice;
  std::optional<std::int64_t> most;
};

/// The values of the `length` variables of the enclosing schedule terms.
using Lengths = std::map<ir::VariableId, Value>;

/// What a schedule folds: the leaves, values in memory, or the nodes that a stage makes of another list.
struct List {
  enum class Kind : std::uint8_t {
    leaves,
    stored,
    buffered,
    tile,
    lanes,
    arranged,
    chosen,
    compensated
  } kind = Kind::leaves;
  Values pointers;           ///< stored: one array for each part of a node; chosen: the parent's positions
  std::uint32_t buffer = 0;  ///< buffered: the first of the parts' buffers
  Value base = nullptr;      ///< buffered: where the list begins in them
  Slice parent;              ///< of all but leaves, stored and buffered
  ir::ScheduleId schedule;   ///< tile, lanes: of one run or lane
  Lengths lengths;
  Value size = nullptr;                       ///< tile, lanes: k
  Arithmetic arithmetic = Arithmetic::plain;  ///< tile, lanes: around the stage, not within its nodes
  std::uint32_t arrangement = 0;              ///< arranged, or a tile of arranged nodes
  bool open_runs = false;                     ///< tile: the last run of an open arrangement may be short
  const FoldSite* below = nullptr;            ///< compensated: how the nodes below are kept
};

/// Whether every node of the list is a leaf of the reduction.
bool holds_leaves(const List& list);

/// The k-th of several nodes that stand one after the other, each of `parts` values.
inline Values nth_node(std::span<const Value> nodes, std::size_t k, std::size_t parts) {
  const auto node = nodes.subspan(k * parts, parts);
  return Values(node.begin(), node.end());
}

/// All of them.
inline std::vector<Values> nodes_apart(std::span<const Value> nodes, std::size_t parts) {
  std::vector<Values> out;
  for (std::size_t k = 0; k * parts < nodes.size(); ++k) out.push_back(nth_node(nodes, k, parts));
  return out;
}

}  // namespace reckon::codegen
