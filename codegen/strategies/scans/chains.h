// Lists that are gone through in order: in each, one thread joins node after node. All other threads of the block bring
// chunks of the lists' leaves into shared memory, and take the results out of it, while this goes on.
#pragma once

#include <algorithm>

#include "codegen/strategies/scans/lists.h"

namespace reckon::codegen {

/// How a block is shared out.
struct ChainShape {
  std::int64_t lists = 0;    ///< of a block: a power of two, of at most a warp
  std::int64_t columns = 0;  ///< leaves of a list in a chunk: a power of two
  bool across = false;       ///< neighbouring lists, not neighbouring leaves, are neighbours in memory

  static constexpr std::int64_t movers = 256;             ///< threads that read leaves and write results
  static constexpr std::int64_t threads = movers + warp;  ///< and those that join

  std::int64_t leaves() const { return lists * columns; }
  /// Nodes that are read from shared memory before the first of them is joined.
  std::int64_t at_once() const { return std::min<std::int64_t>(16, columns); }
  /// The nodes of a list follow each other in shared memory, and an odd number of words is between those of two lists.
  std::int64_t pitch() const { return columns + 1; }
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
  void load(Value first, Value chunk);
  void store(Value first, Value chunk);
  Values chain(const ScanList& list, Value chunk, const Values& state);
  Values joined(Value is_first, const Values& state, const Values& node);
  Values chain_groups(Value begin, Value at, Value end, const Values& state);
  void keep(Value place, const Values& node);
  /// The place in shared memory of a node of a chunk.
  Value place(Value list, Value column, Value chunk);
  std::int64_t slots() const { return shape_.leaves() / ChainShape::movers; }

  ScanLists lists_;
  const ScanPlacement& placement_;
  const ChainShape& shape_;
  BlockReducer& reducer_;
  const FoldSite& site_;
  Values shared_;
};

}  // namespace reckon::codegen
