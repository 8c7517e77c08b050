// Writes a kernel whose blocks go through tiles of a product on tensor cores.
#pragma once

#include "codegen/lower/items.h"
#include "codegen/lower/parts.h"
#include "codegen/lower/tile_place.h"
#include "codegen/strategies/tensor_cores/product.h"

namespace reckon::codegen {

/// The tiles of a product, as its strategy chose them.
struct MmaPlacement {
  MmaProduct product;
  kernel::MmaTiles tiles;  ///< but for the maps' numbers, all of it
  TileGrid grid() const { return {product.row_binder, tiles.rows, tiles.columns}; }
};

class MmaWriter : LoweringParts {
 public:
  MmaWriter(Folds& folds, const KernelBody& body, const MmaPlacement& placement, Kernel& kernel);
  MmaWriter(const MmaWriter&) = delete;

  void write();

 private:
  /// The factor's memory, its extents and strides in elements.
  kernel::MmaOperands::Factor factor(const MmaOperand& operand);
  /// Where the tile begins in the operand, the innermost dimension first.
  Values begin(const MmaOperand& operand, ir::VariableId side, Value first);
  void write_tile(Value item, const Values& sums);
  void write_results(const TilePlace& place, const Values& sums, bool is_whole);

  const KernelBody& body_;
  const MmaPlacement& placement_;
  const kernel::MmaTiles& tiles_;
  Kernel& kernel_;
  Value thread_;
};

}  // namespace reckon::codegen
