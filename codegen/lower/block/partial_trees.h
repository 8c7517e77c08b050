// Nodes of several threads or rounds, some of which may be absent, joined by `tree`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codegen/lower/folds.h"
#include "codegen/lower/parts.h"

namespace reckon::codegen {

constexpr std::int64_t rows_in_flight = 8;  ///< nodes or block rows whose loads are in flight together

/// A value of one of several threads or rounds that may be absent.
struct Maybe {
  Values value;
  Value present = nullptr;  ///< a flag; null: always
};

class PartialTrees : LoweringParts {
 public:
  explicit PartialTrees(Folds& folds);

  /// Joins two nodes. If the right one is present, so is the left one.
  Maybe joined(const FoldSite& site, const Maybe& left, const Maybe& right);
  /// Neighbouring nodes of several lists side by side, joined by `tree`.
  std::vector<Maybe> pairwise(const FoldSite& site, std::vector<std::vector<Maybe>> nodes);
  /// The nodes of `count` leaves from `first` on. The left half, a power of two, is joined before the right half is
  /// read, down to `many` leaves at a time, so that fewer values are live than there are registers.
  std::vector<Maybe> by_halves(const FoldSite& site, std::int64_t first, std::int64_t count, std::int64_t many,
                               FunctionRef<std::vector<Maybe>(Value first, std::int64_t n)> some);
  /// The node at a position, of the first `count`. In place of an absent node the first one is read, which always
  /// exists; its value is not used.
  Maybe one_of(const FoldSite& site, const Slice& slice, Value position, Value count);
  /// `tree` of the first `count` of `most` nodes, a power of two.
  Values tree_of_some(const FoldSite& site, const Slice& slice, std::int64_t most, Value count);
};

/// `tree` over the nodes of several lists side by side that come one after the other (trees.cpp).
class TreeCounter : LoweringParts {
 public:
  TreeCounter(Folds& folds, const FoldSite& site, std::size_t lists);
  /// Adds the nodes of 2^level leaves in a row, one for each list; `count` such groups were added before.
  void push(const std::vector<Maybe>& nodes, Value count, std::int64_t level);
  /// Pushes `length` nodes: `many`, a power of two, at a time while there are so many, so that their loads are under
  /// way together, then one by one. `joined(first, n)` gives the nodes first, ..., first + n - 1 as one.
  void fill(Value length, std::int64_t many, FunctionRef<std::vector<Maybe>(Value first, std::int64_t n)> joined);
  const Counter& of(std::size_t list) const { return counters_[list]; }

 private:
  const FoldSite& site_;
  std::vector<Counter> counters_;
};

}  // namespace reckon::codegen
