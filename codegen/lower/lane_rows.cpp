// `lanes(k, seq)` and `lanes(k, tree)` on the host: whole rows of k leaves side by side, which LLVM turns into vector
// instructions. Row r holds leaves r * k .. r * k + k - 1; lane l of every row belongs to lane l of the stage. Rows are
// folded like single nodes, one after the other: partial results stay in the cache, and memory is read in order, which
// is worth more than keeping several rows in registers (measured: 23 GB/s against 10). The last row may be short.
#include "codegen/lower/lane_rows.h"

#include <algorithm>
#include <bit>

#include "codegen/lower/folds.h"

namespace reckon::codegen {

using ir::ScheduleOp;

namespace {

constexpr std::int64_t max_lanes = 1024;
constexpr std::int64_t wide = 64;        // from so many lanes on, their loop need not be unrolled
constexpr std::int64_t row_levels = 48;  // enough for 2^48 rows
constexpr std::int64_t rows_together = 8;  // whose tree is in registers, a power of two
constexpr std::int64_t max_stack_bytes = 256 * 1024;
constexpr std::int64_t max_function_bytes = 1024 * 1024;  // limit for all stack arrays of the function

}  // namespace

LaneRows::LaneRows(Folds& folds, Joins& joins, TreeFolds& trees) : LoweringParts(folds, joins), trees_(trees) {}

bool LaneRows::applies(const FoldSite& site, ir::ScheduleId inner, const Slice& slice, Value size) const {
  if (w_.target() != Target::host || slice.list->kind != List::Kind::leaves || site.fuses) return false;
  const ScheduleOp op = module_.schedules()[inner].op;
  const auto lanes = w_.known(size);
  if ((op != ScheduleOp::seq && op != ScheduleOp::tree) || !lanes || *lanes < 2 || *lanes > max_lanes) return false;
  std::int64_t bytes = 0;
  for (Type type : site.state) bytes += std::max<std::int64_t>(w_.bytes_of(type), 4);
  const std::int64_t needed = *lanes * bytes * (op == ScheduleOp::seq ? 1 : row_levels);
  return needed <= max_stack_bytes && w_.context().stack_bytes + needed <= max_function_bytes;
}

std::unique_ptr<List> LaneRows::fold(const FoldSite& site, ir::ScheduleId inner, const Slice& slice,
                                     std::int64_t lanes) {
  auto list = std::make_unique<List>();
  list->kind = List::Kind::stored;
  for (Type type : site.state) list->pointers.push_back(w_.stack_array(type, lanes));
  if (module_.schedules()[inner].op == ScheduleOp::seq) {
    rows_seq(site, slice, lanes, list->pointers);
  } else {
    const auto leaf = [&](Value position, Value) { return folds_.node_at(site, slice, position); };
    rows_tree(site, {.length = slice.length, .leaf = leaf}, lanes, list->pointers);
  }
  return list;
}

Values LaneRows::row_leaf(const FoldSite& site, const Slice& slice, std::int64_t lanes, Value row, Value lane) {
  return folds_.node_at(site, slice, w_.add(w_.multiply(row, w_.i64(lanes)), lane));
}

void LaneRows::rows_seq(const FoldSite& site, const Slice& slice, std::int64_t lanes, const Values& result) {
  Value rows = b_.udiv(slice.length, w_.i64(lanes));
  Value rest = b_.sub(slice.length, b_.mul(rows, w_.i64(lanes)));
  w_.for_range(w_.i64(0), w_.smaller(slice.length, w_.i64(lanes)),
               [&](Value lane) { w_.store_at(result, lane, row_leaf(site, slice, lanes, w_.i64(0), lane)); });
  auto pass = [&](Value row, Value limit) {
    w_.for_range(
        w_.i64(0), limit,
        [&](Value lane) {
          const Values sum = w_.load_at(result, lane);
          w_.store_at(result, lane, joins_.join(site, sum, row_leaf(site, slice, lanes, row, lane)));
        },
        lanes < wide);
  };
  w_.if_then(b_.greater(rows, w_.i64(0)), [&] {
    w_.for_range(w_.i64(1), rows, [&](Value row) { pass(row, w_.i64(lanes)); });
    pass(rows, rest);
  });
}

/// Levels of the counter of a lane.
static std::int64_t levels_for(std::optional<std::int64_t> length, std::int64_t lanes) {
  if (!length) return row_levels;
  return std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(*length / lanes))));
}

std::int64_t LaneRows::bytes_of_tree(std::optional<std::int64_t> length, std::int64_t lanes, std::int64_t columns,
                                     std::int64_t bytes) {
  return (levels_for(length, lanes) + 2) * lanes * columns * bytes;
}

/// Whether it is known that there are few rows: then the whole tree of a lane is in registers.
static bool are_few(const FoldSite& site, std::optional<std::int64_t> length, std::int64_t lanes) {
  const std::int64_t most = site.cheap ? 2 * rows_together : rows_together;
  return length && *length >= lanes && *length / lanes <= most && site.light;
}

void LaneRows::each_lane(const Columns& columns, std::int64_t lanes, Value begin, Value end, LaneBody body) {
  w_.for_range(
      begin, end,
      [&](Value lane) {
        if (!columns.count) {
          body(lane, lane, nullptr);
          return;
        }
        const Value first = b_.mul(lane, w_.i64(columns.most), Fits::always);
        w_.for_range(w_.i64(0), columns.count, [&](Value column) { body(w_.add(first, column), lane, column); });
      },
      lanes < wide && !columns.count);
}

void LaneRows::rows_tree(const FoldSite& site, const Columns& columns, std::int64_t lanes, const Values& result) {
  const auto each = [&](Value begin, Value end, LaneBody body) { each_lane(columns, lanes, begin, end, body); };
  const auto every = [&](LaneBody body) { each(w_.i64(0), w_.i64(lanes), body); };
  const auto leaf = [&](Value row, Value lane, Value column) {
    return columns.leaf(w_.add(w_.multiply(row, w_.i64(lanes)), lane), column);
  };
  const auto tree_of = [&](Value first, Value lane, Value column, std::int64_t count) {
    std::vector<Values> nodes;
    for (std::int64_t k = 0; k < count; ++k) nodes.push_back(leaf(w_.add(first, w_.i64(k)), lane, column));
    return trees_.joined_in_pairs(site, std::move(nodes));
  };
  const auto length = w_.known(columns.length);
  if (are_few(site, length, lanes)) {
    const auto fill = [&](std::int64_t begin, std::int64_t end, std::int64_t count) {
      each(w_.i64(begin), w_.i64(end), [&](Value place, Value lane, Value column) {
        w_.store_at(result, place, tree_of(w_.i64(0), lane, column, count));
      });
    };
    fill(0, *length % lanes, *length / lanes + 1);
    fill(*length % lanes, lanes, *length / lanes);
    return;
  }
  const Value rows = b_.udiv(columns.length, w_.i64(lanes));
  const Value rest = b_.sub(columns.length, b_.mul(rows, w_.i64(lanes)));
  const std::int64_t width = lanes * columns.most;
  const Counter counter = trees_.make_counter(site, levels_for(length, lanes) * width);
  Values current;
  for (Type type : site.state) current.push_back(w_.stack_array(type, width));
  const auto on_level = [&](Value level, Value place) { return w_.add(w_.multiply(level, w_.i64(width)), place); };
  // What is in `current` is joined with the results of as many rows before it, as long as there are such.
  const auto carry = [&](Value number, std::int64_t from_level) {
    const Values end = w_.while_loop(
        {number, w_.i64(from_level)}, [&](const Values& now) { return b_.odd(now[0]); },
        [&](const Values& now) {
          every([&](Value place, Value, Value) {
            const Values left = w_.load_at(counter.stack, on_level(now[1], place));
            w_.store_at(current, place, joins_.join(site, left, w_.load_at(current, place)));
          });
          return Values{b_.lshr(now[0], 1), b_.add(now[1], w_.i64(1))};
        });
    every([&](Value place, Value, Value) {
      w_.store_at(counter.stack, on_level(end[1], place), w_.load_at(current, place));
    });
  };
  const std::int64_t together = site.light ? rows_together : 1;
  const int level = std::countr_zero(static_cast<std::uint64_t>(together));
  const Value groups = b_.lshr(rows, static_cast<std::uint64_t>(level));
  w_.for_range(w_.i64(0), groups, [&](Value group) {
    const Value first = b_.shl(group, static_cast<std::uint64_t>(level));
    every([&](Value place, Value lane, Value column) {
      w_.store_at(current, place, tree_of(first, lane, column, together));
    });
    carry(group, level);
  });
  // The rows after the groups, by the bits of their number: there are none to join these with.
  for (int k = level; k-- > 0;) {
    w_.if_then(b_.not_equal(b_.bit_and(rows, w_.i64(std::int64_t{1} << k)), w_.i64(0)), [&] {
      const Value first = b_.bit_and(rows, w_.i64(-(std::int64_t{2} << k)));
      every([&](Value place, Value lane, Value column) {
        const Values node = tree_of(first, lane, column, std::int64_t{1} << k);
        w_.store_at(counter.stack, on_level(w_.i64(k), place), node);
      });
    });
  }

  // In the first lanes the short row is the last node; in the others it is the counter's lowest result.
  each(w_.i64(0), rest,
       [&](Value place, Value lane, Value column) { w_.store_at(result, place, leaf(rows, lane, column)); });
  w_.if_then(b_.greater(rows, w_.i64(0)), [&] {
    Value lowest = b_.trailing_zeros(rows);
    each(w_.i64(0), rest, [&](Value place, Value, Value) {
      const Values left = w_.load_at(counter.stack, on_level(lowest, place));
      w_.store_at(result, place, joins_.join(site, left, w_.load_at(result, place)));
    });
    each(rest, w_.i64(lanes), [&](Value place, Value, Value) {
      w_.store_at(result, place, w_.load_at(counter.stack, on_level(lowest, place)));
    });
    w_.while_loop(
        {b_.bit_and(rows, b_.sub(rows, w_.i64(1)))}, [&](const Values& now) { return b_.not_equal(now[0], w_.i64(0)); },
        [&](const Values& now) {
          Value at = b_.trailing_zeros(now[0]);
          every([&](Value place, Value, Value) {
            const Values left = w_.load_at(counter.stack, on_level(at, place));
            w_.store_at(result, place, joins_.join(site, left, w_.load_at(result, place)));
          });
          return Values{b_.bit_and(now[0], b_.sub(now[0], w_.i64(1)))};
        });
  });
}

}  // namespace reckon::codegen
