// How blocks share reductions side by side.
#pragma once

#include <bit>
#include <cstdint>

namespace reckon::codegen {

struct ColumnShares {
  std::int64_t parts = 1;   ///< blocks that share the same columns
  std::int64_t vector = 1;  ///< columns of a thread, neighbours
  std::int64_t warps = 32;
  bool joins_lanes = false;  ///< a warp joins the nodes of its lanes, an aligned run of them, before it keeps any
};

/// Leaves of an item that are joined without a counter in memory, if their number is known.
inline constexpr std::int64_t written_out = 128;

/// The leaves of a block under `tree`, if `parts` blocks share a column: a run that is a node of the tree. If `parts`
/// is replaced by the number of such runs, the run stays the same.
constexpr std::int64_t column_run(std::int64_t length, std::int64_t parts) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>((length + parts - 1) / parts)));
}

}  // namespace reckon::codegen
