// Many reductions side by side whose leaves lie across memory (the columns of a matrix): neighbouring ones are the
// lanes of a warp (and a vector of a lane), which so read neighbouring elements, and the warps of a block share the
// leaves. First every warp makes nodes of its own, whole lanes of the schedule or aligned runs of its tree; then the
// warps share what is left to join. Several blocks may share the leaves, too: each has an aligned part of the lanes, or
// of the tree.

#include <bit>

#include "codegen/lower/team/team.h"
#include "codegen/place/columns.h"
#include "codegen/place/place.h"

namespace reckon::codegen {

using ir::ScheduleOp;

namespace {

constexpr std::int64_t at_once = 32;      ///< leaves of a thread whose loads are under way together
constexpr std::int64_t whole_tree = 128;  ///< leaves of an item that are joined without a counter

}  // namespace

/// What is the same all over the kernel.
struct Lowering::Columns {
  const FoldSite& site;
  Team& team;
  std::int64_t vector = 1;                                ///< items of a thread, neighbours
  std::vector<std::vector<Scope::Bound>> items;  ///< the variables of each
  std::vector<Values> shared;                             ///< for each item of a thread, nodes x lanes of a warp
  Value part = nullptr;  ///< the block's, of those that share an item; null: it has all leaves
};

/// `tree` over the leaves start, start + stride, ...: a node for each item of the thread.
void Lowering::column_tree(Columns& columns, Value start, std::int64_t stride, Value length, Value node) {
  const FoldSite& site = columns.site;
  const std::int64_t many = site.cheap ? at_once / columns.vector : 1;
  auto leaves_at = [&](Value position) {
    std::vector<Team::Maybe> values;
    for (const auto& item : columns.items) {
      // A scope for each use: what it holds is known only where it was emitted.
      Scope scope;
      scope.variables = item;
      values.push_back({in_scope(scope, [&] { return leaf(site, add(start, multiply(i64(stride), position))); }), {}});
    }
    return values;
  };
  auto joined = [&](Value first, std::int64_t n) {
    std::vector<std::vector<Team::Maybe>> row;
    for (std::int64_t k = 0; k < n; ++k) row.push_back(leaves_at(add(first, i64(k))));
    return columns.team.pairwise(site, std::move(row));
  };
  auto keep = [&](std::size_t item, const Values& value) {
    store_at(columns.shared[item], node_of_lane(columns, node), value);
  };
  const auto fixed = known(length);
  if (fixed && *fixed <= whole_tree && std::has_single_bit(static_cast<std::uint64_t>(*fixed))) {
    const std::vector<Team::Maybe> nodes = columns.team.by_halves(site, 0, *fixed, many, joined);
    for (std::size_t item = 0; item < columns.items.size(); ++item) keep(item, nodes[item].value);
    return;
  }
  Team::TreeCounter counter(columns.team, site, columns.items.size());
  counter.fill(length, many, joined);
  for (std::size_t item = 0; item < columns.items.size(); ++item) keep(item, finish(site, counter.of(item), length));
}

Value Lowering::node_of_lane(const Columns& columns, Value node) {
  return add(b_.mul(node, i64(warp)), columns.team.lane());
}

void Lowering::lower_columns(const KernelBody& body, Kernel& kernel, Team& team) {
  const FoldSite site = site_of(body);
  Columns columns{site, team, body.row_vector, {}, {}};
  kernel.block_items = static_cast<std::uint32_t>(warp * columns.vector);
  const std::int64_t warps = team.threads() / warp;
  const std::int64_t lanes = *lanes_by_tree(module_, body.schedule);
  const std::int64_t nodes = lanes == 1 ? warps : lanes / body.parts;
  for (std::int64_t k = 0; k < columns.vector; ++k) columns.shared.push_back(team.shared_arrays(site, nodes * warp));

  std::vector<ir::IndexId> extents;
  for (const Binder& binder : body.space) extents.push_back(binder.extent);
  Value total = i64(1);
  for (ir::IndexId extent : extents) total = multiply(total, index(extent));
  Value of_part = divide_up(total, i64(kernel.block_items));
  Value groups = multiply(of_part, i64(body.parts));
  Value block = b_.block();
  Value blocks = b_.blocks();
  when(b_.less(block, groups), [&] {
    loop(block, groups, blocks, {}, [&](Value number, const Values&) {
      Value group = body.parts > 1 ? b_.urem(number, of_part) : number;
      columns.part = body.parts > 1 ? b_.udiv(number, of_part) : nullptr;
      Value first = b_.add(b_.mul(group, i64(kernel.block_items), Fits::always),
                                  b_.mul(team.lane(), i64(columns.vector), Fits::always), Fits::always);
      Value is_there = b_.less(first, total);
      // A lane beyond the last item does what another does, and drops it: all lanes come to the barriers.
      Value item = b_.select(is_there, first, i64(0));
      columns.items.clear();
      const Values coordinates = item_coordinates(extents, item);
      for (std::int64_t k = 0; k < columns.vector; ++k) {
        columns.items.emplace_back();
        for (std::size_t d = 0; d < body.space.size(); ++d) {
          const bool is_last = d + 1 == body.space.size();
          Value coordinate = is_last ? add(coordinates[d], i64(k)) : coordinates[d];
          columns.items.back().push_back({body.space[d].variable, body.space[d].extent, coordinate});
        }
      }
      Value length = index(site.node.indices[0]);
      const Values flat = branch(
          b_.greater(length, i64(0)), [&] { return folded_columns(body, columns, length, lanes, nodes); },
          [&] {
            Values none;
            for (const auto& item : columns.items) {
              Scope scope;
              scope.variables = item;
              const Values one = in_scope(scope, [&] { return empty_fold(site); });
              none.append(one.begin(), one.end());
            }
            return none;
          });
      when(b_.bit_and(is_there, b_.equal(team.warp_number(), i64(0))), [&] {
        const std::size_t parts = site.scalars.size();
        for (std::size_t part = 0; part < parts; ++part) {
          for (std::int64_t k = 0; k < columns.vector; ++k) {
            Value to = columns.part ? add(b_.mul(columns.part, total), item) : item;
            store(kernel.output + static_cast<std::uint32_t>(part), add(to, i64(k)),
                  flat[static_cast<std::size_t>(k) * parts + part]);
          }
        }
      });
      team.barrier();
      return Values{};
    });
  });
}

/// The folds of a thread's items, one after the other, in the threads of the first warp.
Values Lowering::folded_columns(const KernelBody& body, Columns& columns, Value length, std::int64_t lanes,
                                std::int64_t nodes) {
  const FoldSite& site = columns.site;
  Team& team = columns.team;
  const std::int64_t warps = team.threads() / warp;
  const ir::ScheduleId by_tree = module_.schedules().simple(ScheduleOp::tree);
  Value count = nullptr;
  if (lanes == 1) {
    // A block has so many leaves; the last one may have fewer.
    Value most = columns.part ? i64(column_run(*known(length), body.parts)) : length;
    Value begin = columns.part ? b_.mul(columns.part, most) : i64(0);
    const bool all_have = !columns.part || *known(length) % *known(most) == 0;
    Value mine = all_have ? most : smaller(most, b_.sub(length, begin));
    Value run = team.power_of_two_from(divide_up(most, i64(warps)));
    count = divide_up(mine, run);
    const bool whole = known(mine) && known(run) && *known(mine) % *known(run) == 0;
    when(b_.less(team.warp_number(), count), [&] {
      Value first = b_.mul(team.warp_number(), run);
      column_tree(columns, add(begin, first), 1, whole ? run : smaller(run, b_.sub(mine, first)),
                  team.warp_number());
    });
  } else {
    count = columns.part ? i64(nodes) : smaller(i64(lanes), length);
    Value before = columns.part ? b_.mul(columns.part, i64(nodes)) : nullptr;
    const auto leaves = known(length);
    auto tree_of_lane = [&](Value node) {
      Value lane = before ? add(before, node) : node;
      Value of_lane =
          leaves && *leaves % lanes == 0 ? i64(*leaves / lanes) : divide_up(b_.sub(length, lane), i64(lanes));
      column_tree(columns, lane, lanes, of_lane, node);
    };
    when(b_.less(team.warp_number(), count), [&] {
      loop(
          team.warp_number(), count, i64(warps), {},
          [&](Value node, const Values&) {
            tree_of_lane(node);
            return Values{};
          },
          false);
    });
  }
  team.barrier();
  const ir::ScheduleId rest = lanes == 1 ? by_tree : module_.schedules()[body.schedule].operands[1];
  const bool shares = module_.schedules()[rest].op == ScheduleOp::tree && nodes > warps;
  const std::int64_t run = shares ? nodes / warps : 1;
  std::vector<List> stored(columns.items.size());
  for (std::size_t k = 0; k < stored.size(); ++k) {
    stored[k].kind = List::Kind::stored;
    stored[k].pointers = columns.shared[k];
  }
  if (shares) {
    // Every warp has an aligned run.
    Value first = b_.mul(team.warp_number(), i64(run));
    when(b_.less(first, count), [&] {
      Value at_first = node_of_lane(columns, first);
      for (std::size_t k = 0; k < stored.size(); ++k) {
        const Slice mine{&stored[k], at_first, i64(warp), smaller(i64(run), b_.sub(count, first))};
        store_at(columns.shared[k], at_first, fold(site, by_tree, mine, {}));
      }
    });
    team.barrier();
  }
  Values all;
  for (List& list : stored) {
    const Slice left{&list, team.lane(), i64(run * warp), divide_up(count, i64(run))};
    Values values = settled(site, fold(site, rest, left, {}));
    values.resize(site.scalars.size());
    if (!columns.part) values = whole(site, values);
    all.append(values.begin(), values.end());
  }
  return all;
}

}  // namespace reckon::codegen
