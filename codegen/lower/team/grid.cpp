// A reduction that the blocks of a grid share, in one kernel. Each block makes nodes of a run of the leaves. The block
// that is the last to be done with a group of runs joins the nodes of these, and the last of all groups joins what is
// left: nobody waits for anyone. Which blocks these are is different from launch to launch; what they join, and in
// which order, is not.
//
// The last one is found by a counter in global memory that each block raises when its nodes are written. It wraps
// around, so that it is zero again for the next launch. The barrier before, the order of the atomic operation, and
// the barrier after make the nodes of all blocks of the group visible to all threads of the last one (PTX ISA, memory
// consistency model, causality order).

#include "codegen/lower/team/team.h"
#include "codegen/place/place.h"

namespace reckon::codegen {


/// What is the same all over the kernel.
struct Lowering::Grid {
  const KernelBody& body;
  const Kernel& kernel;
  const FoldSite& site;
  Team& team;
  std::int64_t lanes;
  Value item;  ///< of the reduction's space
};

/// What a pass folds: the leaves, or the nodes that the pass before has made of them; and how it is cut.
struct Lowering::Cut {
  List list;
  Slice all;
  Runs runs;
};

std::int64_t Lowering::superrow_leaves(const Grid& grid, const Slice& slice) const {
  return std::max(grid.lanes, warp * Team::vector_width(*this, grid.site, slice));
}

/// How the nodes of one reduction are dealt out to blocks: runs of a power of two of superrows, so that what a block
/// makes of its run are nodes of the tree.
Lowering::Runs Lowering::runs_of(const Grid& grid, const Slice& slice, GridRuns pass) {
  const std::int64_t size = superrow_leaves(grid, slice);
  Value superrows = divide_up(slice.length, i64(size));
  Value most = i64(usual_blocks(pass));
  if (pass == GridRuns::balanced) {
    Value half = b_.lshr(b_.add(log2_up(superrows), i64(1)), 1);
    most = smaller(b_.shl(i64(1), half), most);
  }
  Value run = b_.shl(i64(1), log2_up(divide_up(superrows, most)));
  if (pass == GridRuns::many) run = smaller(run, i64(grid.body.most_superrows));
  Runs runs;
  runs.superrows = run;
  runs.leaves = b_.mul(run, i64(size));
  runs.count = divide_up(slice.length, runs.leaves);
  Value before = b_.sub(runs.count, i64(1));
  Value last = b_.sub(slice.length, b_.mul(before, runs.leaves));
  runs.nodes = b_.add(b_.mul(before, i64(grid.lanes)), smaller(i64(grid.lanes), last));
  return runs;
}

/// Where a pass keeps the nodes of a run.
Value Lowering::first_node(const Grid& grid, std::size_t pass, Value run) {
  const std::vector<ir::IndexId>& extents = planned_.plan.buffers[grid.body.passes[pass].nodes].extents;
  Value row = add(multiply(grid.item, index(extents[extents.size() - 2])), run);
  return multiply(row, i64(grid.lanes));
}

void Lowering::lower_over_grid(const KernelBody& body, Kernel& kernel, Team& team) {
  FoldSite site = site_of(body);
  site.over_grid = true;
  // They change while the kernel runs.
  const auto changes = [&](std::uint32_t buffer) {
    function().parameters[buffer].changes = true;
  };
  for (const KernelBody::Pass& pass : body.passes) {
    for (std::uint32_t part = 0; part < site.state.size(); ++part) changes(pass.nodes + part);
  }
  changes(body.counters);
  // With a loop around its run, what the joins need would be kept in registers all the way.
  one_of_a_block(kernel, [&](Value block) {
    Value run = bind_item(body, kernel, block);
    Value item = b_.udiv(block, index(kernel.items.back()));
    const Grid grid{body, kernel, site, team, *lanes_by_tree(module_, body.schedule), item};
    Value is_empty = b_.less_equal(index(site.node.indices[0]), i64(0));
    branch(
        is_empty,
        [&] {
          when(b_.equal(run, i64(0)), [&] { store_by_first(team, kernel.output, item, empty_fold(site)); });
          return Values{};
        },
        [&] {
          Cut leaves;
          leaves.all = {&leaves.list, i64(0), i64(1), index(site.node.indices[0])};
          leaves.runs = runs_of(grid, leaves.all, body.passes[0].runs);
          when(b_.less(run, leaves.runs.count), [&] { take_run(grid, 0, leaves, run); });
          return Values{};
        });
  });
}

/// A block makes the nodes of a run. If it is the last of a group of runs, it goes on with what they have become.
void Lowering::take_run(const Grid& grid, std::size_t pass, const Cut& cut, Value run) {
  make_nodes(grid, pass, cut, run);
  Cut next;
  next.list.kind = List::Kind::buffered;
  next.list.buffer = grid.body.passes[pass].nodes;
  next.list.base = first_node(grid, pass, i64(0));
  next.all = {&next.list, i64(0), i64(1), cut.runs.nodes};
  const std::vector<ir::IndexId>& extents = planned_.plan.buffers[grid.body.counters].extents;
  Value counter = multiply(grid.item, index(extents.back()));
  if (pass + 1 == grid.body.passes.size()) {
    when(is_last_block(grid, counter, cut.runs.count), [&] {
      const std::int64_t most = usual_blocks(grid.body.passes[pass].runs) * grid.lanes;
      const Values values = whole_fold(grid.site, grid.body.schedule, {next.all, most}, grid.team);
      grid.team.release();
      store_by_first(grid.team, grid.kernel.output, grid.item, values);
    });
    return;
  }
  // Runs of the next pass are longer than a run's nodes: both are powers of two.
  next.runs = runs_of(grid, next.all, grid.body.passes[pass + 1].runs);
  Value group = b_.lshr(multiply(run, i64(grid.lanes)), log2_up(next.runs.leaves));
  Value before = multiply(group, next.runs.leaves);
  Value nodes = smaller(next.runs.leaves, b_.sub(next.all.length, before));
  counter = add(counter, add(group, i64(1)));
  when(is_last_block(grid, counter, divide_up(nodes, i64(grid.lanes))), [&] { take_run(grid, pass + 1, next, group); });
}

void Lowering::make_nodes(const Grid& grid, std::size_t pass, const Cut& cut, Value run) {
  const KernelBody::Pass& how = grid.body.passes[pass];
  const Slice& all = cut.all;
  const Runs& runs = cut.runs;
  Slice part = all;
  Value superrow = b_.mul(run, runs.superrows);
  part.start = b_.mul(superrow, i64(superrow_leaves(grid, all)), Fits::always);
  part.length = smaller(runs.leaves, b_.sub(all.length, part.start));
  Value first = first_node(grid, pass, run);
  auto made_of = [&](const Slice& slice, std::optional<std::int64_t> most) {
    const Nodes nodes = grid.team.lanes_by_tree(grid.site, {slice, most}, grid.lanes);
    grid.team.each(nodes.slice.length, grid.lanes, [&](Value lane) {
      const Values values = node_at(grid.site, nodes.slice, lane);
      for (std::uint32_t k = 0; k < values.size(); ++k) store(how.nodes + k, add(first, lane), values[k]);
    });
    grid.team.release();
    return Values{};
  };
  // Nearly all blocks have a whole run of one size, if that is known: code for just that.
  std::optional<std::int64_t> usual = known(runs.superrows);
  if (!usual && how.runs == GridRuns::many) usual = grid.body.most_superrows;
  if (!usual) {
    made_of(part, std::nullopt);
    return;
  }
  const std::int64_t leaves = *usual * superrow_leaves(grid, all);
  auto whole = [&] {
    Slice of_run = part;
    of_run.length = i64(leaves);
    return made_of(of_run, leaves);
  };
  Value is_whole = b_.equal(part.length, i64(leaves));
  if (const auto length = known(all.length)) {
    // So is what the last one has.
    const std::int64_t rest = *length % leaves;
    if (rest == 0) is_whole = b_.flag(true);
    part.length = i64(rest);
  }
  branch(is_whole, whole, [&] { return made_of(part, known(part.length).value_or(leaves)); });
}

/// Is this the last of `count` blocks to come to a counter? What all of them wrote before can be read then.
Value Lowering::is_last_block(const Grid& grid, Value counter, Value count) {
  grid.team.barrier();
  const Values of_thread = branch(
      b_.equal(grid.team.thread(), i64(0)),
      [&] {
        return Values{b_.arrive(function_.buffers[grid.body.counters], counter, b_.sub(count, i64(1)))};
      },
      [&] { return Values{b_.flag(false)}; });
  settle();
  return b_.barrier_or(of_thread[0]);
}

}  // namespace reckon::codegen
