// Tiles of a matrix product on the host (codegen/place/products.h). The parts of the leaves of a tile are packed, some
// hundred leaves at a time: those of rows and of columns, each in the order in which `chains` (kernel/chains.h) reads
// them. The sums of the tile's results are in memory in between, and what is made of them is computed in the end.
#pragma once

#include <vector>

#include "codegen/lower/parts.h"
#include "codegen/place/products.h"

namespace reckon::codegen {

class Products : LoweringParts {
 public:
  Products(Folds& folds, const KernelBody& body, const Kernel& kernel, const ProductTiles& tiles);
  Products(const Products&) = delete;

  /// The tiles begin .. end - 1.
  void write(Value begin, Value end);

 private:
  /// A part of the leaves, packed: an array for it.
  struct Packed {
    ir::NodeId node;
    bool of_rows = false, along_leaves = false;
    Value array;
    std::int64_t leaf = 1, side = 1;  ///< elements from a leaf, from a row or column to the next one
  };
  /// A tile, and the leaves that are packed at the moment.
  struct TileSizes {
    Value row, column, rows, columns;  ///< the first ones, and how many there are
    Value groups_rows, panels;         ///< rows that are computed, a multiple of `few_rows`; panels of columns
  };

  void write_tile(const TileSizes& place);
  void add_leaves(const TileSizes& place, Value begin, Value end);
  void pack_rows(const Packed& part, const TileSizes& place, Value begin, Value count);
  void pack_columns(const Packed& part, const TileSizes& place, Value begin, Value count);
  Value element(const Packed& part, Value side, Value leaf);
  bool has_neutral() const;
  void multiply(const TileSizes& place, Value begin, Value from, Value count);
  void multiply_rows(std::int64_t rows, Value first_row, Value panel, Value begin, Value from, Value count);
  void begin_sums(const TileSizes& place, Value leaf);
  void join_run(const TileSizes& place, Value number);
  void finish(const TileSizes& place, Value array);
  void each_result(Value rows, Value columns, FunctionRef<void(Value row, Value column, Value number)> body);
  Values node_of(Value number);  ///< a node whose value this is
  Values leaf_of(const Values& parts, Value row, Value column, Value leaf);
  void write_empty(const TileSizes& place);
  void store(Value row, Value column, FunctionRef<Values()> values);

  const KernelBody& body_;
  const Kernel& kernel_;
  const ProductTiles& tiles_;
  FoldSite site_;
  const Binder &row_, &column_;
  std::vector<Packed> parts_;
  Value sums_, totals_;  ///< of the tile; of the runs before
};

}  // namespace reckon::codegen
