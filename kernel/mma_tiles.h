// What the operation `mma_tiles` holds besides its operands: tiles of a matrix product, added as the tensor cores of a
// warp group add (numerics/mma.h).
//
// The threads of a block are `groups` warp groups of consumers, of 128 threads each, and one group more, whose threads
// have no part of the result. The groups share the rows of each tile, or have tiles of their own in turns. A consumer has
// a part of the tile's sums, a fragment.
#pragma once

#include <cstdint>

#include "ir/schedule/schedule.h"
#include "ir/type.h"

namespace reckon::kernel {

/// A factor of the products: a tensor whose elements are neighbours in memory along its innermost dimension. One
/// dimension goes through the leaves, and one through the rows or the columns of the tile; one of these two is the
/// innermost one.
struct MmaFactor {
  std::uint32_t rank = 2;  ///< dimensions, at most 5; they are counted from the innermost one, which is 0
  std::uint32_t of_leaf = 0, of_side = 1;
  std::uint32_t map = 0;  ///< the tensor map that describes it, of those that kernels take
  bool has_copy = false;  ///< the operation says whether a copy of the tensor is read instead
  friend bool operator==(const MmaFactor&, const MmaFactor&) = default;
};

struct MmaTiles {
  ir::TensorCores unit;                ///< model, accumulator and operand are stated
  std::int64_t rows = 0, columns = 0;  ///< of a tile: multiples of 64, and of 8, 256 columns at most
  std::int64_t stages = 0;             ///< parts of the factors that are in shared memory at a time
  std::int64_t groups = 1;             ///< of consumers
  bool in_turns = false;               ///< tile number t of a block is that of group t modulo `groups`
  MmaFactor x, y;                      ///< of the rows, and of the columns

  static constexpr std::int64_t group = 128;       ///< threads of a warp group
  static constexpr std::int64_t unit_rows = 64;    ///< of an instruction
  static constexpr std::int64_t row_bytes = 128;   ///< of the leaves of a stage in a row of a factor
  static constexpr std::int64_t alignment = 1024;  ///< of the stages in shared memory: swizzles go by addresses
  std::int64_t consumers() const { return groups * group; }
  std::int64_t threads() const { return consumers() + group; }
  std::int64_t rows_of_group() const { return in_turns ? rows : rows / groups; }
  std::int64_t units() const { return rows_of_group() / unit_rows; }
  std::int64_t values_of_unit() const { return columns / 2; }  ///< of a thread
  std::int64_t fragment() const { return units() * values_of_unit(); }
  std::int64_t operand_bytes() const { return ir::byte_width(ir::scalar_of(*unit.operand)); }
  /// Leaves of a stage.
  std::int64_t depth() const { return row_bytes / operand_bytes(); }
  std::int64_t stage_bytes() const { return (rows + columns) * row_bytes; }
  /// Of the stages, of two barriers for each, and of one for each group that has turns.
  std::int64_t shared_bytes() const { return stages * (stage_bytes() + 16) + (in_turns ? groups * 8 : 0); }
  /// Where value `k` of a consumer's fragment lies, from the row and the column of its thread on. Source: PTX ISA,
  /// "Register Fragments for wgmma.mma_async.m64nNk16", D.
  std::int64_t row(std::int64_t k) const { return k / values_of_unit() * unit_rows + k / 2 % 2 * 8; }
  std::int64_t column(std::int64_t k) const { return k % values_of_unit() / 4 * 8 + k % 2; }
  std::int64_t row_of_thread(std::int64_t thread) const {
    return (in_turns ? 0 : thread / group * rows_of_group()) + thread % group / 32 * 16 + thread % 32 / 4;
  }
  static constexpr std::int64_t column_of_thread(std::int64_t thread) { return thread % 4 * 2; }
  friend bool operator==(const MmaTiles&, const MmaTiles&) = default;
};

}  // namespace reckon::kernel
