#include "codegen/strategies/tiles/stated_tile.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/place/kernel_clauses.h"
#include "codegen/place/place.h"
#include "layout/complement.h"

namespace reckon::codegen {
namespace {

using ir::KernelClauses;

/// The most sums of a thread times leaves of a stage that are unrolled.
constexpr std::int64_t max_unrolled = 4096;
/// Threads of a multiprocessor that may all have the most registers.
constexpr std::int64_t threads_with_all_registers = 256;

class StatedTile {
 public:
  StatedTile(const KernelClauses& clauses, const Tile& tile, const std::vector<TileShape>& usual, std::int64_t words,
             std::int64_t most_bytes)
      : clauses_(clauses), tile_(tile), usual_(usual), words_(words), most_bytes_(most_bytes) {}

  Expected<Tile> run() {
    if (auto problem = choose_sides()) return *problem;
    if (auto problem = choose_depth()) return *problem;
    const auto& [tile, values, threads, blocks] = clauses_;
    if (values) {
      tile_.row_values = values->rows.layout;
      tile_.column_values = values->columns.layout;
    }
    if (threads) tile_.arrangement = threads->layout;
    const std::int64_t sums = tile_.thread_rows * tile_.thread_columns;
    if (sums * words_ > max_registers) {
      const SourceSpan place = values ? values->span : clauses_.span();
      return ir::unmet(place,
                       fmt::format("a thread has {} registers, and {} sums of {} bytes do not fit in them",
                                   max_registers, sums, 4 * words_),
                       "for example `values(8, 4)`, or a smaller tile");
    }
    tile_.unrolled = tile_.unrolled && sums * tile_.depth <= max_unrolled;
    if (!is_usual()) {
      tile_.blocks =
          static_cast<std::uint32_t>(std::max<std::int64_t>(1, threads_with_all_registers / tile_.threads()));
    }
    if (blocks) tile_.blocks = static_cast<std::uint32_t>(blocks->count);
    return tile_;
  }

 private:
  bool is_usual() const {
    return std::any_of(usual_.begin(), usual_.end(), [&](const TileShape& shape) {
      return shape.rows == tile_.rows && shape.columns == tile_.columns && shape.thread_rows == tile_.thread_rows &&
             shape.thread_columns == tile_.thread_columns && shape.blocks == tile_.blocks;
    });
  }

  /// Whether a thread's part and the tile go together, and with what is stated.
  bool goes(std::int64_t rows, std::int64_t columns, std::int64_t thread_rows, std::int64_t thread_columns) const {
    if (rows % thread_rows != 0 || columns % thread_columns != 0) return false;
    const std::int64_t down = rows / thread_rows, across = columns / thread_columns, threads = down * across;
    if (!is_block(threads)) return false;
    if (thread_rows * thread_columns * words_ > max_registers && !clauses_.values) return false;
    if (const auto& stated = clauses_.threads) {
      if (stated->count != threads) return false;
      if (stated->layout && (stated->layout->mode(0).size() != down || stated->layout->mode(1).size() != across)) {
        return false;
      }
    }
    if (const auto& values = clauses_.values) return fills(values->rows, rows) && fills(values->columns, columns);
    return true;
  }
  static bool fills(const KernelClauses::Side& side, std::int64_t extent) {
    if (!side.layout) return true;
    const auto rest = layout::complement(*side.layout, layout::IntTuple(extent));
    return rest && rest->size() * side.count == extent;
  }

  bool take(std::int64_t rows, std::int64_t columns, std::int64_t thread_rows, std::int64_t thread_columns) {
    if (!goes(rows, columns, thread_rows, thread_columns)) return false;
    tile_.rows = rows;
    tile_.columns = columns;
    tile_.thread_rows = thread_rows;
    tile_.thread_columns = thread_columns;
    return true;
  }

  std::optional<Diagnostic> choose_sides() {
    const auto& [tile, values, threads, blocks] = clauses_;
    const bool arranged = threads && threads->layout;
    const std::int64_t down = arranged ? threads->layout->mode(0).size() : 0;
    const std::int64_t across = arranged ? threads->layout->mode(1).size() : 0;
    // The tile stays as it is, unless it is stated or follows from what is stated.
    std::vector<std::pair<std::int64_t, std::int64_t>> tiles, parts;
    if (tile) {
      tiles = {{tile->rows, tile->columns}};
    } else if (values && arranged) {
      tiles = {{down * values->rows.count, across * values->columns.count}};
    } else {
      tiles = {{tile_.rows, tile_.columns}};
      for (const TileShape& shape : usual_) tiles.emplace_back(shape.rows, shape.columns);
    }
    if (values) {
      parts = {{values->rows.count, values->columns.count}};
    } else {
      parts = {{tile_.thread_rows, tile_.thread_columns}};
      for (const TileShape& shape : usual_) parts.emplace_back(shape.thread_rows, shape.thread_columns);
      for (const auto& part :
           {std::pair{8, 8}, {8, 4}, {4, 8}, {4, 4}, {16, 4}, {4, 2}, {2, 4},  {16, 8}, {2, 2}, {12, 8}, {6, 8},
            {8, 6},          {6, 4}, {4, 6}, {2, 1}, {1, 2},  {1, 1}, {16, 2}, {3, 3},  {1, 4}, {4, 1}}) {
        parts.emplace_back(part);
      }
    }
    for (const auto& [rows, columns] : tiles) {
      if (arranged && !values) {
        if (rows % down == 0 && columns % across == 0 && take(rows, columns, rows / down, columns / across)) return {};
        continue;
      }
      for (const TileShape& shape : usual_) {
        const bool same = shape.rows == rows && shape.columns == columns && !values;
        if (same && take(rows, columns, shape.thread_rows, shape.thread_columns)) return {};
      }
      for (const auto& [thread_rows, thread_columns] : parts) {
        if (take(rows, columns, thread_rows, thread_columns)) return {};
      }
    }
    return no_tile();
  }

  Diagnostic no_tile() const {
    const auto& [tile, values, threads, blocks] = clauses_;
    if (tile) {
      return ir::unmet(
          tile->span,
          threads ? fmt::format("no way is known to share {} x {} outputs out among {} threads", tile->rows,
                                tile->columns, threads->count)
                  : fmt::format("no way is known to share {} x {} outputs out among a block's threads", tile->rows,
                                tile->columns),
          "say how many are a thread's: `values(4, 4)`; there is a multiple of 32 threads, and 1024 at most");
    }
    return ir::unmet(clauses_.span(), "no usual tile goes with this", "state the tile, too: `tile(64, 64, 16)`");
  }

  /// Can the threads share out the reading of a stage, each as much as the others?
  bool shared_out(std::int64_t depth) const {
    return tile_.rows * depth % tile_.threads() == 0 && tile_.columns * depth % tile_.threads() == 0;
  }

  std::optional<Diagnostic> choose_depth() {
    const auto& tile = clauses_.tile;
    if (tile && tile->depth > 0) {
      tile_.depth = tile->depth;
      // A stage that does not fit with one byte for each element is refused here; shared_memory_problem finds the
      // others after lowering.
      if (const std::int64_t elements = 2 * tile_.depth * (tile_.rows + tile_.columns); elements > most_bytes_) {
        return no_room_in_shared_memory(tile->span, elements * bytes(), most_bytes_);
      }
      if (shared_out(tile_.depth)) return std::nullopt;
      const std::int64_t side = tile_.rows * tile_.depth % tile_.threads() != 0 ? tile_.rows : tile_.columns;
      return ir::unmet(tile->span,
                       fmt::format("a stage has {} x {} elements of one operand, which {} threads cannot share evenly",
                                   side, tile_.depth, tile_.threads()),
                       "choose a depth with which the product is a multiple of the threads");
    }
    for (const std::int64_t depth : {tile_.depth, std::int64_t{16}, std::int64_t{8}, std::int64_t{32}, std::int64_t{4},
                                     std::int64_t{24}, std::int64_t{12}, std::int64_t{64}}) {
      if (!shared_out(depth) || (tile_.rows + tile_.columns) * depth * 2 * bytes() > max_shared_bytes) continue;
      tile_.depth = depth;
      return std::nullopt;
    }
    return ir::unmet(clauses_.span(),
                     fmt::format("no depth is known for a tile of {} x {} and {} threads", tile_.rows, tile_.columns,
                                 tile_.threads()),
                     "state one: `tile(64, 64, 16)`");
  }
  /// Bytes of an element of an operand, approximately.
  std::int64_t bytes() const { return 4 * words_; }

  const KernelClauses& clauses_;
  Tile tile_;
  const std::vector<TileShape>& usual_;
  std::int64_t words_, most_bytes_;
};

}  // namespace

Expected<Tile> fitted_tile(const KernelClauses& clauses, const Tile& tile, const std::vector<TileShape>& usual,
                           std::int64_t words, std::int64_t most_bytes) {
  return StatedTile(clauses, tile, usual, words, most_bytes).run();
}

layout::Layout default_arrangement(std::int64_t rows, std::int64_t columns) {
  using layout::IntTuple;
  // If possible, a warp's threads form 4 rows and 8 columns, so that they read few different parts of both sides.
  for (const std::int64_t side : {8, 4, 16, 2, 32, 1}) {
    if (columns % side != 0 || rows % (warp / side) != 0) continue;
    const std::int64_t down = warp / side;
    return *layout::Layout::make(IntTuple(std::vector<IntTuple>{std::vector<IntTuple>{down, rows / down},
                                                                std::vector<IntTuple>{side, columns / side}}),
                                 IntTuple(std::vector<IntTuple>{std::vector<IntTuple>{side, warp * (columns / side)},
                                                                std::vector<IntTuple>{1, warp}}));
  }
  return *layout::Layout::make(IntTuple(std::vector<IntTuple>{rows, columns}),
                               IntTuple(std::vector<IntTuple>{columns, 1}));
}

}  // namespace reckon::codegen
