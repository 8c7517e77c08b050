// `lanes(k, seq)` and `lanes(k, tree)` on the host: whole rows of k leaves side by side.
#pragma once

#include <cstdint>
#include <memory>

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

 private:
  void rows_seq(const FoldSite& site, const Slice& slice, std::int64_t lanes, const Values& result);
  void rows_tree(const FoldSite& site, const Slice& slice, std::int64_t lanes, const Values& result);
  Values row_leaf(const FoldSite& site, const Slice& slice, std::int64_t lanes, Value row, Value lane);

  TreeFolds& trees_;
};

}  // namespace reckon::codegen
