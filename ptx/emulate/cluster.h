// Blocks that run at the same time and reach each other's shared memory (PTX ISA 9.0, 2.2.2, "Cluster of Cooperative
// Thread Arrays").
//
// An address of shared memory has the place in its lower 24 bits. Above them stands 0 for the block's own memory, or
// one more than the rank of a block of the cluster (`mapa`).
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "ptx/emulate/kernel.h"

namespace reckon::ptx {

class Block;

inline constexpr int rank_shift = 24;
inline constexpr std::uint64_t most_ranks = 16;
constexpr std::uint64_t rank_bits(std::uint64_t rank) { return (rank + 1) << rank_shift; }

class Cluster {
 public:
  /// Its blocks, which are added by their ranks, live as long as it does.
  explicit Cluster(std::array<std::uint32_t, 3> extents) : extents_(extents) {}
  void add(Block& block);
  std::array<std::uint32_t, 3> extents() const { return extents_; }
  std::uint32_t size() const { return extents_[0] * extents_[1] * extents_[2]; }
  /// Null if there is none.
  Block* block(std::uint64_t rank) const { return rank < blocks_.size() ? blocks_[rank] : nullptr; }
  bool is_done() const;

  // The barrier of all threads of the cluster; those that have ended count as arrived.
  void arrive(std::uint32_t threads);
  /// True if the lanes need not wait: all came since the warp did. Else they are woken when all have come.
  bool wait(Warp& warp, Mask on);
  void thread_ended();
  std::uint32_t phase() const { return phase_; }

 private:
  std::uint32_t live() const;
  void pass();

  std::array<std::uint32_t, 3> extents_;
  std::vector<Block*> blocks_;
  std::uint32_t arrived_ = 0, phase_ = 0;
  std::vector<std::pair<Warp*, Mask>> waiting_;
};

}  // namespace reckon::ptx
