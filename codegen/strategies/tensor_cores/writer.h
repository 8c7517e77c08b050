// Writes a kernel whose blocks go through tiles of a product on tensor cores.
#pragma once

#include "codegen/lower/kernel_parts.h"
#include "codegen/lower/parts.h"
#include "codegen/lower/tile_place.h"
#include "codegen/strategies/tensor_cores/product.h"

namespace reckon::codegen {

/// The tiles of a product, as its strategy chose them.
struct MmaPlacement {
  MmaProduct product;
  bool has_long_tails = false;  ///< with a division, a root or a function: many instructions, perhaps a branch
  std::vector<Tail> tails;      ///< each may be made of the ones before; the last one is written, or else the results
  kernel::MmaTiles tiles;       ///< but for the unit, they are chosen when all tails are known
  TileGrid grid() const { return {product.row_binder, tiles.rows, tiles.columns}; }
};

/// The factor's memory, its extents and strides in elements.
kernel::MmaOperands::Factor factor_of(Writer& w, const MmaOperand& operand);

/// Where a tile begins in the factor, the innermost dimension first: with row or column `side`; null: with the first
/// one.
Values begin_of(Writer& w, const MmaOperand& operand, Value side);

class MmaWriter : LoweringParts {
 public:
  MmaWriter(KernelParts& parts, const MmaPlacement& placement, Kernel& kernel);
  MmaWriter(const MmaWriter&) = delete;

  void write();

 private:
  std::uint32_t blocks_of_warps() const;
  Value first_leaf();
  void write_tile(Value item, const Values& fragment);
  void write_results(const TilePlace& place, const Values& sums, bool is_whole);
  Values exchanged(const Values& sums);
  void write_two_blocks(Value first_row, Value first_column, const Values& sums, bool is_whole);
  Value at_place(Value row, Value column, FunctionRef<Value()> body);
  Value result(Value sum);
  Value offset_of_result();
  /// Binds the tile's variables, of the product and of its tails.
  TilePlace enter(Value item);
  /// Gives the value to the variables of this dimension.
  void bind(Scope& scope, std::size_t dimension, Value value) const;
  const Binder& row_binder() const { return placement_.product.space[placement_.product.row_binder]; }
  const Binder& column_binder() const { return placement_.product.space.back(); }

  KernelParts& parts_;
  const MmaPlacement& placement_;
  const kernel::MmaTiles& tiles_;
  Kernel& kernel_;
  Value thread_;
};

}  // namespace reckon::codegen
