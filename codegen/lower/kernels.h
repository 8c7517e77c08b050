// Entry points: what the kernels of a plan compute.
#pragma once

#include <cstddef>

#include "codegen/lower/column_rows.h"
#include "codegen/lower/folds.h"
#include "codegen/lower/items.h"
#include "codegen/lower/kernel_parts.h"
#include "codegen/lower/parts.h"

namespace reckon::codegen {

class Kernels : LoweringParts {
 public:
  Kernels(Folds& folds, KeptValues& kept);
  Kernels(const Kernels&) = delete;

  /// Makes the function of kernel k of the plan. May fill in the kernel's launch figures.
  void lower(std::size_t k, Kernel& kernel);
  /// Whether items of some kernel are computed side by side.
  bool any_side_by_side() const { return items_.any_side_by_side(); }

 private:
  void overlap(std::size_t k, Kernel& kernel);
  void emit_item(const KernelBody& body, const Kernel& kernel, Value item, Value last);
  void emit_scan(const KernelBody& body, const Kernel& kernel, Value item);
  void emit_array(const KernelBody& body, const Kernel& kernel, Value item);
  void emit_by_key(const ByKey& plan, const KernelBody& body, const Kernel& kernel, Value begin, Value end);
  Value made_of_joined(const KernelBody& body, const Kernel& kernel, Value item);
  Values fold_of_runs(const KernelBody& body, const Kernel& kernel, Value item);

  Items items_;
  ColumnRows columns_;
  KernelParts parts_;
};

}  // namespace reckon::codegen
