// What the operation `mma_tiles` holds besides its operands: tiles of a matrix product, added as tensor cores add
// (numerics/mma.h).
//
// A block has `rows / 64` groups of consumers, of 128 threads each. Where instructions are a warp group's, it has one
// group more, whose threads have no part of the result. The accumulator of a tile is a fragment: consumer t has
// `columns / 2` of its elements.
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
  std::int64_t rows = 0, columns = 0;  ///< of a tile: a multiple of 64; 64, 128 or 256
  std::int64_t stages = 0;             ///< parts of the factors that are in shared memory at a time
  MmaFactor x, y;                      ///< of the rows, and of the columns
  bool by_warps = false;               ///< instructions are a warp's (mma.sync), and not a warp group's (wgmma)

  static constexpr std::int64_t group = 128;       ///< threads of a warp group
  static constexpr std::int64_t group_rows = 64;   ///< rows of its part of a tile
  static constexpr std::int64_t row_bytes = 128;   ///< of the leaves of a stage in a row of a factor
  static constexpr std::int64_t alignment = 1024;  ///< of the stages in shared memory: swizzles go by addresses
  std::int64_t consumers() const { return rows / group_rows * group; }
  std::int64_t threads() const { return consumers() + (by_warps ? 0 : group); }
  std::int64_t fragment() const { return columns / 2; }
  std::int64_t operand_bytes() const { return ir::byte_width(ir::scalar_of(*unit.operand)); }
  /// Leaves of a stage.
  std::int64_t depth() const { return row_bytes / operand_bytes(); }
  std::int64_t stage_bytes() const { return (rows + columns) * row_bytes; }
  /// Of the stages, and for a warp group of two barriers for each.
  std::int64_t shared_bytes() const { return stages * (stage_bytes() + (by_warps ? 0 : 16)); }
  /// Where value `k` of a consumer's fragment lies: the row is that of its thread (row_of_thread), and `row` more; the
  /// column `column` more than twice the thread's number among four neighbours. Source: PTX ISA, "Register Fragments
  /// for wgmma.mma_async.m64nNk16", D; "Matrix Fragments for mma.m16n8k16 with floating point type", C and D.
  static constexpr std::int64_t row(std::int64_t k) { return k / 2 % 2 * 8; }
  static constexpr std::int64_t column(std::int64_t k) { return k / 4 * 8 + k % 2; }
  static constexpr std::int64_t row_of_thread(std::int64_t thread) {
    return thread / group * group_rows + thread % group / 32 * 16 + thread % 32 / 4;
  }
  static constexpr std::int64_t column_of_thread(std::int64_t thread) { return thread % 4 * 2; }
  friend bool operator==(const MmaTiles&, const MmaTiles&) = default;
};

}  // namespace reckon::kernel
