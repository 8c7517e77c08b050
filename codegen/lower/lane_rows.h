// `lanes(k, seq)` and `lanes(k, tree)` on the host: whole rows of k leaves side by side; and of several lists, too.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "codegen/lower/parts.h"
#include "codegen/lower/trees.h"

namespace reckon::codegen {

class LaneRows : LoweringParts {
 public:
  LaneRows(Folds& folds, Joins& joins, TreeFolds& trees);
  LaneRows(const LaneRows&) = delete;

  /// Is this a way to fold `lanes(size, inner)` of the slice?
  bool applies(const FoldSite& site, ir::ScheduleId inner, const Slice& slice, Value size) const;
  /// The lanes' nodes, stored.
  std::unique_ptr<List> fold(const FoldSite& site, ir::ScheduleId inner, const Slice& slice, std::int64_t lanes);

  /// Lists of which neighbours lie side by side in memory.
  struct Columns {
    Value length;           ///< leaves of each
    std::int64_t most = 1;  ///< lists that arrays have room for: a node of each, lane after lane
    Value count = nullptr;  ///< lists; null: one
    FunctionRef<Values(Value position, Value column)> leaf;
  };
  /// The nodes of `lanes(lanes, tree)` of all lists, whose length is at least 1, put into `result`.
  void rows_tree(const FoldSite& site, const Columns& columns, std::int64_t lanes, const Values& result);
  /// Bytes of the arrays on the stack that it takes for a number of `bytes` bytes.
  static std::int64_t bytes_of_tree(std::optional<std::int64_t> length, std::int64_t lanes, std::int64_t columns,
                                    std::int64_t bytes);

 private:
  void rows_seq(const FoldSite& site, const Slice& slice, std::int64_t lanes, const Values& result);
  Values row_leaf(const FoldSite& site, const Slice& slice, std::int64_t lanes, Value row, Value lane);

  /// Runs `body` for the lanes begin .. end - 1 of all lists. `place` is the node's in an array of all lanes' nodes.
  using LaneBody = FunctionRef<void(Value place, Value lane, Value column)>;
  void each_lane(const Columns& columns, std::int64_t lanes, Value begin, Value end, LaneBody body);

  TreeFolds& trees_;
};

}  // namespace reckon::codegen
