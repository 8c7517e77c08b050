// Which threads access memory, where and how: the input of the analysis of memory accesses (docs/layouts.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layout/composed.h"
#include "layout/problem.h"

namespace reckon::layout {

inline constexpr int warp_lanes = 32;
inline constexpr int banks = 32;
inline constexpr int word_bytes = 4;  ///< of a bank
inline constexpr int sector_bytes = 32;
inline constexpr int line_bytes = 128;
inline constexpr int widest_access = 16;  ///< bytes of one thread's access: ld.v4.b32

enum class Space { global, shared };

enum class Instruction {
  plain,     ///< ld, st: each thread its own bytes
  ldmatrix,  ///< a lane's address is that of a row of 16 bytes; eight lanes are an 8x8 matrix of 16-bit elements
  stmatrix,
};

struct Access {
  Space space = Space::shared;
  int element_bytes = 4;  ///< a power of two, 1 to 16
  /// The elements of one access of a thread, from its offset on; 0: as many of its consecutive values as possible.
  int vector = 0;
  /// The alignment of the address of offset 0, in bytes; a power of two.
  std::int64_t base_alignment = 256;
  Instruction instruction = Instruction::plain;
};

/// Offsets in elements, by thread and value: offset(t, v) = table[t + threads * v].
struct Offsets {
  std::int64_t threads = 0, values = 0;
  std::vector<std::int64_t> table;

  std::int64_t operator()(std::int64_t thread, std::int64_t value) const {
    return table[static_cast<std::size_t>(thread + threads * value)];
  }
};

/// Of a thread-value layout: mode 0 is the thread, the other modes its values; a layout of one mode has one value each.
/// Swizzled ones too. Refuses more than 2^24 offsets and negative ones (an offset counts from the start of the buffer).
Result<Offsets> offsets(const AnyLayout& thread_value);

/// The offsets of the eight rows of a matrix of 16-byte rows, as ldmatrix wants them: of the tile's rows 0, 1, ... at
/// one column. Refuses a tile that has not two modes, and a column that it has not.
Result<Offsets> matrix_rows(const AnyLayout& tile, std::int64_t column);

}  // namespace reckon::layout
