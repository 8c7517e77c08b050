// Columns on the host: reductions by `tree`, or `lanes(L, tree) then S`, whose leaves lie across memory. A few dozen
// neighbouring ones are computed together, so that memory is read in rows.
#pragma once

#include <optional>

#include "codegen/lower/items.h"
#include "codegen/lower/lane_rows.h"

namespace reckon::codegen {

class ColumnRows : LoweringParts {
 public:
  ColumnRows(Folds& folds, Items& items);
  ColumnRows(const ColumnRows&) = delete;

  /// Writes the items begin .. end - 1 of a kernel; false: it is no kernel of columns.
  bool write(const KernelBody& body, const Kernel& kernel, Value begin, Value end);

 private:
  struct Shape {
    std::int64_t lanes = 0, columns = 0;  ///< of the schedule; computed together
    ir::ScheduleId rest;                  ///< that joins the lanes; invalid: there is one lane
  };
  std::optional<Shape> shape_of(const KernelBody& body, const Kernel& kernel, const FoldSite& site) const;
  void fold(const FoldSite& site, const Shape& shape, Value length, Value count,
            FunctionRef<void(Value column, const Values&)> keep,
            FunctionRef<Values(Value position, Value column)> leaf);

  Items& items_;
  LaneRows rows_;
};

}  // namespace reckon::codegen
