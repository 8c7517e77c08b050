// `lanes(k, seq)` and `lanes(k, tree)` on the host: whole rows of k leaves side by side, which LLVM turns into vector
// instructions. Row r holds leaves r * k .. r * k + k - 1; lane l of every row belongs to lane l of the stage. Rows are
// folded like single nodes, one after the other: partial results stay in the cache, and memory is read in order, which
// is worth more than keeping several rows in registers (measured: 23 GB/s against 10). The last row may be short.
#include "codegen/lower/lowering.h"

namespace reckon::codegen {

using ir::ScheduleOp;

namespace {

constexpr std::int64_t most_lanes = 1024;
constexpr std::int64_t wide = 64;        // lanes from which on their loop is long enough as it is
constexpr std::int64_t row_levels = 48;  // enough for 2^48 rows
constexpr std::int64_t most_stack_bytes = 256 * 1024;
constexpr std::int64_t most_function_bytes = 1024 * 1024;  // with all other arrays of the function

}  // namespace

bool Lowering::rows_apply(const FoldSite& site, ir::ScheduleId inner, const Slice& slice, Value size) const {
  if (target_ != Target::host || slice.list->kind != List::Kind::leaves || site.fuses) return false;
  const ScheduleOp op = module_.schedules()[inner].op;
  const auto lanes = known(size);
  if ((op != ScheduleOp::seq && op != ScheduleOp::tree) || !lanes || *lanes < 2 || *lanes > most_lanes) return false;
  std::int64_t bytes = 0;
  for (Type type : site.state) bytes += std::max<std::int64_t>(bytes_of(type), 4);
  const std::int64_t needed = *lanes * bytes * (op == ScheduleOp::seq ? 1 : row_levels);
  return needed <= most_stack_bytes && function_.stack_bytes + needed <= most_function_bytes;
}

std::unique_ptr<List> Lowering::fold_rows(const FoldSite& site, ir::ScheduleId inner, const Slice& slice,
                                          std::int64_t lanes) {
  auto list = std::make_unique<List>();
  list->kind = List::Kind::stored;
  for (Type type : site.state) list->pointers.push_back(stack_array(type, lanes));
  if (module_.schedules()[inner].op == ScheduleOp::seq) {
    rows_seq(site, slice, lanes, list->pointers);
  } else {
    rows_tree(site, slice, lanes, list->pointers);
  }
  return list;
}

Values Lowering::row_leaf(const FoldSite& site, const Slice& slice, std::int64_t lanes, Value row, Value lane) {
  return node_at(site, slice, add(multiply(row, i64(lanes)), lane));
}

void Lowering::rows_seq(const FoldSite& site, const Slice& slice, std::int64_t lanes, const Values& result) {
  Value rows = b_.udiv(slice.length, i64(lanes));
  Value rest = b_.sub(slice.length, b_.mul(rows, i64(lanes)));
  for_range(i64(0), smaller(slice.length, i64(lanes)),
            [&](Value lane) { store_at(result, lane, row_leaf(site, slice, lanes, i64(0), lane)); });
  auto pass = [&](Value row, Value limit) {
    for_range(
        i64(0), limit,
        [&](Value lane) {
          const Values sum = load_at(result, lane);
          store_at(result, lane, join(site, sum, row_leaf(site, slice, lanes, row, lane)));
        },
        lanes < wide);
  };
  when(b_.greater(rows, i64(0)), [&] {
    for_range(i64(1), rows, [&](Value row) { pass(row, i64(lanes)); });
    pass(rows, rest);
  });
}

void Lowering::rows_tree(const FoldSite& site, const Slice& slice, std::int64_t lanes, const Values& result) {
  Value rows = b_.udiv(slice.length, i64(lanes));
  Value rest = b_.sub(slice.length, b_.mul(rows, i64(lanes)));
  const Counter counter = make_counter(site, row_levels * lanes);
  Values current;
  for (Type type : site.state) current.push_back(stack_array(type, lanes));
  auto on_level = [&](Value level, Value lane) { return add(multiply(level, i64(lanes)), lane); };
  auto each_lane = [&](FunctionRef<void(Value)> body) { for_range(i64(0), i64(lanes), body, lanes < wide); };

  for_range(i64(0), rows, [&](Value row) {
    each_lane([&](Value lane) { store_at(current, lane, row_leaf(site, slice, lanes, row, lane)); });
    const Values end = while_loop(
        {row, i64(0)}, [&](const Values& now) { return b_.odd(now[0]); },
        [&](const Values& now) {
          each_lane([&](Value lane) {
            const Values left = load_at(counter.stack, on_level(now[1], lane));
            store_at(current, lane, join(site, left, load_at(current, lane)));
          });
          return Values{b_.lshr(now[0], 1), b_.add(now[1], i64(1))};
        });
    each_lane(
        [&](Value lane) { store_at(counter.stack, on_level(end[1], lane), load_at(current, lane)); });
  });

  // The short row is the last node of its lanes; in the others the counter's lowest result is.
  for_range(i64(0), rest, [&](Value lane) { store_at(result, lane, row_leaf(site, slice, lanes, rows, lane)); });
  when(b_.greater(rows, i64(0)), [&] {
    Value lowest = trailing_zeros(rows);
    for_range(i64(0), rest, [&](Value lane) {
      const Values left = load_at(counter.stack, on_level(lowest, lane));
      store_at(result, lane, join(site, left, load_at(result, lane)));
    });
    for_range(rest, i64(lanes),
              [&](Value lane) { store_at(result, lane, load_at(counter.stack, on_level(lowest, lane))); });
    while_loop(
        {b_.bit_and(rows, b_.sub(rows, i64(1)))},
        [&](const Values& now) { return b_.not_equal(now[0], i64(0)); },
        [&](const Values& now) {
          Value level = trailing_zeros(now[0]);
          each_lane([&](Value lane) {
            const Values left = load_at(counter.stack, on_level(level, lane));
            store_at(result, lane, join(site, left, load_at(result, lane)));
          });
          return Values{b_.bit_and(now[0], b_.sub(now[0], i64(1)))};
        });
  });
}

}  // namespace reckon::codegen
