// The tile of a matrix product, or of a reduction that reads like one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "codegen/place/box_conditions.h"
#include "codegen/place/sides.h"
#include "ir/module.h"
#include "layout/layout.h"

namespace reckon::codegen {

/// A shape of tile, and the thread's part of it.
struct TileShape {
  std::int64_t rows = 0, columns = 0;                ///< outputs of a block
  std::int64_t depth = 0;                            ///< leaves whose parts are in shared memory together
  std::int64_t thread_rows = 0, thread_columns = 0;  ///< outputs of a thread
  std::uint32_t blocks = 1;  ///< blocks of a multiprocessor at a time: bounds the registers of a thread
};

/// How a block carries out its tile (tile_choice.h).
struct Tile : TileShape {
  std::size_t row_binder = 0;  ///< the rows' binder in the space; the last one is the columns'
  std::int64_t run = 0;        ///< leaves of a run, if runs are items (the first extent); 0: all leaves are one run
  bool unrolled = false;     ///< the loop over a stage's leaves is unrolled, if they are cheap; always with `mma_f64`
  /// Warps join four leaves at a time on tensor cores, in whole stages (kernel/mma_f64.h). Leaves are products of one
  /// part of the rows and one of the columns.
  bool mma_f64 = false;
  std::vector<ir::NodeId> of_rows, of_columns;  ///< parts of the leaf that depend on one side of the tile alone

  /// Whether a result of the tile may be asked for: a condition on the sides in `box`. Nothing: each of them may.
  std::optional<ir::IndexId> needed;
  TileBox box{};

  /// The fold whose results the tile has, if some of the kernel's dimensions have become one.
  std::optional<JoinedSides> joined;

  // As stated, or as tensor cores of f64 have them (tile_choice.cpp); none: the usual ones (shares.cpp).
  std::optional<layout::Layout> arrangement;  ///< from a thread's row and column in the block to its number
  std::optional<layout::Layout> row_values, column_values;  ///< a thread's rows, columns, from its first

  std::int64_t threads() const { return rows / thread_rows * (columns / thread_columns); }
};

/// The strategy's name in reports.
constexpr std::string_view tiles_name = "tiles";

}  // namespace reckon::codegen
