// Tiles of wmma: which lane holds which element, and what their products need.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ptx/emulate/tensor_core.h"

namespace reckon::ptx {

/// A tile in registers.
struct Tile {
  int rows = 16, columns = 16;
  int bits = 16;      ///< of an element
  int registers = 4;  ///< of a lane
  int held() const { return registers * 32 / bits; }
  int size() const { return rows * columns; }
  /// Of element i of a lane: its number in the tile.
  int number(int lane, int i) const { return (lane * held() + i) % size(); }
};

inline std::uint32_t packed(const Tile& tile, bool by_columns) {
  return static_cast<std::uint32_t>(tile.rows) | static_cast<std::uint32_t>(tile.columns) << 8 |
         static_cast<std::uint32_t>(tile.bits) << 16 | static_cast<std::uint32_t>(tile.registers) << 24 |
         (by_columns ? 1u << 31 : 0);
}
inline Tile unpacked_tile(std::uint32_t word) {
  return {static_cast<int>(word & 0xff), static_cast<int>(word >> 8 & 0xff), static_cast<int>(word >> 16 & 0xff),
          static_cast<int>(word >> 24 & 0x7f)};
}

/// What wmma.mma needs besides its slots, which are those of d, a, b and c.
struct TileProduct {
  int rows = 16, columns = 16, k = 16;
  numerics::Format x{}, sums{};
  bool of_integers = false, a_signed = false, b_signed = false, saturates = false;
  numerics::MmaModel model{};
  int bits() const { return of_integers ? 8 : x == numerics::Format::tf32 ? 32 : 16; }
  /// Factors of f16 have eight registers, whatever their shape.
  int registers(int elements) const {
    return !of_integers && x == numerics::Format::f16 ? 8 : std::max(1, elements * bits() / 32 / lanes_of_warp);
  }
  Tile a() const { return {rows, k, bits(), registers(rows * k)}; }
  Tile b() const { return {k, columns, bits(), registers(k * columns)}; }
  Tile c() const {
    const int width = !of_integers && sums == numerics::Format::f16 ? 16 : 32;
    return {rows, columns, width, rows * columns * width / 32 / lanes_of_warp};
  }
};
inline std::uint32_t packed(const TileProduct& p) {
  return static_cast<std::uint32_t>(p.rows / 8) | static_cast<std::uint32_t>(p.columns / 8) << 3 |
         static_cast<std::uint32_t>(p.k / 8) << 6 | static_cast<std::uint32_t>(p.x) << 9 |
         static_cast<std::uint32_t>(p.sums) << 13 | static_cast<std::uint32_t>(p.model) << 17 |
         (p.of_integers ? 1u << 21 : 0) | (p.a_signed ? 1u << 22 : 0) | (p.b_signed ? 1u << 23 : 0) |
         (p.saturates ? 1u << 24 : 0);
}
inline TileProduct unpacked_tiles(std::uint32_t word) {
  TileProduct p;
  p.rows = static_cast<int>(word & 7) * 8;
  p.columns = static_cast<int>(word >> 3 & 7) * 8;
  p.k = static_cast<int>(word >> 6 & 7) * 8;
  p.x = static_cast<numerics::Format>(word >> 9 & 15);
  p.sums = static_cast<numerics::Format>(word >> 13 & 15);
  p.model = static_cast<numerics::MmaModel>(word >> 17 & 15);
  p.of_integers = (word >> 21 & 1) != 0;
  p.a_signed = (word >> 22 & 1) != 0;
  p.b_signed = (word >> 23 & 1) != 0;
  p.saturates = (word >> 24 & 1) != 0;
  return p;
}

/// A load or store of a tile. `target` of its operation: the tile, and in the highest bit whether columns are adjacent;
/// mode: 1 for a load.
struct TileMove {
  Tile tile;
  bool by_columns = false, loads = false;
  /// The distance of rows, or of columns, that none states.
  std::uint64_t own() const { return static_cast<std::uint64_t>(by_columns ? tile.rows : tile.columns); }
  /// Where element i of a lane is in memory, in elements.
  std::uint64_t element(int lane, int i, std::uint64_t stride) const {
    const int number = tile.number(lane, i), row = number / tile.columns, column = number % tile.columns;
    return static_cast<std::uint64_t>(by_columns ? column : row) * stride +
           static_cast<std::uint64_t>(by_columns ? row : column);
  }
};
inline TileMove tile_move(const Operation& operation) {
  return {unpacked_tile(operation.target), (operation.target >> 31) != 0, (operation.mode & 1) != 0};
}

}  // namespace reckon::ptx
