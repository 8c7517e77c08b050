// Kernels in which the threads of a block work together, or have a tile.
#pragma once

#include <map>
#include <optional>

#include "codegen/lower/block/block_reducer.h"
#include "codegen/lower/folds.h"
#include "codegen/lower/items.h"

namespace reckon::codegen {

class BlockKernels {
 public:
  BlockKernels(Folds& folds, Items& items, KeptValues& kept);
  BlockKernels(const BlockKernels&) = delete;

  void lower(const KernelBody& body, Kernel& kernel);

 private:
  void lower_fold(const KernelBody& body, const Kernel& kernel, BlockReducer& reducer);

  Folds& folds_;
  Items& items_;
  KeptValues& kept_;
  Writer& w_;
  std::optional<std::map<ir::NodeId, int>> parameter_reads_;  ///< of all kernels, once one has asked
};

}  // namespace reckon::codegen
