#include "codegen/strategies/tiles/tile_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/place/place.h"
#include "codegen/place/sides.h"
#include "codegen/strategies/tiles/stated_tile.h"
#include "ir/op.h"

namespace reckon::codegen {
namespace {

using ir::NodeId;
using ir::Op;
using ir::VariableId;

/// So many large tiles keep the multiprocessors of a chip busy.
constexpr std::int64_t enough_tiles(const kernel::Gpu& gpu) { return std::int64_t{gpu.multiprocessors} * 3 / 2; }

constexpr Reason few_outputs{"the results have a side of {have}, and {need} are worth it"};

constexpr std::int64_t narrow_side = 16;

/// Tiles on tensor cores of f64: warps of 64 x 32, 32 x 32, 32 x 16 and 16 x 16 results.
constexpr TileShape f64_shapes[] = {{128, 128, 8, 8, 8, 1}, {128, 64, 8, 8, 8, 2}, {128, 64, 16, 8, 8, 2},
                                    {128, 64, 16, 4, 8, 2}, {64, 64, 16, 4, 8, 3}, {64, 64, 8, 4, 8, 3},
                                    {64, 64, 16, 4, 4, 2},  {64, 32, 16, 4, 4, 4}, {64, 32, 32, 4, 4, 4},
                                    {32, 64, 16, 4, 4, 4},  {32, 32, 16, 2, 4, 8}, {32, 32, 32, 2, 4, 8}};
/// A warp has whole instructions, and a stage whole groups of leaves.
constexpr bool fits_mma_f64(const TileShape& shape) {
  using kernel::MmaF64;
  constexpr std::int64_t down = MmaF64::rows_apart, across = MmaF64::columns / MmaF64::together;
  return shape.thread_rows % 2 == 0 && shape.thread_columns % MmaF64::together == 0 &&
         shape.rows % (shape.thread_rows * down) == 0 && shape.columns % (shape.thread_columns * across) == 0 &&
         shape.depth % MmaF64::leaves == 0;
}
static_assert(std::ranges::all_of(f64_shapes, fits_mma_f64));

void set_shape(Tile& tile, const TileShape& shape) { static_cast<TileShape&>(tile) = shape; }

/// The tile with that shape on tensor cores: a thread has the results of a warp's instructions that are its own, of
/// each of them two rows and two columns. So its first column is the first one of its warp and twice its number in a
/// group of four (multiply_f64.cpp).
void set_f64_shape(Tile& tile, const TileShape& shape) {
  using layout::IntTuple, layout::Layout, kernel::MmaF64;
  using Sides = std::vector<IntTuple>;
  set_shape(tile, shape);
  tile.mma_f64 = tile.unrolled = true;
  constexpr std::int64_t down = MmaF64::rows_apart, across = MmaF64::columns / MmaF64::together;
  const std::int64_t warps_down = shape.rows / shape.thread_rows / down;
  const std::int64_t warps_across = shape.columns / shape.thread_columns / across;
  tile.arrangement = *Layout::make(IntTuple(Sides{Sides{down, warps_down}, Sides{across, warps_across}}),
                                   IntTuple(Sides{Sides{across, warp * warps_across}, Sides{1, warp}}));
  tile.row_values = *Layout::make(IntTuple(shape.thread_rows), IntTuple(MmaF64::rows_apart));
  tile.column_values = *Layout::make(IntTuple(Sides{MmaF64::together, shape.thread_columns / MmaF64::together}),
                                     IntTuple(Sides{1, MmaF64::columns}));
}

/// The tile without tensor cores, and with the usual shares of threads.
void leave_f64_cores(Tile& tile) {
  tile.mma_f64 = false;
  tile.arrangement = tile.row_values = tile.column_values = std::nullopt;
}

/// Chooses a fold's tile, if it is to have one.
class TileChoice {
 public:
  TileChoice(ir::Module& module, const KernelBody& body, const TileTarget& target, bool stated)
      : module_(module), body_(body), target_(target), gpu_(target.gpu), stated_(stated), node_(module[body.node]) {}

  /// Nothing: the decision says why, or no part of a leaf serves several outputs, so that the fold is no product.
  std::optional<Tile> choose(std::int64_t run, Decision& decision) {
    const auto refuse = [&](const Reason& reason, std::int64_t have = 0, std::int64_t need = 0) {
      decision.refuse(tiles_name, reason, have, need);
      return std::nullopt;
    };
    const auto length = module_.indices().as_constant(node_.indices[0]);
    if (!length || *length > run) tile_.run = run;
    if (body_.space.size() < 2) return std::nullopt;
    if (!module_.indices().variables(node_.indices[0]).empty()) return refuse(reason::length_varies);
    if (length && *length < min_tile_length && !stated_) return refuse(reason::few_leaves, *length, min_tile_length);
    if (is_small(body_.space.size() - 1)) {
      return refuse(few_outputs, *extent(body_.space.size() - 1), least_side());
    }
    std::optional<std::size_t> small;
    // The rows are those of the innermost dimension that makes it a product.
    for (std::size_t row = body_.space.size() - 1; row-- > 0;) {
      if (!reads_by_sides(row)) continue;
      if (is_small(row)) {
        small = row;
        continue;
      }
      tile_.row_binder = row;
      if (choose_shape() || stated_) return tile_;
      return refuse(reason::no_room, shared_bytes(), max_shared_bytes);
    }
    if (small) return refuse(few_outputs, *extent(*small), least_side());
    return std::nullopt;
  }

  Expected<Tile> obey(const ir::KernelClauses& clauses, const Tile& chosen) {
    tile_ = chosen;
    if (tile_.mma_f64) leave_f64_cores(tile_);
    const std::int64_t words = std::max<std::int64_t>(1, bytes_of(node_.operands[0]) / 4);
    return fitted_tile(clauses, tile_, shapes(), words, gpu_.max_shared_bytes());
  }

 private:
  std::optional<std::int64_t> extent(std::size_t binder) const {
    return module_.indices().as_constant(body_.space[binder].extent);
  }
  bool is_small(std::size_t binder) const { return !stated_ && extent(binder).value_or(min_tile_side) < least_side(); }

  /// Rows and columns below which a thread for each output does as well. Narrow tiles are worth it for long sums of
  /// f32s (an H200, 16 x 4096 results of 4096 leaves: 78 us, and 139 with staged lists; 777 x 31 of 3000: 36 us and
  /// 98).
  std::int64_t least_side() const {
    constexpr std::int64_t long_sum = 512, many_results = 16384;
    if (tile_.run > 0 || widest() > 4 || is_long() || has_many_parts()) return min_tile_side;
    const auto length = module_.indices().as_constant(node_.indices[0]);
    const auto results = known_product(module_, extents_of(body_.space));
    return length && *length >= long_sum && results && *results >= many_results ? narrow_side : min_tile_side;
  }

  bool reads_by_sides(std::size_t row) {
    auto sides = sides_of(module_, body_, row);
    if (!sides) return false;
    tile_.of_rows = std::move(sides->of_rows);
    tile_.of_columns = std::move(sides->of_columns);
    return true;
  }

  /// Bytes of a value in registers, approximately: intervals and rings have 16 bytes for a number.
  std::int64_t bytes_of(NodeId id) const {
    std::int64_t bytes = 0;
    for (ir::Scalar scalar : scalars_of(module_, module_[id].type)) {
      bytes += target_.in_words ? 16 : ir::byte_width(scalar) == 8 ? 8 : 4;
    }
    return bytes;
  }

  /// Each part of the leaf has room for two stages: one is read while the next is written.
  std::int64_t shared_bytes() const {
    std::int64_t bytes = 0;
    for (NodeId id : tile_.of_rows) bytes += (tile_.rows * bytes_of(id) + 16) * tile_.depth;
    for (NodeId id : tile_.of_columns) bytes += (tile_.columns * bytes_of(id) + 16) * tile_.depth;
    return 2 * bytes;
  }

  /// How many tiles of the shape there are, if it is known.
  std::optional<std::int64_t> tiles() {
    std::int64_t tiles = 1;
    if (tile_.run > 0) {
      const auto count = module_.indices().as_constant(runs_of(module_, body_, tile_));
      if (!count) return std::nullopt;
      tiles = *count;
    }
    for (std::size_t d = 0; d < body_.space.size(); ++d) {
      const auto known = extent(d);
      if (!known) return std::nullopt;
      const std::int64_t side = d == tile_.row_binder ? tile_.rows : d + 1 == body_.space.size() ? tile_.columns : 1;
      if (__builtin_mul_overflow(tiles, (*known + side - 1) / side, &tiles)) return std::nullopt;
    }
    return tiles;
  }
  /// Is it known that there are few tiles of the shape?
  bool is_few() {
    const auto known = tiles();
    return known && *known < enough_tiles(gpu_);
  }

  /// Tiles for at most 16 rows or columns.
  void make_narrow() {
    const auto rows = extent(tile_.row_binder), columns = extent(body_.space.size() - 1);
    const auto leave_idle = [&] {
      const auto known = tiles();
      return !known || *known < gpu_.multiprocessors;
    };
    if (rows && *rows <= narrow_side) {
      set_shape({16, 64, 32, 4, 4, 8});
      if (leave_idle()) set_shape({16, 32, 64, 2, 2, 4});
    } else if (columns && *columns <= narrow_side) {
      set_shape({64, 16, 32, 4, 4, 8});
      if (leave_idle()) set_shape({32, 16, 64, 2, 2, 4});
    }
  }

  /// Takes smaller tiles where there are fewer than multiprocessors, and again where there are fewer than half as many.
  /// Square products on an H200, in us: f32 of 256 with 16 x 32 places 3.6, with 32 x 32 5.3, with 64 x 64 14.0; of 512
  /// with 32 x 32 12.0, with 64 x 64 26.9; of 704 with 64 x 32 26.6, with 64 x 64 36.0. f64 of 256 9.4 and 17.5, of 512
  /// 25.3 and 33.4, but of 640 59 and 43. 33 x 4097 results of 1025 leaves with 16 x 32 places, fewer of which are no
  /// results, 27.3, with 32 x 32 30.5.
  void keep_busy() {
    const auto leave_half_idle = [&] {
      const auto known = tiles();
      return known && 2 * *known <= gpu_.multiprocessors + 1;
    };
    if (widest() > 8 || is_long() || has_many_parts()) return;
    if (leave_half_idle()) {
      set_shape({32, 32, 16, 4, 4, 8});
      if (widest() > 4) return;
      if (leave_half_idle()) set_shape({16, 32, 32, 2, 2, 8});
      else if (wastes({32, 32, 16, 4, 4, 8}, {16, 32, 32, 2, 4, 8}, 0.8)) set_shape({16, 32, 32, 2, 4, 8});
    } else if (const auto known = tiles(); widest() <= 4 && known && *known < gpu_.multiprocessors) {
      set_shape({64, 32, 16, 8, 4, 8});
    }
  }

  /// Is it known that one tile of the shape has all rows and columns?
  bool is_within(const TileShape& shape) const {
    const auto rows = extent(tile_.row_binder), columns = extent(body_.space.size() - 1);
    return rows && columns && *rows <= shape.rows && *columns <= shape.columns;
  }

  /// The share of the tiles' places that are results, if it is known.
  double share_of_results(const TileShape& shape) const {
    const auto rows = extent(tile_.row_binder), columns = extent(body_.space.size() - 1);
    if (!rows || !columns) return 1;
    return share_of_places(*rows, shape.rows) * share_of_places(*columns, shape.columns);
  }

  /// Whether small tiles have so many fewer places beyond the last row and column that they do better.
  bool wastes(const TileShape& large, const TileShape& small, double worth_it = 0.75) const {
    return share_of_results(large) < worth_it * share_of_results(small);
  }

  void set_shape(const TileShape& shape) { codegen::set_shape(tile_, shape); }

  bool has_many_parts() const { return tile_.of_rows.size() + tile_.of_columns.size() > 2; }

  /// Bytes of a sum, or of the widest part of a leaf.
  std::int64_t widest() const {
    std::int64_t widest = bytes_of(node_.operands[0]);
    for (const auto& parts : {tile_.of_rows, tile_.of_columns}) {
      for (NodeId id : parts) widest = std::max(widest, bytes_of(id));
    }
    return widest;
  }

  /// Whether an fma takes many instructions: it does if it is rounded to fewer bits than f32 has.
  bool is_long() const {
    const ir::Scalar scalar = scalars_of(module_, module_[body_.node].type)[0];
    return body_.fused && scalar != ir::Scalar::f32 && scalar != ir::Scalar::f64;
  }

  /// The shapes whose outputs and parts of leaves fit in registers, the larger one first (measured on an H200: two
  /// blocks of 128 threads on a multiprocessor, 128 sums of f32 in a thread).
  std::vector<TileShape> shapes() const {
    if (widest() <= 4 && !has_many_parts() && !is_long()) return {{128, 128, 16, 16, 8, 2}, {64, 64, 16, 8, 8, 4}};
    if (widest() <= 8 && !is_long()) return {{128, 64, 8, 8, 8, 2}, {64, 64, 8, 8, 4, 3}};
    if (widest() <= 8) return {{64, 64, 16, 4, 4, 2}};
    return {{32, 32, 8, 4, 4, 4}};
  }

  /// Whether tensor cores join the leaves as the fold does: f64s, each the product of one part of the row and one of
  /// the column, by fma.
  bool fits_f64_cores() const {
    if (target_.has_clauses || !target_.fuses_on_tensor_cores || gpu_.f64_tensor_operations_per_second == 0)
      return false;
    if (!body_.fused || body_.part_of || tile_.of_rows.size() != 1 || tile_.of_columns.size() != 1) return false;
    const NodeId x = tile_.of_rows[0], y = tile_.of_columns[0];
    const ir::Node& leaf = module_[node_.operands[0]];
    const bool is_product = leaf.op == Op::mul && ((leaf.operands[0] == x && leaf.operands[1] == y) ||
                                                   (leaf.operands[0] == y && leaf.operands[1] == x));
    const auto is_f64 = [&](NodeId id) {
      const auto& type = module_[id].type;
      return scalars_of(module_, type) == std::vector{ir::Scalar::f64};
    };
    return is_product && is_f64(node_.operands[0]) && is_f64(x) && is_f64(y);
  }

  /// Products of f64 on an H200, in us: 1024 x 1024 x 1024 with 64 x 64 places 55, with 64 x 32 87; 128 x 4096 x 4096
  /// 324, with 32 x 64 172, with 32 x 32 200; 512 x 512 x 512 20.9, 11.8 and 14.5; 256 x 256 x 256 11.0, 6.4 and 5.9.
  void choose_f64_shape() {
    set_f64_shape(tile_, {64, 64, 8, 4, 8, 3});
    if (const auto known = tiles(); !known || *known >= gpu_.multiprocessors) return;
    set_f64_shape(tile_, {32, 64, 16, 4, 4, 4});
    if (2 * *tiles() < gpu_.multiprocessors) set_f64_shape(tile_, {32, 32, 16, 2, 4, 8});
  }

  bool choose_shape() {
    if (fits_f64_cores()) {
      choose_f64_shape();
      return true;
    }
    const std::vector<TileShape> all = shapes();
    tile_.unrolled = all.size() > 1;
    set_shape(all.front());
    const bool small = has_many_parts() || is_few() || is_within(all.back()) || wastes(all.front(), all.back()) ||
                       shared_bytes() > max_shared_bytes;
    if (all.size() > 1 && small) {
      set_shape(all.back());
      keep_busy();
    }
    if (least_side() == narrow_side) make_narrow();
    return shared_bytes() <= max_shared_bytes;
  }

  ir::Module& module_;
  const KernelBody& body_;
  const TileTarget& target_;
  const kernel::Gpu& gpu_;
  bool stated_;
  ir::Node node_;
  Tile tile_;
};

}  // namespace

ir::IndexId runs_of(ir::Module& module, const KernelBody& fold, const Tile& tile) {
  ir::IndexStore& indices = module.indices();
  const ir::IndexId length = indices.add(module[fold.node].indices[0], indices.constant(tile.run - 1));
  return indices.floor_div(length, indices.constant(tile.run));
}

std::optional<Tile> choose_tile(ir::Module& module, const KernelBody& fold, const TileTarget& target, std::int64_t run,
                                bool stated, Decision& decision) {
  return TileChoice(module, fold, target, stated).choose(run, decision);
}

Expected<Tile> stated_tile(ir::Module& module, const KernelBody& fold, const TileTarget& target, const Tile& chosen,
                           const ir::KernelClauses& clauses) {
  return TileChoice(module, fold, target, true).obey(clauses, chosen);
}

Tile tile_of_choices(ir::Module& module, const KernelBody& fold, const TileTarget& target, const Tile& usual,
                     std::string_view kernel, Choices& choices) {
  static constexpr TileShape shapes[] = {{128, 128, 16, 16, 8, 2}, {256, 64, 16, 16, 8, 2}, {128, 64, 16, 8, 8, 4},
                                         {64, 128, 16, 8, 8, 4},   {64, 64, 16, 8, 8, 4},   {64, 64, 32, 8, 8, 4},
                                         {128, 64, 8, 8, 8, 2},    {64, 64, 8, 8, 4, 3},    {64, 64, 16, 4, 4, 2},
                                         {32, 64, 16, 4, 8, 8},    {64, 32, 16, 8, 4, 8},   {32, 32, 16, 4, 4, 8},
                                         {32, 32, 8, 4, 4, 4},     {16, 32, 32, 2, 4, 8},   {16, 64, 32, 4, 4, 8},
                                         {16, 32, 64, 2, 4, 8},    {64, 16, 32, 4, 4, 8},   {32, 16, 64, 4, 2, 8},
                                         {32, 32, 32, 4, 4, 8},    {16, 32, 32, 2, 2, 8},   {16, 32, 64, 2, 2, 4},
                                         {16, 64, 64, 4, 4, 4},    {32, 16, 64, 2, 2, 4},   {32, 32, 64, 4, 4, 4}};
  const auto text = [](const Tile& tile) {
    return fmt::format("{}x{}x{}:{}x{}{}", tile.rows, tile.columns, tile.depth, tile.thread_rows, tile.thread_columns,
                       tile.mma_f64 ? ":mma" : "");
  };
  Ways<Tile> ways(usual, text(usual));
  if (usual.mma_f64) {
    for (const TileShape& shape : f64_shapes) {
      Tile tile = usual;
      set_f64_shape(tile, shape);
      ways.add(tile, text(tile));
    }
  }
  for (const TileShape& shape : shapes) {
    ir::KernelClauses clauses;
    clauses.tile = {.rows = shape.rows, .columns = shape.columns, .depth = shape.depth, .span = {}};
    clauses.values = {.rows = {.count = shape.thread_rows}, .columns = {.count = shape.thread_columns}, .span = {}};
    clauses.blocks = {.count = shape.blocks, .span = {}};
    if (const auto tile = stated_tile(module, fold, target, usual, clauses)) ways.add(*tile, text(*tile));
  }
  return ways.take(choices, fmt::format("{}.tile", kernel));
}

}  // namespace reckon::codegen
