// How the host carries out matrix products, and reductions that read like one (codegen/place/sides.h): in tiles of the
// results, whose factors are packed in the order in which they are needed.
#pragma once

#include <cstdint>

#include "codegen/place/sides.h"
#include "codegen/plan.h"

namespace reckon::codegen {

class Numbers;
struct Abilities;

/// A kernel whose items are tiles of a product, or of elements that are each made of the product's result at its place.
struct ProductTiles {
  KernelBody fold;          ///< the product
  std::size_t row = 0;      ///< the rows' binder in the space; the last one is the columns'
  LeafSides sides;          ///< the parts of a leaf
  std::int64_t run = 0;     ///< leaves of a run, if the order is `tile(run, ...) then seq`; 0: all leaves are one chain
  std::int64_t rows = 0, columns = 0;  ///< of a tile
  std::int64_t depth = 0;              ///< leaves whose parts are packed at a time
  std::int64_t lanes = 0;              ///< columns of a vector register
  /// Rows and columns whose sums are in registers at a time: `many_rows` by `panel`, and `few_rows`, a divisor of
  /// `many_rows`, by `panel` for the rows that are left.
  std::int64_t many_rows = 0, few_rows = 0, panel = 0;
};

/// Finds the kernels that the host computes so, and makes tiles their items.
void place_products(ir::Module& module, Planned& planned, const Numbers& code, const Abilities& abilities);

}  // namespace reckon::codegen
