// The tile of a matrix product, or of a reduction that reads like one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "layout/layout.h"

namespace reckon::codegen {

/// How a block carries out its tile (tile_choice.h).
struct Tile {
  std::size_t row_binder = 0;          ///< in the space; that of the columns is the last
  std::int64_t rows = 0, columns = 0;  ///< outputs of a block
  std::int64_t run = 0;    ///< leaves of a run, if each is an item of its own (the first extent); 0: all are one
  std::int64_t depth = 0;  ///< leaves whose parts are in shared memory together
  std::int64_t thread_rows = 0, thread_columns = 0;  ///< outputs of a thread
  std::uint32_t blocks = 1;  ///< that a multiprocessor has at a time: bounds the registers of a thread
  bool unrolled = false;     ///< the leaves of a stage follow each other in the code, if they are cheap
  std::vector<ir::NodeId> of_rows, of_columns;  ///< parts of the leaf that depend on one side of the tile alone

  // As stated; none: as is usual (shares.cpp).
  std::optional<layout::Layout> arrangement;  ///< from a thread's row and column in the block to its number
  std::optional<layout::Layout> row_values, column_values;  ///< where a thread's rows, columns lie, from the first on

  std::int64_t threads() const { return rows / thread_rows * (columns / thread_columns); }
};

/// A shape of tile, and the thread's part of it, that the compiler would choose by itself.
struct TileShape {
  std::int64_t rows, columns, depth, thread_rows, thread_columns;
  std::uint32_t blocks;
};

/// Of the reports' words.
constexpr std::string_view tiles_name = "tiles";

}  // namespace reckon::codegen
