#include "codegen/place/kernel_clauses.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "codegen/place/place.h"
#include "layout/complement.h"

namespace reckon::codegen {
namespace {

using ir::KernelClauses;
using Kind = KernelBody::Kind;
using Spread = KernelBody::Spread;

/// Sums of a thread times leaves of a stage that are written out one after the other, at most.
constexpr std::int64_t max_unrolled = 4096;
/// Threads of a multiprocessor that may all have the most registers.
constexpr std::int64_t threads_with_all_registers = 256;

bool is_block(std::int64_t threads) { return threads >= 1 && threads <= max_block_threads && threads % warp == 0; }

std::optional<Diagnostic> too_many_resident(const KernelClauses::Blocks& blocks, std::int64_t threads) {
  const std::int64_t resident = blocks.count * threads;
  if (resident <= max_resident_threads) return std::nullopt;
  return ir::unmet(blocks.span,
                   fmt::format("{} blocks of {} threads are {}, more than a multiprocessor has", blocks.count, threads,
                               resident),
                   fmt::format("it has {} at most", max_resident_threads));
}

Diagnostic no_room(SourceSpan place, std::int64_t bytes) {
  return ir::unmet(
      place, fmt::format("two stages take {} bytes of shared memory, and a block has {}", bytes, max_shared_bytes),
      "a smaller depth or a smaller tile takes less");
}

class StatedTile {
 public:
  StatedTile(const KernelClauses& clauses, const Tile& tile, const std::vector<TileShape>& usual, std::int64_t words)
      : clauses_(clauses), tile_(tile), usual_(usual), words_(words) {}

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
    if (blocks) {
      if (auto problem = too_many_resident(*blocks, tile_.threads())) return *problem;
      tile_.blocks = static_cast<std::uint32_t>(blocks->count);
    }
    return tile_;
  }

 private:
  bool is_usual() const {
    return std::any_of(usual_.begin(), usual_.end(), [&](const TileShape& shape) {
      return shape.rows == tile_.rows && shape.columns == tile_.columns && shape.thread_rows == tile_.thread_rows &&
             shape.thread_columns == tile_.thread_columns && shape.blocks == tile_.blocks;
    });
  }

  /// Would a thread's part and the tile go together, and with what is stated?
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
    // The tile as it is, unless it is stated, or follows.
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
      // What does not fit with a byte for each element is not worth lowering; the rest is seen then
      // (shared_memory_problem).
      if (const std::int64_t elements = 2 * tile_.depth * (tile_.rows + tile_.columns); elements > max_shared_bytes) {
        return no_room(tile->span, elements * bytes());
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
  /// Of an element of an operand, about.
  std::int64_t bytes() const { return 4 * words_; }

  const KernelClauses& clauses_;
  Tile tile_;
  const std::vector<TileShape>& usual_;
  std::int64_t words_;
};

/// What the kernels are that clauses may be about.
struct Heads {
  std::vector<std::size_t> tiles, others;
};

Heads heads_of(const Planned& planned) {
  Heads out;
  for (std::size_t k = 0; k < planned.bodies.size(); ++k) {
    const KernelBody& body = planned.bodies[k];
    if (body.follows) continue;
    if (body.spread == Spread::tiles) out.tiles.push_back(k);
    else if (body.spread == Spread::blocks || body.spread == Spread::grid || body.spread == Spread::columns) {
      out.others.push_back(k);
    }
  }
  return out;
}

SourceSpan span_of(const ir::Module& module, const KernelBody& body) {
  for (const KernelBody& step : body.steps) {
    if (step.kind == Kind::fold) return module.span(step.node);
  }
  return module.span(body.node);
}

Diagnostic several(const ir::Module& module, const Planned& planned, const std::vector<std::size_t>& heads) {
  const KernelClauses& clauses = planned.clauses;
  Diagnostic out =
      ir::unmet(clauses.span(), fmt::format("the circuit has {} kernels that this could be about", heads.size()),
                "make a circuit of one of them, and a kernel of that");
  for (std::size_t k : heads) out.secondary.push_back({span_of(module, planned.bodies[k]), "one of them"});
  return out;
}

Diagnostic nothing_tiled(const ir::Module& module, const Planned& planned) {
  Diagnostic out = ir::unmet(planned.clauses.span(), "nothing in the circuit is carried out by tiles",
                             "a sum over rows and columns, `for i, j: sum l: a[i, l] * b[l, j] by fused(seq)`, is");
  for (const KernelBody& body : planned.bodies) {
    if (body.kind != Kind::fold || body.space.size() < 2) continue;
    const ir::ScheduleId order = module.reduction_of(body.node).schedule;
    if (module.schedules()[order].op == ir::ScheduleOp::seq) continue;
    out.secondary.push_back(
        {module.span(body.node), fmt::format("is folded by `{}`", ir::schedule_text(module, order))});
    const bool in_runs = module.schedules().operations(order).contains(ir::ScheduleOp::tile);
    out.notes.emplace_back(in_runs
                               ? "runs, `tile(k, seq) then S`, are carried out by tiles if they are 64 at most, or if "
                                 "their number is not known and k is 512 at least"
                               : "each output of a tile is one chain of one thread: `seq`, `fused(seq)`, or runs of "
                                 "them, `tile(k, seq) then S`");
    break;
  }
  return out;
}

/// The row kernel, or the reduction, that the clauses are about.
std::optional<Diagnostic> obey(Planned& planned, std::size_t k) {
  const KernelClauses& clauses = planned.clauses;
  KernelBody& head = planned.bodies[k];
  if (head.spread == Spread::columns) {
    return ir::unmet(
        clauses.span(), "a kernel of columns has the threads that its columns want",
        "rows and single reductions take `threads` and `blocks`, matrix products `tile` and `values`, too");
  }
  const auto count = clauses.threads ? clauses.threads->count : 0;
  if (count > 0 && !std::has_single_bit(static_cast<std::uint64_t>(count))) {
    return ir::unmet(clauses.threads->span, fmt::format("{} threads do not share a row evenly", count),
                     "a power of two does: 32, 64, 128, 256, 512, 1024");
  }
  Kernel& kernel = planned.plan.kernels[k];
  if (count > 0) kernel.threads = static_cast<std::uint32_t>(count);
  if (!clauses.blocks) return std::nullopt;
  head.blocks = static_cast<std::uint32_t>(clauses.blocks->count);
  return too_many_resident(*clauses.blocks, kernel.threads);
}

}  // namespace

std::optional<Diagnostic> refused_clause(const KernelClauses& clauses) {
  const auto& [tile, values, threads, blocks] = clauses;
  if (values && values->rows.count * values->columns.count > max_registers) {
    return ir::unmet(values->span,
                     fmt::format("a thread has {} registers, and {} outputs do not fit in them", max_registers,
                                 values->rows.count * values->columns.count),
                     "for example `values(8, 8)`, or `values(16, 8)`");
  }
  if (threads && !is_block(threads->count)) {
    return ir::unmet(threads->span, fmt::format("no block has {} threads", threads->count),
                     "they come in warps of 32, and a block has 1024 at most: 32, 64, 96, ..., 1024");
  }
  if (blocks && blocks->count > max_resident_blocks) {
    return ir::unmet(blocks->span, fmt::format("no multiprocessor has {} blocks at a time", blocks->count),
                     fmt::format("it has 1 to {} of them", max_resident_blocks));
  }
  std::int64_t count = threads ? threads->count : 0;
  if (tile && values) {
    const std::int64_t down = tile->rows / values->rows.count, across = tile->columns / values->columns.count;
    count = down * across;
    if (!is_block(count)) {
      return ir::unmet(tile->span, fmt::format("its {} x {} parts would be those of {} threads", down, across, count),
                       "a block has a multiple of 32 threads, and 1024 at most: another `tile`, or other `values`");
    }
  }
  return blocks ? too_many_resident(*blocks, count) : std::nullopt;
}

Expected<Tile> fitted_tile(const KernelClauses& clauses, const Tile& tile, const std::vector<TileShape>& usual,
                           std::int64_t words) {
  return StatedTile(clauses, tile, usual, words).run();
}

layout::Layout default_arrangement(std::int64_t rows, std::int64_t columns) {
  using layout::IntTuple;
  // 8 columns of a warp's threads and 4 rows: few different parts of both sides are read.
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

std::optional<Diagnostic> apply_clauses(const ir::Module& module, Planned& planned) {
  if (planned.clauses.empty()) return std::nullopt;
  Heads heads = heads_of(planned);
  std::vector<std::size_t> all = heads.tiles;
  if (!planned.clauses.needs_tile()) all.insert(all.end(), heads.others.begin(), heads.others.end());
  if (all.size() > 1) return several(module, planned, all);
  if (planned.refused) return planned.refused;
  if (all.empty() && planned.clauses.needs_tile()) return nothing_tiled(module, planned);
  if (all.empty()) {
    return ir::unmet(planned.clauses.span(), "no kernel of the circuit shares work within a block",
                     "threads are stated for rows, single reductions and matrix products (docs/kernels.md)");
  }
  return heads.tiles.empty() ? obey(planned, all[0]) : std::nullopt;
}

std::optional<Diagnostic> shared_memory_problem(const Planned& planned) {
  if (planned.clauses.empty()) return std::nullopt;
  for (const Kernel& kernel : planned.plan.kernels) {
    if (kernel.shared_bytes > max_shared_bytes) return no_room(planned.clauses.span(), kernel.shared_bytes);
  }
  return std::nullopt;
}

}  // namespace reckon::codegen
