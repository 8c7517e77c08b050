// Which part of a product's results a tile is, for kernels whose items are tiles.
#pragma once

#include <cstddef>
#include <vector>

#include "codegen/lower/writer.h"

namespace reckon::codegen {

/// Tiles over two dimensions of a kernel's space: that of the rows, and the last one, that of the columns.
struct TileGrid {
  std::size_t row_binder = 0;          ///< in the space
  std::int64_t rows = 0, columns = 0;  ///< of a tile
  bool has_runs = false;               ///< runs of leaves are items, too: the first extent
};

/// The extents of the items: those of the dimensions that are no side of a tile, in the space's order, then rows of
/// tiles, then columns of tiles. Runs are left to the caller.
std::vector<ir::IndexId> items_of_tiles(ir::IndexStore& indices, const std::vector<Binder>& space,
                                        const TileGrid& grid);

struct TilePlace {
  Value row, column;  ///< the first ones
  Value run;          ///< null if runs are no items
};

/// The tile that is this item. The variables of the dimensions that are no side of a tile are bound in the scope.
/// Items of one product go through a few rows of tiles together, column by column, so that blocks that run at the same
/// time read what others have just read.
TilePlace enter_tile(Writer& w, const std::vector<Binder>& space, const Kernel& kernel, const TileGrid& grid,
                     Value item);

/// The item that is the tile in this row and column of tiles, of the product of this number.
Value tile_number(Writer& w, const TilePlace& tile, Value tile_rows, Value tile_columns, Value product);

}  // namespace reckon::codegen
