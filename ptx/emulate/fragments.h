// Where the elements of matrices are that the lanes of a warp hold together (PTX ISA 9.0, 9.7.15).
#pragma once

#include <cstdint>
#include <utility>

#include "numerics/mma.h"
#include "ptx/emulate/kernel.h"

namespace reckon::ptx {

/// Element [row][column] of matrix m is in the lane of its row and pair of columns; transposed, the other way round.
struct ElementPlace {
  int lane, half;
};
inline ElementPlace place_of(int row, int column, bool transposed) {
  if (transposed) std::swap(row, column);
  return {row * 4 + column / 2, column & 1};
}

/// A product of 16 x k and k x 8, in fragments: where an element of each factor is, by its number in the lane's
/// registers.
struct Shape {
  int k = 16;
  int bits = 16;  ///< of an element
  int of_register() const { return 32 / bits; }
  int of_a() const { return 16 * k / lanes_of_warp; }  ///< elements of a lane
  int of_b() const { return 8 * k / lanes_of_warp; }
};
/// The columns of A that one register of a lane covers are adjacent; each group of 4 lanes covers 4 such runs.
struct Element {
  int side, leaf;
};
inline Element element_of_a(const Shape& shape, int lane, int i) {
  const int run = shape.of_register(), group = lane >> 2, within = lane & 3;
  const int reg = i / run;
  return {group + (reg % 2 == 1 ? 8 : 0), within * run + i % run + (reg / 2) * 4 * run};
}
inline Element element_of_b(const Shape& shape, int lane, int i) {
  const int run = shape.of_register(), group = lane >> 2, within = lane & 3;
  return {group, within * run + i % run + (i / run) * 4 * run};
}
/// Of c and d.
inline Element element_of_sums(int lane, int i) { return {(lane >> 2) + (i >= 2 ? 8 : 0), (lane & 3) * 2 + (i & 1)}; }

/// What an mma operation needs besides its slots: packed into `target`.
struct FragmentProduct {
  Shape shape;
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
