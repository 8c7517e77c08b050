// What the rows of two products need not compute: columns that a mask hides, where this makes no difference, and the
// scaling of elements of which only the greatest one counts.
#pragma once

#include <cstdint>

#include "codegen/strategies/tensor_cores/product_rows.h"

namespace reckon::codegen {

/// Finds the masks of the steps, which one leaves out columns, and the folds to a greatest element that is scaled
/// afterwards. `first`: the buffer that the first product would have.
void find_masks(ir::Module& module, const Planned& planned, std::uint32_t first, ProductRows& rows);

}  // namespace reckon::codegen
