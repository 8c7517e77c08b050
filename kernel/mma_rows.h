// What the operation `mma_rows` holds besides its operands: rows of a matrix product, from which the rows of a second
// product's first factor are made, in tiles that never leave the registers of their warp group.
//
// A block has `rows / 64` groups of consumers and one group more, as for tiles of one product (mma_tiles.h). A consumer
// has a fragment of `columns / 2` elements of a tile of the first product, and one of `width / 2` results of the
// second.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/mma_tiles.h"

namespace reckon::kernel {

struct MmaRows {
  ir::TensorCores unit;                ///< of both products: model, accumulator and operand, of two bytes, are stated
  std::int64_t rows = 0, columns = 0;  ///< of a tile of the first product: multiples of 64; at most 128 columns
  std::int64_t leaves = 0;             ///< of the first product
  std::int64_t width = 0;              ///< columns of the second product, a multiple of 64, at most 256
  std::int64_t slots = 0;              ///< tiles of y and z that are in shared memory at a time
  std::int64_t passes = 1;             ///< over the tiles of a row; the last one makes the second product
  MmaFactor x, y, z;                   ///< of the rows, of the columns, and of the second product's columns
  ir::NodeId first;                    ///< the reduction that the first product is

  static constexpr std::int64_t operand_bytes = 2;
  /// Two tiles of z, one of which is still being multiplied, and the next tile of y are needed at the same time.
  static constexpr std::int64_t least_slots = 3;
  static constexpr std::int64_t depth = MmaTiles::row_bytes / operand_bytes;  ///< leaves in a row of 128 bytes
  std::int64_t consumers() const { return rows / MmaTiles::group_rows * MmaTiles::group; }
  std::int64_t threads() const { return consumers() + MmaTiles::group; }
  std::int64_t fragment() const { return columns / 2; }
  std::int64_t results() const { return width / 2; }
  /// Parts of `depth` leaves that x and y have.
  std::int64_t parts() const { return (leaves + depth - 1) / depth; }
  std::int64_t x_bytes() const { return parts() * rows * MmaTiles::row_bytes; }
  std::int64_t y_bytes() const { return parts() * columns * MmaTiles::row_bytes; }
  std::int64_t z_bytes() const { return columns / depth * width * MmaTiles::row_bytes; }
  std::int64_t slot_bytes() const { return y_bytes() > z_bytes() ? y_bytes() : z_bytes(); }
  /// Of x, of the slots, and of two barriers for each of them.
  std::int64_t shared_bytes() const { return x_bytes() + slots * slot_bytes() + 16 * (slots + 1); }
  /// Its regions: where a tile begins; for each pass what begins it and what is made of a tile; and the end.
  std::size_t regions() const { return 2 + 2 * static_cast<std::size_t>(passes); }
  static std::size_t begin_of(std::int64_t pass) { return 1 + 2 * static_cast<std::size_t>(pass); }
  static std::size_t tile_of(std::int64_t pass) { return 2 + 2 * static_cast<std::size_t>(pass); }
  friend bool operator==(const MmaRows&, const MmaRows&) = default;
};

}  // namespace reckon::kernel
