// Pieces of assembly for products on tensor cores. Of those of sm_90a: what the copy engine brings, and how an
// instruction names a factor in shared memory. A part of a factor holds 128 bytes of the leaves for each row: either
// the leaves are the innermost dimension, and the part is one box, or the side is, and the part has a box for each 128
// bytes of it. Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions" (layouts,
// descriptors), "cp.async.bulk.tensor".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "kernel/mma_rows.h"

namespace reckon::codegen {

class MmaTexts {
 protected:
  explicit MmaTexts(const ir::TensorCores& unit) : unit_(unit) {}

  std::int64_t operand_bytes() const { return ir::byte_width(ir::scalar_of(*unit_.operand)); }
  static bool is_leaf_first(const kernel::MmaFactor& factor) { return factor.of_leaf == 0; }
  /// Rows or columns that lie side by side in 128 bytes, where the leaves are not the innermost dimension.
  std::int64_t block_side() const { return kernel::MmaTiles::row_bytes / operand_bytes(); }

  /// What has the copy engine fill a part of a factor of `side` rows, `offset` bytes from where the register `to` says.
  /// The part begins where operands `begin`, `begin` + 1, ... say, and as many leaves further as the register `leaf`
  /// says. The barrier is in the register `full`; `box`, `at_leaf` and `side` are free.
  std::string copies(const kernel::MmaFactor& factor, std::int64_t side, std::string_view map, std::size_t begin,
                     std::int64_t offset) const;

  /// All bits of a factor's descriptor but its address: the swizzle of 128 bytes, and the distances of its blocks of 8
  /// rows of 128 bytes: along the rows, and from one block of rows or columns that lie side by side to the next.
  std::string descriptor(const kernel::MmaFactor& factor) const;

  /// Units of 16 bytes in shared memory from one instruction's leaves to those of the next, within a part.
  std::int64_t step(const kernel::MmaFactor& factor) const;

  /// The warp group's instruction for so many columns.
  std::string instruction(std::int64_t columns) const;
  /// The warp's instruction, for 16 rows and 8 columns.
  std::string warp_instruction() const;
  /// Formats of two bytes may have the rows or columns as their innermost dimension.
  std::string transposed(const kernel::MmaFactor& factor) const;

  static constexpr std::int64_t step_bytes = 32;  ///< of the leaves of one instruction

 private:
  /// Of a factor.
  std::string_view format() const;

  const ir::TensorCores& unit_;
};

}  // namespace reckon::codegen
