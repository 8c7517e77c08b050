#include "codegen/lower/running_scan.h"

#include "ir/op.h"

namespace reckon::codegen {

using ir::ScheduleOp;

namespace {

constexpr std::int64_t levels = 64;  ///< of runs: enough for any number of nodes

}  // namespace

RunningScan::RunningScan(Folds& folds, const FoldSite& site) : LoweringParts(folds, folds.joins()), site_(site) {}

RunningScan::State RunningScan::start(ScheduleOp order) {
  State state{order, {}, {}};
  if (order != ScheduleOp::seq) state.runs = folds_.trees().make_counter(site_, levels);
  else
    for (const Type type : site_.state) state.one.push_back(w_.stack_array(type, 1));
  return state;
}

Values RunningScan::with(const State& state, Value count, const Values& node) {
  return w_.branch(
      b_.greater(count, w_.i64(0)),
      [&] {
        if (state.order != ScheduleOp::seq) return with_runs(state, count, node);
        return joins_.join(site_, w_.load_at(state.one, w_.i64(0)), node);
      },
      [&] { return node; });
}

/// By `tree` the runs are joined from the last one, the shortest, on; by `blelloch` those that become one with the node
/// are, and the others from the first one on.
Values RunningScan::with_runs(const State& state, Value count, const Values& node) {
  TreeFolds& trees = folds_.trees();
  if (state.order == ScheduleOp::tree) return trees.after_runs(site_, state.runs, count, {node})[0];
  const Value carries = b_.bit_and(count, b_.complement(b_.add(count, w_.i64(1))));
  const Values run = trees.after_runs(site_, state.runs, carries, {node})[0];
  const Value others = b_.sub(count, carries);
  return w_.branch(
      b_.not_equal(others, w_.i64(0)),
      [&] { return joins_.join(site_, trees.finish_blelloch(site_, state.runs, others), run); }, [&] { return run; });
}

void RunningScan::add(const State& state, Value count, const Values& node, const Values& joined) {
  if (state.order == ScheduleOp::seq) w_.store_at(state.one, w_.i64(0), joined);
  else folds_.trees().push(site_, state.runs, count, 0, node);
}

void RunningScan::write(ir::ScheduleId schedule, Value length, Keep keep) {
  const ir::ScheduleStore& schedules = module_.schedules();
  const ir::ScheduleNode node = schedules[schedule];
  const bool in_tiles = node.op == ScheduleOp::then;
  const State leaves = start(in_tiles ? schedules[schedules[node.operands[0]].operands[0]].op : node.op);
  if (!in_tiles) {
    w_.loop(w_.i64(0), length, w_.i64(1), {}, [&](Value position, const Values&) {
      const Values leaf = joins_.leaf(site_, position);
      const Values joined = with(leaves, position, leaf);
      keep(position, joined);
      add(leaves, position, leaf, joined);
      return Values{};
    });
    return;
  }
  const State tiles = start(schedules[node.operands[1]].op);
  const Value size = w_.index(schedules[node.operands[0]].parameter);
  w_.loop(
      w_.i64(0), w_.divide_up(length, size), w_.i64(1), {},
      [&](Value tile, const Values&) {
        const Value first = w_.multiply(tile, size);
        const Value count = w_.smaller(size, b_.sub(length, first));
        const Values total =
            w_.loop(w_.i64(0), count, w_.i64(1), joins_.zeros(site_), [&](Value number, const Values&) {
              const Value position = w_.add(first, number);
              const Values leaf = joins_.leaf(site_, position);
              const Values in_tile = with(leaves, number, leaf);
              keep(position, with(tiles, tile, in_tile));
              add(leaves, number, leaf, in_tile);
              return in_tile;
            });
        add(tiles, tile, total, tiles.order == ScheduleOp::seq ? with(tiles, tile, total) : total);
        return Values{};
      },
      false);
}

}  // namespace reckon::codegen
