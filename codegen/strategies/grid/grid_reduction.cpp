// A reduction that the blocks of a grid share, in one kernel. Each block makes nodes of a run of the leaves. The block
// that finishes last in a group of runs joins the nodes of the group, and the last one of all groups joins what is
// left: no block waits for another. Which blocks these are differs from launch to launch; what they join, and in which
// order, does not.
//
// The last one is found by a counter in global memory that each block raises when its nodes are written. It wraps
// around, so that it is zero again for the next launch. The barrier before, the order of the atomic operation, and
// the barrier after make the nodes of all blocks of the group visible to all threads of the last one (PTX ISA, memory
// consistency model, causality order).

#include "codegen/strategies/grid/grid_reduction.h"

#include "codegen/place/place.h"

namespace reckon::codegen {

GridReduction::GridReduction(Folds& folds, Items& items, const KernelBody& body, const GridPasses& grid, Kernel& kernel,
                             BlockReducer& reducer)
    : LoweringParts(folds, folds.joins()),
      items_(items),
      body_(body),
      grid_(grid),
      kernel_(kernel),
      reducer_(reducer),
      site_(joins_.site_of(body)),
      lanes_(*lanes_by_tree(w_.module(), body.schedule)) {
  site_.over_grid = true;
}

std::int64_t GridReduction::block_row_leaves(const Slice& slice) const {
  return std::max(lanes_, warp * reducer_.vector_width(site_, slice));
}

/// How the nodes of one reduction are dealt out to blocks: runs of a power of two of block rows, so that what a block
/// makes of its run are nodes of the tree.
GridReduction::Runs GridReduction::runs_of(const Slice& slice, GridRuns pass) {
  const std::int64_t size = block_row_leaves(slice);
  Value block_rows = w_.divide_up(slice.length, w_.i64(size));
  Value most = w_.i64(default_blocks(pass));
  if (pass == GridRuns::balanced) {
    Value half = b_.lshr(b_.add(w_.log2_up(block_rows), w_.i64(1)), 1);
    most = w_.smaller(b_.shl(w_.i64(1), half), most);
  }
  Value run = b_.shl(w_.i64(1), w_.log2_up(w_.divide_up(block_rows, most)));
  if (pass == GridRuns::many) run = w_.smaller(run, w_.i64(grid_.max_block_rows));
  Runs runs;
  runs.block_rows = run;
  runs.leaves = b_.mul(run, w_.i64(size));
  runs.count = w_.divide_up(slice.length, runs.leaves);
  Value before = b_.sub(runs.count, w_.i64(1));
  Value last = b_.sub(slice.length, b_.mul(before, runs.leaves));
  runs.nodes = b_.add(b_.mul(before, w_.i64(lanes_)), w_.smaller(w_.i64(lanes_), last));
  return runs;
}

/// The position of the first node of a run, in the buffer of a pass.
Value GridReduction::first_node(std::size_t pass, Value run) {
  const std::vector<ir::IndexId>& extents = planned_.plan.buffers[grid_.passes[pass].nodes].extents;
  Value row = w_.add(w_.multiply(item_, w_.index(extents[extents.size() - 2])), run);
  return w_.multiply(row, w_.i64(lanes_));
}

void GridReduction::lower() {
  // The buffers of nodes and counters change while the kernel runs.
  const auto changes = [&](std::uint32_t buffer) { w_.function().parameters[buffer].changes = true; };
  for (const GridPasses::Pass& pass : grid_.passes) {
    for (std::uint32_t part = 0; part < site_.state.size(); ++part) changes(pass.nodes + part);
  }
  changes(grid_.counters);
  // If a block looped over runs, the values that joins need would stay in registers throughout the loop.
  items_.block_per_item(kernel_, [&](Value block) {
    Value run = items_.bind_item(body_, kernel_, block);
    item_ = b_.udiv(block, w_.index(kernel_.items.back()));
    Value is_empty = b_.less_equal(w_.index(site_.node.indices[0]), w_.i64(0));
    w_.branch(
        is_empty,
        [&] {
          w_.if_then(b_.equal(run, w_.i64(0)),
                     [&] { reducer_.store_by_first(kernel_.output, item_, joins_.empty_fold(site_)); });
          return Values{};
        },
        [&] {
          Cut leaves;
          leaves.all = {&leaves.list, w_.i64(0), w_.i64(1), w_.index(site_.node.indices[0])};
          leaves.runs = runs_of(leaves.all, grid_.passes[0].runs);
          w_.if_then(b_.less(run, leaves.runs.count), [&] { take_run(0, leaves, run); });
          return Values{};
        });
  });
}

/// A block makes the nodes of a run. If it is the last one of a group of runs, it goes on with their nodes.
void GridReduction::take_run(std::size_t pass, const Cut& cut, Value run) {
  make_nodes(pass, cut, run);
  Cut next;
  next.list.kind = List::Kind::buffered;
  next.list.buffer = grid_.passes[pass].nodes;
  next.list.base = first_node(pass, w_.i64(0));
  next.all = {&next.list, w_.i64(0), w_.i64(1), cut.runs.nodes};
  const std::vector<ir::IndexId>& extents = planned_.plan.buffers[grid_.counters].extents;
  Value counter = w_.multiply(item_, w_.index(extents.back()));
  if (pass + 1 == grid_.passes.size()) {
    w_.if_then(is_last_block(counter, cut.runs.count), [&] {
      const std::int64_t most = default_blocks(grid_.passes[pass].runs) * lanes_;
      const Values values = reducer_.whole_fold(site_, body_.schedule, {next.all, most});
      reducer_.release();
      reducer_.store_by_first(kernel_.output, item_, values);
    });
    return;
  }
  // Runs of the next pass are longer than a run's nodes: both are powers of two.
  next.runs = runs_of(next.all, grid_.passes[pass + 1].runs);
  Value group = b_.lshr(w_.multiply(run, w_.i64(lanes_)), w_.log2_up(next.runs.leaves));
  Value before = w_.multiply(group, next.runs.leaves);
  Value nodes = w_.smaller(next.runs.leaves, b_.sub(next.all.length, before));
  counter = w_.add(counter, w_.add(group, w_.i64(1)));
  w_.if_then(is_last_block(counter, w_.divide_up(nodes, w_.i64(lanes_))), [&] { take_run(pass + 1, next, group); });
}

void GridReduction::make_nodes(std::size_t pass, const Cut& cut, Value run) {
  const GridPasses::Pass& how = grid_.passes[pass];
  const Slice& all = cut.all;
  const Runs& runs = cut.runs;
  Slice part = all;
  Value block_row = b_.mul(run, runs.block_rows);
  part.start = b_.mul(block_row, w_.i64(block_row_leaves(all)), Fits::always);
  part.length = w_.smaller(runs.leaves, b_.sub(all.length, part.start));
  Value first = first_node(pass, run);
  auto made_of = [&](const Slice& slice, std::optional<std::int64_t> most) {
    const Nodes nodes = reducer_.lanes_by_tree(site_, {slice, most}, lanes_);
    reducer_.each(nodes.slice.length, lanes_, [&](Value lane) {
      const Values values = folds_.node_at(site_, nodes.slice, lane);
      for (std::uint32_t k = 0; k < values.size(); ++k) {
        // Buffers hold numbers, so the flag that says whether a node is still a product is converted to one.
        const bool is_flag = site_.state[k].kind == kernel::Kind::flag;
        circuits_.store(how.nodes + k, w_.add(first, lane), is_flag ? b_.from_flag(values[k]) : values[k]);
      }
    });
    reducer_.release();
    return Values{};
  };
  // Nearly all blocks have a whole run of one size. If that size is known, it gets code of its own.
  std::optional<std::int64_t> usual = w_.known(runs.block_rows);
  if (!usual && how.runs == GridRuns::many) usual = grid_.max_block_rows;
  if (!usual) {
    made_of(part, std::nullopt);
    return;
  }
  const std::int64_t leaves = *usual * block_row_leaves(all);
  auto whole = [&] {
    Slice of_run = part;
    of_run.length = w_.i64(leaves);
    return made_of(of_run, leaves);
  };
  Value is_whole = b_.equal(part.length, w_.i64(leaves));
  if (const auto length = w_.known(all.length)) {
    // The length of the last run is known, too.
    const std::int64_t rest = *length % leaves;
    if (rest == 0) is_whole = b_.flag(true);
    part.length = w_.i64(rest);
  }
  w_.branch(is_whole, whole, [&] { return made_of(part, w_.known(part.length).value_or(leaves)); });
}

/// Is this the last of `count` blocks to reach a counter? It can then read what all of them wrote before.
Value GridReduction::is_last_block(Value counter, Value count) {
  reducer_.barrier();
  const Values of_thread = w_.branch(
      b_.equal(reducer_.thread(), w_.i64(0)),
      [&] { return Values{b_.arrive(w_.buffers()[grid_.counters], counter, b_.sub(count, w_.i64(1)))}; },
      [&] { return Values{b_.flag(false)}; });
  w_.resume();
  return b_.barrier_or(of_thread[0]);
}

}  // namespace reckon::codegen
