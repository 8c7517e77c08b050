// `lanes(k, seq)` and `lanes(k, tree)` on the host: whole rows of k leaves side by side, which LLVM turns into vector
// instructions. Row r holds leaves r * k .. r * k + k - 1; lane l of every row belongs to lane l of the stage. Rows are
// folded like single nodes, one after the other: partial results stay in the cache, and memory is read in order, which
// is worth more than keeping several rows in registers (measured: 23 GB/s against 10). The last row may be short.
#include "codegen/lower/lane_rows.h"

#include "codegen/lower/folds.h"

namespace reckon::codegen {

using ir::ScheduleOp;

namespace {

constexpr std::int64_t max_lanes = 1024;
constexpr std::int64_t wide = 64;        // from so many lanes on, their loop need not be unrolled
constexpr std::int64_t row_levels = 48;  // enough for 2^48 rows
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
    rows_tree(site, slice, lanes, list->pointers);
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

void LaneRows::rows_tree(const FoldSite& site, const Slice& slice, std::int64_t lanes, const Values& result) {
  Value rows = b_.udiv(slice.length, w_.i64(lanes));
  Value rest = b_.sub(slice.length, b_.mul(rows, w_.i64(lanes)));
  const Counter counter = trees_.make_counter(site, row_levels * lanes);
  Values current;
  for (Type type : site.state) current.push_back(w_.stack_array(type, lanes));
  auto on_level = [&](Value level, Value lane) { return w_.add(w_.multiply(level, w_.i64(lanes)), lane); };
  auto each_lane = [&](FunctionRef<void(Value)> body) { w_.for_range(w_.i64(0), w_.i64(lanes), body, lanes < wide); };

  w_.for_range(w_.i64(0), rows, [&](Value row) {
    each_lane([&](Value lane) { w_.store_at(current, lane, row_leaf(site, slice, lanes, row, lane)); });
    const Values end = w_.while_loop(
        {row, w_.i64(0)}, [&](const Values& now) { return b_.odd(now[0]); },
        [&](const Values& now) {
          each_lane([&](Value lane) {
            const Values left = w_.load_at(counter.stack, on_level(now[1], lane));
            w_.store_at(current, lane, joins_.join(site, left, w_.load_at(current, lane)));
          });
          return Values{b_.lshr(now[0], 1), b_.add(now[1], w_.i64(1))};
        });
    each_lane([&](Value lane) { w_.store_at(counter.stack, on_level(end[1], lane), w_.load_at(current, lane)); });
  });

  // In the first lanes the short row is the last node; in the others it is the counter's lowest result.
  w_.for_range(w_.i64(0), rest,
               [&](Value lane) { w_.store_at(result, lane, row_leaf(site, slice, lanes, rows, lane)); });
  w_.if_then(b_.greater(rows, w_.i64(0)), [&] {
    Value lowest = b_.trailing_zeros(rows);
    w_.for_range(w_.i64(0), rest, [&](Value lane) {
      const Values left = w_.load_at(counter.stack, on_level(lowest, lane));
      w_.store_at(result, lane, joins_.join(site, left, w_.load_at(result, lane)));
    });
    w_.for_range(rest, w_.i64(lanes),
                 [&](Value lane) { w_.store_at(result, lane, w_.load_at(counter.stack, on_level(lowest, lane))); });
    w_.while_loop(
        {b_.bit_and(rows, b_.sub(rows, w_.i64(1)))}, [&](const Values& now) { return b_.not_equal(now[0], w_.i64(0)); },
        [&](const Values& now) {
          Value level = b_.trailing_zeros(now[0]);
          each_lane([&](Value lane) {
            const Values left = w_.load_at(counter.stack, on_level(level, lane));
            w_.store_at(result, lane, joins_.join(site, left, w_.load_at(result, lane)));
          });
          return Values{b_.bit_and(now[0], b_.sub(now[0], w_.i64(1)))};
        });
  });
}

}  // namespace reckon::codegen
