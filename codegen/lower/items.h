// How the work items of a kernel are walked on each target (items.cpp).
#pragma once

#include <vector>

#include "codegen/lower/writer.h"

namespace reckon::codegen {

class Items {
 public:
  explicit Items(Writer& writer);
  Items(const Items&) = delete;

  /// `item` is its number, `last` its coordinate in the last dimension; the variables of its space have their values.
  using One = FunctionRef<void(Value item, Value last)>;
  /// Of the items begin..end-1.
  void of_host(const KernelBody& body, const Kernel& kernel, Value begin, Value end, One emit_one);
  /// Every item that this thread, or the block, is for.
  void of_ptx(const KernelBody& body, const Kernel& kernel, One emit_one);
  /// The item that the block is for; it has no other.
  void block_per_item(Kernel& kernel, FunctionRef<void(Value item)> emit_one);
  /// Gives the variables of the item's space their values; its coordinate in the last dimension.
  Value bind_item(const KernelBody& body, const Kernel& kernel, Value item);
  Values item_coordinates(const std::vector<ir::IndexId>& extents, Value item);

 private:
  Value item_count(const Kernel& kernel);

  Writer& w_;
  kernel::Builder& b_;
};

}  // namespace reckon::codegen
