// Many reductions side by side whose leaves lie across memory.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/lower/kernel_parts.h"
#include "codegen/lower/parts.h"
#include "codegen/strategies/columns/column_shares.h"

namespace reckon::codegen {

class ColumnReduction : LoweringParts {
 public:
  ColumnReduction(KernelParts& parts, const FoldKernel& placed, const KernelBody& body, const ColumnShares& shares,
                  Kernel& kernel, BlockReducer& reducer);
  ColumnReduction(const ColumnReduction&) = delete;

  void lower();

 private:
  void lower_group(Value number, Value of_part, Value total);
  struct Leaves;
  std::vector<Maybe> leaves_at(const Leaves& leaves, Value position, Value present);
  std::vector<Maybe> some_leaves(const Leaves& leaves, Value first, std::int64_t count);
  std::vector<Values> column_tree(const Leaves& leaves);
  std::vector<Values> long_tree(const Leaves& leaves, std::int64_t count);
  std::vector<Values> tree_of_lane(Value run, std::int64_t lanes, Value further, Value length);
  void keep(Value node, const std::vector<Values>& values);
  std::int64_t at_once() const;
  Value node_of_lane(Value node);
  Values folded_columns(Value length);
  Value nodes_of_runs(Value length);
  Value nodes_of_lanes(Value length);
  Values fold_of_nodes(ir::ScheduleId order, const Slice& nodes);
  Values join_nodes(Value count);
  Values empty_columns();

  KernelParts& parts_;
  const FoldKernel& placed_;
  const KernelBody& body_;
  const ColumnShares& shares_;
  Kernel& kernel_;
  BlockReducer& reducer_;
  PartialTrees partial_;
  const FoldSite site_;
  std::int64_t warps_, lanes_;
  std::int64_t lanes_of_block_, nodes_;             ///< the nodes of a column that a block keeps
  std::int64_t vector_;                             ///< items of a thread, neighbours
  std::vector<ir::IndexId> extents_;                ///< of all items
  std::vector<std::vector<Scope::Bound>> columns_;  ///< the variables of each item of the thread
  std::vector<Values> shared_;                      ///< for each item of a thread, nodes x lanes of a warp
  Value part_ = nullptr;  ///< the block's part, of those that share an item; null: it has all leaves
};

}  // namespace reckon::codegen
