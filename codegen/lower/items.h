// How the work items of a kernel are walked on each target (items.cpp).
#pragma once

#include <vector>

#include "codegen/lower/writer.h"

namespace reckon::codegen {

class Items {
 public:
  explicit Items(Writer& writer);
  Items(const Items&) = delete;

  /// `item` is the item's number, `last` its coordinate in the last dimension; the variables of its space are bound.
  using One = FunctionRef<void(Value item, Value last)>;
  /// Emits the items begin..end-1, on the host.
  void of_host(const KernelBody& body, const Kernel& kernel, Value begin, Value end, One emit_one);
  /// Whether items of some kernel are computed side by side.
  bool any_side_by_side() const { return any_side_by_side_; }
  /// Emits every item of this thread; if a block computes items together, every item of the block.
  void of_ptx(const KernelBody& body, const Kernel& kernel, One emit_one);
  /// Emits the one item of the block.
  void block_per_item(Kernel& kernel, FunctionRef<void(Value item)> emit_one);
  /// Binds the variables of the item's space; returns the item's coordinate in the last dimension.
  Value bind_item(const KernelBody& body, const Kernel& kernel, Value item);
  Values item_coordinates(const std::vector<ir::IndexId>& extents, Value item);

 private:
  Value item_count(const Kernel& kernel);
  void side_by_side(const Kernel& kernel, kernel::Region& around);
  void rows_and_columns_side_by_side(const Kernel& kernel);
  bool may_go_side_by_side(const KernelBody& body, const Kernel& kernel) const;

  Writer& w_;
  kernel::Builder& b_;
  bool any_side_by_side_ = false;
};

}  // namespace reckon::codegen
