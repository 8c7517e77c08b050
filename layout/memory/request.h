// One request of one warp: the bytes that its lanes touch at once (docs/layouts.md, "What it says about memory").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layout/memory/access.h"

namespace reckon::layout {

/// Lanes of one phase that want different words of one bank.
struct BankConflict {
  int bank = 0;
  std::vector<int> lanes;  ///< one for each distinct word, ascending
  /// The bits in which their byte addresses differ: all at or above bit 7, because the bank is the same.
  std::vector<int> address_bits;
  std::vector<int> lane_bits;  ///< bits of the lane number in which they differ
};

/// Lanes that shared memory serves together.
struct Phase {
  int first_lane = 0, lanes = 0;
  int wavefronts = 0;  ///< the most distinct words that one bank has
  BankConflict worst;  ///< the conflict in the first bank with so many; no lanes if there is none
};

/// Shared memory: 4 bytes a lane or fewer, one phase; 8, two phases of 16 lanes; 16, four of 8 (and so ldmatrix and
/// stmatrix, whose rows are of 16 bytes: a phase for each matrix). Equal words are one. `addresses` are bytes, of the
/// lanes from 0 on, at most 32; each lane takes `width` bytes, and its address is a multiple of that.
std::vector<Phase> shared_phases(const std::vector<std::int64_t>& addresses, int width);
/// The sum of their wavefronts, without what collides.
std::int64_t shared_wavefronts(const std::vector<std::int64_t>& addresses, int width);

/// What a request to global memory moves.
struct Traffic {
  std::int64_t sectors = 0, lines = 0;  ///< distinct, of 32 and 128 bytes
  std::int64_t bytes = 0;               ///< distinct
};
Traffic global_traffic(const std::vector<std::int64_t>& addresses, int width);

/// "lanes 0, 4, 8, 12 want 4 words of bank 0: their addresses differ in bits 8, 9 alone, the lanes in bits 2, 3".
std::string text(const BankConflict& conflict);

}  // namespace reckon::layout
