#include "codegen/lower/tile_place.h"

namespace reckon::codegen {

namespace {

/// Rows of tiles that are gone through together.
constexpr std::int64_t rows_together = 8;

}  // namespace

std::vector<ir::IndexId> items_of_tiles(ir::IndexStore& indices, const std::vector<Binder>& space,
                                        const TileGrid& grid) {
  const auto tiles = [&](std::size_t binder, std::int64_t side) {
    const ir::IndexId rounded = indices.add(space[binder].extent, indices.constant(side - 1));
    return indices.floor_div(rounded, indices.constant(side));
  };
  std::vector<ir::IndexId> out;
  for (std::size_t d = 0; d + 1 < space.size(); ++d) {
    if (d != grid.row_binder) out.push_back(space[d].extent);
  }
  out.push_back(tiles(grid.row_binder, grid.rows));
  out.push_back(tiles(space.size() - 1, grid.columns));
  return out;
}

TilePlace enter_tile(Writer& w, const std::vector<Binder>& space, const Kernel& kernel, const TileGrid& grid,
                     Value item) {
  kernel::Builder& b = w.builder();
  std::size_t next = kernel.items.size() - 2;
  Value tile_rows = w.index(kernel.items[next]);
  Value tile_columns = w.index(kernel.items[next + 1]);
  Value of_one = w.multiply(tile_rows, tile_columns);
  Value number = b.urem(item, of_one);
  Value rest = b.udiv(item, of_one);
  for (std::size_t d = space.size() - 1; d-- > 0;) {
    if (d == grid.row_binder) continue;
    Value extent = --next == 0 ? nullptr : w.index(kernel.items[next]);
    Value coordinate = extent ? b.urem(rest, extent) : rest;
    if (extent) rest = b.udiv(rest, extent);
    w.scope()->variables.push_back({space[d].variable, space[d].extent, coordinate});
  }
  Value together = w.multiply(tile_columns, w.i64(rows_together));
  Value first = b.mul(b.udiv(number, together), w.i64(rows_together), Fits::always);
  Value within = b.urem(number, together);
  Value height = w.smaller(b.sub(tile_rows, first), w.i64(rows_together));
  Value row = w.add(first, b.urem(within, height));
  return {b.mul(row, w.i64(grid.rows), Fits::always), b.mul(b.udiv(within, height), w.i64(grid.columns), Fits::always),
          grid.has_runs ? rest : nullptr};
}

Value tile_number(Writer& w, const TilePlace& tile, Value tile_rows, Value tile_columns, Value product) {
  kernel::Builder& b = w.builder();
  Value first = b.sub(tile.row, b.urem(tile.row, w.i64(rows_together)));
  Value height = w.smaller(b.sub(tile_rows, first), w.i64(rows_together));
  Value within = b.add(b.mul(tile.column, height), b.sub(tile.row, first));
  return b.add(b.mul(product, b.mul(tile_rows, tile_columns)), b.add(b.mul(first, tile_columns), within));
}

}  // namespace reckon::codegen
