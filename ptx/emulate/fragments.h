// Where the elements of matrices are that the lanes of a warp hold together (PTX ISA 9.0, 9.7.15).
#pragma once

#include <cstdint>
#include <utility>

#include "numerics/mma.h"
#include "ptx/emulate/tensor_core.h"

namespace reckon::ptx {

/// Element [row][column] of matrix m is in the lane of its row and pair of columns; transposed, the other way round.
struct ElementPlace {
  int lane, half;
};
inline ElementPlace place_of(int row, int column, bool transposed) {
  if (transposed) std::swap(row, column);
  return {row * 4 + column / 2, column & 1};
}

/// What an mma operation needs besides its slots: packed into `target`.
struct FragmentProduct {
  Fragments shape;
  numerics::Format x{}, y{}, sums{};
  numerics::MmaModel model{};
};
inline std::uint32_t packed(const FragmentProduct& p) {
  return static_cast<std::uint32_t>(p.shape.k) | static_cast<std::uint32_t>(p.shape.bits) << 8 |
         static_cast<std::uint32_t>(p.x) << 16 | static_cast<std::uint32_t>(p.y) << 20 |
         static_cast<std::uint32_t>(p.sums) << 24 | static_cast<std::uint32_t>(p.model) << 28;
}
inline FragmentProduct unpacked_fragments(std::uint32_t word) {
  FragmentProduct p;
  p.shape = {static_cast<int>(word & 0xff), static_cast<int>(word >> 8 & 0xff)};
  p.x = static_cast<numerics::Format>(word >> 16 & 15);
  p.y = static_cast<numerics::Format>(word >> 20 & 15);
  p.sums = static_cast<numerics::Format>(word >> 24 & 15);
  p.model = static_cast<numerics::MmaModel>(word >> 28 & 15);
  return p;
}
static_assert(numerics::format_count <= 16);

}  // namespace reckon::ptx
