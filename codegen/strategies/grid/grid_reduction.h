// A reduction that the blocks of a grid share, in one kernel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codegen/lower/block/block_reducer.h"
#include "codegen/lower/items.h"
#include "codegen/lower/parts.h"
#include "codegen/strategies/grid/grid_passes.h"

namespace reckon::codegen {

class GridReduction : LoweringParts {
 public:
  GridReduction(Folds& folds, Items& items, const KernelBody& body, const GridPasses& grid, Kernel& kernel,
                BlockReducer& reducer);
  GridReduction(const GridReduction&) = delete;

  void lower();

 private:
  struct Runs {
    Value count;       ///< the number of runs, one for each block
    Value block_rows;  ///< of each run but the last,
    Value leaves;      ///< which has so many leaves
    Value nodes;       ///< that all runs make together
  };
  /// What a pass folds: the leaves, or the nodes that the pass before has made of them; and how it is cut.
  struct Cut {
    List list;
    Slice all;
    Runs runs;
  };

  std::int64_t block_row_leaves(const Slice& slice) const;
  Runs runs_of(const Slice& slice, GridRuns pass);
  Value first_node(std::size_t pass, Value run);
  void take_run(std::size_t pass, const Cut& cut, Value run);
  void make_nodes(std::size_t pass, const Cut& cut, Value run);
  Value is_last_block(Value counter, Value count);

  Items& items_;
  const KernelBody& body_;
  const GridPasses& grid_;
  Kernel& kernel_;
  BlockReducer& reducer_;
  FoldSite site_;
  std::int64_t lanes_;
  Value item_ = nullptr;  ///< the item's number in the reduction's space
};

}  // namespace reckon::codegen
