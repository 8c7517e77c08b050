// Lists that are gone through in order: in each, one thread joins node after node. All other threads of the block bring
// chunks of the lists' leaves into shared memory, and take the results out of it, while this goes on.
#pragma once

#include <algorithm>
#include <bit>

#include "codegen/place/place.h"
#include "codegen/strategies/scans/lists.h"

namespace reckon::codegen {

/// How a block is shared out.
struct ChainShape {
  std::int64_t lists = 0;    ///< of a block: a power of two, of at most a warp
  std::int64_t columns = 0;  ///< leaves of a list in a chunk: a power of two
  bool across = false;       ///< neighbouring lists, not neighbouring leaves, are neighbours in memory
  std::int64_t node_bytes = 0;
  std::int64_t vector = 1;  ///< neighbouring nodes that one access to shared memory has, of each part

  static constexpr std::int64_t movers = 256;             ///< threads that read leaves and write results
  static constexpr std::int64_t threads = movers + warp;  ///< and those that join

  std::int64_t leaves() const { return lists * columns; }

  /// Chunks in shared memory: one is joined, and the next one takes the place of an earlier one, whose results were
  /// written before; if other threads write them than read leaves, they do so while one more chunk is joined.
  std::int64_t chunks() const { return chunks_for(across); }
  static constexpr std::int64_t chunks_for(bool across) { return across ? 3 : 2; }
  /// Nodes that are read from shared memory before the first of them is joined: 128 bytes of them; a power of two.
  std::int64_t at_once() const {
    const auto nodes = std::bit_floor(static_cast<std::uint64_t>(128 / node_bytes));
    return std::clamp(static_cast<std::int64_t>(nodes), vector, columns);
  }
  /// The nodes of a list follow each other in shared memory. A vector of nodes is between those of two lists, so that
  /// the vectors that the lists' threads read are in different banks.
  std::int64_t pitch() const { return columns + vector; }
};

class ChainWriter : LoweringParts {
 public:
  ChainWriter(KernelParts& parts, const KernelBody& body, const ScanPlacement& placement, const ChainShape& shape,
              const Kernel& kernel, BlockReducer& reducer);

  void write();

 private:
  /// What a mover has to do with a list's chunk: its list and column in the block.
  struct Slot {
    Value list, column;
  };
  Slot slot(std::int64_t number, bool across);
  void write_group(Value first);
  void load(Value chunk);
  void store(Value first, Value chunk);
  Values chain(const ScanList& list, Value chunk, const Values& state);
  Values joined(Value is_first, const Values& state, const Values& node);
  ScanList list_of(Value number);
  Values chain_groups(Value begin, Value at, Value end, const Values& state);
  /// The place in shared memory of a node of a chunk.
  Value place(Value list, Value column, Value chunk);
  std::int64_t slots() const { return shape_.leaves() / ChainShape::movers; }

  ScanLists lists_;
  const ScanPlacement& placement_;
  const ChainShape& shape_;
  BlockReducer& reducer_;
  const FoldSite& site_;
  Values shared_, packed_;
};

}  // namespace reckon::codegen
