// Masks between two products: elements that are -inf where a condition on the row and the column does not hold. Tiles
// in which it holds nowhere are left out, and where it holds everywhere no element asks for it.
#pragma once

#include <optional>

#include "codegen/place/box_conditions.h"
#include "codegen/plan.h"

namespace reckon::codegen {

/// Element (i, j) is `visible` where the condition holds, and -inf elsewhere.
struct RowMask {
  ir::NodeId visible;
  ir::IndexId everywhere;    ///< in a box: 1 if the condition holds at each of its places; it may be 0 if it does
  ir::IndexId begin, limit;  ///< for the rows of a box: columns before `begin` and from `limit` on are not visible
};

/// The mask of the element `node` at row i and column j, of which there are `columns`.
std::optional<RowMask> row_mask(ir::Module& module, ir::NodeId node, ir::VariableId row, ir::VariableId column,
                                ir::IndexId columns, const TileBox& box);

}  // namespace reckon::codegen
