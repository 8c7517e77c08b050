// The aligned runs of the lanes of a warp, joined by shuffles.
#pragma once

#include "codegen/lower/block/block_reducer.h"

namespace reckon::codegen {

class WarpRuns : LoweringParts {
 public:
  static constexpr std::int64_t levels = 5;  ///< a warp has two to the power of so many lanes

  WarpRuns(Folds& folds, const FoldSite& site, BlockReducer& reducer)
      : LoweringParts(folds, folds.joins()), site_(site), reducer_(reducer) {}

  /// Of a lane's aligned group of 2^k lanes: the total, and that of the other group of the same size within the next
  /// larger one.
  struct Runs {
    std::vector<Values> own, other;
  };
  /// Of the lanes' nodes. All lanes of the warp are there.
  Runs of(const Values& node);

  /// Whether the bit of the number is set.
  Value bit(Value number, std::int64_t k) {
    return b_.not_equal(b_.bit_and(number, w_.i64(std::int64_t{1} << k)), w_.i64(0));
  }

 private:
  const FoldSite& site_;
  BlockReducer& reducer_;
};

}  // namespace reckon::codegen
