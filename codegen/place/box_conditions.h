// Conditions on the row and the column of a result, for all results of a tile together.
#pragma once

#include <optional>

#include "ir/module.h"

namespace reckon::codegen {

/// The sides of a tile, inclusive.
struct TileBox {
  ir::VariableId first_row, last_row, first_column, last_column;
};

class BoxConditions {
 public:
  BoxConditions(ir::IndexStore& indices, ir::VariableId row, ir::VariableId column, const TileBox& box)
      : indices_(indices), row_(row), column_(column), box_(box) {}

  /// A condition on the box that implies the condition at each place in it, or, for `all` = false, one that follows
  /// from the condition at any place.
  ir::IndexId holds(ir::IndexId condition, bool all);

  struct Columns {
    ir::IndexId begin, limit;
  };
  /// All columns, of which there are so many, at which the condition holds in one of the rows.
  Columns columns(ir::IndexId condition, ir::IndexId count);

 private:
  /// The least or greatest value in the box, if the expression is linear in the row and in the column.
  std::optional<ir::IndexId> extreme(ir::IndexId id, bool greatest);

  ir::IndexStore& indices_;
  ir::VariableId row_, column_;
  const TileBox& box_;
};

}  // namespace reckon::codegen
