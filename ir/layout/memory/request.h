// One request of one warp: the bytes that its lanes touch at once (layouts.md, section 5: "Model").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/layout/memory/access.h"

namespace reckon::layout {

/// Lanes of one phase that want different words of one bank.
struct Collision {
  int bank = 0;
  std::vector<int> lanes;  ///< one for each distinct word, ascending
  /// Bits of the byte address in which the lanes differ: all at or above bit 7, else they were other banks.
  std::vector<int> address_bits;
  /// Bits of the lane number whose flip stays in the bank and changes the word: the lane bits that collide, if the
  /// phase's addresses are linear over bits; else empty.
  std::vector<int> lane_bits;
};

/// Lanes that shared memory serves together.
struct Phase {
  int first_lane = 0, lanes = 0;
  int wavefronts = 0;  ///< the most distinct words that one bank has
  Collision worst;     ///< of the bank that has them; no lanes if there is no conflict
};

/// Shared memory: 4 bytes a lane or fewer, one phase; 8, two phases of 16 lanes; 16, four of 8. Equal words are one.
/// `addresses` are bytes, of the lanes from 0 on, at most 32; each lane takes `width` bytes.
std::vector<Phase> shared_phases(const std::vector<std::int64_t>& addresses, int width);
/// ldmatrix, stmatrix: rows of 16 bytes, eight lanes a phase.
std::vector<Phase> matrix_phases(const std::vector<std::int64_t>& rows);

/// What a request to global memory moves.
struct Traffic {
  std::int64_t sectors = 0, lines = 0;  ///< distinct, of 32 and 128 bytes
  std::int64_t bytes = 0;               ///< distinct
};
Traffic global_traffic(const std::vector<std::int64_t>& addresses, int width);

/// "lanes 0, 4, 8, 12 (they differ in lane bits 2, 3) want 4 words of bank 0: their addresses differ in bits 8, 9 only".
std::string text(const Collision& collision);

}  // namespace reckon::layout
