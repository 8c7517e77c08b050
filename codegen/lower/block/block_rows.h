// How the threads of a block share `lanes(L, tree)` and `tree` (lanes.cpp, block_rows.cpp).
#pragma once

#include "codegen/lower/block/block_reducer.h"

namespace reckon::codegen {

struct BlockReducer::Rows {
  Slice slice;
  std::int64_t lanes = 0;   ///< L
  std::int64_t vector = 0;  ///< leaves of a block row that are a thread's
  /// How far these are apart: neighbours, which are read at once; or as far as a warp is wide, where they would not be
  /// aligned in memory: then the threads of a warp read neighbours.
  std::int64_t step = 1;
  std::int64_t size = 0;    ///< leaves of a block row
  std::int64_t groups = 0;
  std::int64_t lane_blocks = 0;  ///< warps side by side in a block row
  bool is_cheap = false;         ///< a leaf and a join, so that many block rows may be unrolled
  std::int64_t at_once = 1;      ///< block rows that are read before they are joined
  Value group = nullptr;   ///< this thread's group
  Value offset = nullptr;  ///< this thread's place in a block row, in units
  Value whole = nullptr;   ///< complete block rows
  Value rest = nullptr;    ///< leaves after them
  Value run = nullptr;     ///< block rows of a group
  std::int64_t share = 0;  ///< the same as a number, if it is small and the block rows are unrolled; else 0
  bool all_there = false;  ///< every group has all of its block rows

  /// Leaves in which places are counted: those that are read at once.
  std::int64_t unit() const { return step > 1 ? 1 : vector; }
  /// Nodes of a block row that a thread keeps.
  std::int64_t kept() const { return std::min(vector, lanes / step); }
};

}  // namespace reckon::codegen
