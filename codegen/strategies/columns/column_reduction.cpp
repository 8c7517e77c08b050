// Many reductions side by side whose leaves lie across memory (the columns of a matrix). Neighbouring reductions are
// those of the lanes of a warp (and of a vector of a lane), which so read neighbouring elements, and the warps of a
// block share the leaves. First every warp makes nodes of its own, from whole lanes of the schedule or aligned runs of
// its tree; then the warps share what is left to join. Several blocks may share the leaves, too: each has an aligned
// part of the lanes, or of the tree.
#include "codegen/strategies/columns/column_reduction.h"

#include <bit>

#include "codegen/place/place.h"

namespace reckon::codegen {

using ir::ScheduleOp;

namespace {

constexpr std::int64_t most_at_once = 32;  ///< leaves of a thread whose loads are under way together
/// Leaves of a column that are joined before a counter has them; a power of two.
constexpr std::int64_t of_count = 64;

}  // namespace

ColumnReduction::ColumnReduction(KernelParts& parts, const FoldKernel& placed, const KernelBody& body,
                                 const ColumnShares& shares, Kernel& kernel, BlockReducer& reducer)
    : LoweringParts(parts.folds(), parts.folds().joins()),
      parts_(parts),
      placed_(placed),
      body_(body),
      shares_(shares),
      kernel_(kernel),
      reducer_(reducer),
      partial_(parts.folds()),
      site_(joins_.site_of(body)),
      warps_(reducer.threads() / warp),
      lanes_(*lanes_by_tree(module_, body.schedule)),
      lanes_of_block_(lanes_ / shares.parts),
      nodes_(lanes_ == 1 || shares.joins_lanes ? warps_ : lanes_of_block_),
      vector_(shares.vector) {}

/// Leaves of each of the thread's columns: start, start + stride, ..., so many of them.
struct ColumnReduction::Leaves {
  Value start = nullptr;
  std::int64_t stride = 1;
  Value length = nullptr;
  Value has_last = nullptr;  ///< whether the last one is there; null: it is
};

std::int64_t ColumnReduction::at_once() const { return site_.cheap ? most_at_once / vector_ : 1; }

/// In place of a leaf that is absent the first one is read, and not used.
std::vector<Maybe> ColumnReduction::leaves_at(const Leaves& leaves, Value position, Value present) {
  Value further = w_.multiply(w_.i64(leaves.stride), position);
  if (present) further = b_.select(present, further, w_.i64(0));
  const Value leaf = w_.add(leaves.start, further);
  std::vector<Maybe> values;
  for (const auto& column : columns_) {
    // Each use needs a scope of its own: the nodes in a scope are valid only where they were emitted.
    Scope scope;
    scope.variables = column;
    values.push_back({w_.in_scope(scope, [&] { return joins_.leaf(site_, leaf); }), present});
  }
  return values;
}

/// `tree` over `count` neighbours of the leaves.
std::vector<Maybe> ColumnReduction::some_leaves(const Leaves& leaves, Value first, std::int64_t count) {
  const auto all = w_.known(leaves.length);
  const auto some = [&](Value begin, std::int64_t n) {
    std::vector<std::vector<Maybe>> row;
    for (std::int64_t k = 0; k < n; ++k) {
      const Value position = w_.add(w_.add(first, begin), w_.i64(k));
      const bool is_last = all && w_.known(position) == *all - 1;
      row.push_back(leaves_at(leaves, position, is_last ? leaves.has_last : nullptr));
    }
    return partial_.pairwise(site_, std::move(row));
  };
  return partial_.by_halves(site_, 0, count, at_once(), some);
}

/// `tree` over the leaves, for each of the thread's columns.
std::vector<Values> ColumnReduction::column_tree(const Leaves& leaves) {
  std::vector<Values> out;
  const auto count = w_.known(leaves.length);
  if (count && *count > written_out) return long_tree(leaves, *count);
  if (count) {
    for (const Maybe& node : some_leaves(leaves, w_.i64(0), *count)) out.push_back(node.value);
    return out;
  }
  TreeCounter counter(folds_, site_, columns_.size());
  counter.fill(leaves.length, at_once(), [&](Value first, std::int64_t n) { return some_leaves(leaves, first, n); });
  for (std::size_t column = 0; column < columns_.size(); ++column)
    out.push_back(folds_.trees().finish(site_, counter.of(column), leaves.length));
  return out;
}

/// The same for a known number of leaves: a counter has them in groups, and what is left after these is joined last.
std::vector<Values> ColumnReduction::long_tree(const Leaves& leaves, std::int64_t count) {
  std::int64_t left = count % of_count;
  if (left == 0 && leaves.has_last) left = of_count;
  const std::int64_t groups = (count - left) / of_count;
  TreeCounter counter(folds_, site_, columns_.size());
  const std::uint64_t level = std::countr_zero(static_cast<std::uint64_t>(of_count));
  w_.for_range(
      w_.i64(0), w_.i64(groups),
      [&](Value group) {
        const Value first = b_.shl(group, level, Fits::always);
        counter.push(some_leaves(leaves, first, of_count), group, static_cast<std::int64_t>(level));
      },
      false);
  const Value before = w_.i64(groups * of_count);
  std::vector<Maybe> last;
  if (left > 0) last = some_leaves(leaves, before, left);
  std::vector<Values> out;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    const auto of_groups = [&] { return folds_.trees().finish(site_, counter.of(column), before); };
    const auto of_all = [&] {
      return folds_.trees().after_runs(site_, counter.of(column), before, {last[column].value})[0];
    };
    if (left == 0) out.push_back(of_groups());
    else out.push_back(last[column].present ? w_.branch(last[column].present, of_all, of_groups) : of_all());
  }
  return out;
}

void ColumnReduction::keep(Value node, const std::vector<Values>& values) {
  for (std::size_t column = 0; column < columns_.size(); ++column)
    w_.store_at(shared_[column], node_of_lane(node), values[column]);
}

Value ColumnReduction::node_of_lane(Value node) { return w_.add(b_.mul(node, w_.i64(warp)), reducer_.lane()); }

void ColumnReduction::lower() {
  kernel_.block_items = static_cast<std::uint32_t>(warp * vector_);
  for (std::int64_t k = 0; k < vector_; ++k) shared_.push_back(reducer_.shared_arrays(site_, nodes_ * warp));
  extents_ = extents_of(body_.space);
  Value total = w_.i64(1);
  for (ir::IndexId extent : extents_) total = w_.multiply(total, w_.index(extent));
  Value of_part = w_.divide_up(total, w_.i64(kernel_.block_items));
  Value groups = w_.multiply(of_part, w_.i64(shares_.parts));
  Value block = b_.block();
  Value blocks = b_.blocks();
  w_.if_then(b_.less(block, groups), [&] {
    w_.loop(block, groups, blocks, {}, [&](Value number, const Values&) {
      lower_group(number, of_part, total);
      return Values{};
    });
  });
}

/// Computes a block's items over its part of the leaves.
void ColumnReduction::lower_group(Value number, Value of_part, Value total) {
  Value group = shares_.parts > 1 ? b_.urem(number, of_part) : number;
  part_ = shares_.parts > 1 ? b_.udiv(number, of_part) : nullptr;
  Value first = b_.add(b_.mul(group, w_.i64(kernel_.block_items), Fits::always),
                       b_.mul(reducer_.lane(), w_.i64(vector_), Fits::always), Fits::always);
  Value is_there = b_.less(first, total);
  // A lane beyond the last item repeats item 0 and drops the result, so that all lanes reach the barriers.
  Value item = b_.select(is_there, first, w_.i64(0));
  columns_.clear();
  const Values coordinates = parts_.items().item_coordinates(extents_, item);
  for (std::int64_t k = 0; k < vector_; ++k) {
    columns_.emplace_back();
    for (std::size_t d = 0; d < body_.space.size(); ++d) {
      const bool is_last = d + 1 == body_.space.size();
      Value coordinate = is_last ? w_.add(coordinates[d], w_.i64(k)) : coordinates[d];
      columns_.back().push_back({body_.space[d].variable, body_.space[d].extent, coordinate});
    }
  }
  Value length = w_.index(site_.node.indices[0]);
  const Values flat = w_.branch(
      b_.greater(length, w_.i64(0)), [&] { return folded_columns(length); }, [&] { return empty_columns(); });
  w_.if_then(b_.bit_and(is_there, b_.equal(reducer_.warp_number(), w_.i64(0))), [&] {
    const std::size_t parts = site_.scalars.size();
    Value to = part_ ? w_.add(b_.mul(part_, total), item) : item;
    for (std::int64_t k = 0; k < vector_; ++k) {
      Values own;
      for (const Scope::Bound& bound : columns_[static_cast<std::size_t>(k)]) own.push_back(bound.value);
      parts_.store(placed_, kernel_, w_.add(to, w_.i64(k)), own, nth_node(flat, static_cast<std::size_t>(k), parts));
    }
  });
  reducer_.barrier();
}

/// The values of empty reductions.
Values ColumnReduction::empty_columns() {
  Values none;
  for (const auto& column : columns_) {
    Scope scope;
    scope.variables = column;
    none.append(w_.in_scope(scope, [&] { return joins_.empty_fold(site_); }));
  }
  return none;
}

/// The folds of a thread's items, one after the other, in the threads of the first warp.
Values ColumnReduction::folded_columns(Value length) {
  Value count = lanes_ == 1 ? nodes_of_runs(length) : nodes_of_lanes(length);
  reducer_.barrier();
  return join_nodes(count);
}

/// Every warp makes a node of an aligned run of the leaves, for each of its items; gives how many warps have one.
Value ColumnReduction::nodes_of_runs(Value length) {
  // A block has so many leaves; the last one may have fewer.
  Value most = part_ ? w_.i64(column_run(*w_.known(length), shares_.parts)) : length;
  Value begin = part_ ? b_.mul(part_, most) : w_.i64(0);
  const bool all_have = !part_ || *w_.known(length) % *w_.known(most) == 0;
  Value mine = all_have ? most : w_.smaller(most, b_.sub(length, begin));
  Value run = reducer_.power_of_two_from(w_.divide_up(most, w_.i64(warps_)));
  Value count = w_.divide_up(mine, run);
  const bool whole = w_.known(mine) && w_.known(run) && *w_.known(mine) % *w_.known(run) == 0;
  w_.if_then(b_.less(reducer_.warp_number(), count), [&] {
    Value first = b_.mul(reducer_.warp_number(), run);
    keep(reducer_.warp_number(),
         column_tree({w_.add(begin, first), 1, whole ? run : w_.smaller(run, b_.sub(mine, first))}));
  });
  return count;
}

/// The node of one of the schedule's lanes, that is `further` in a run of lanes.
std::vector<Values> ColumnReduction::tree_of_lane(Value run, std::int64_t lanes, Value further, Value length) {
  const Value lane = w_.add(run, further);
  const auto leaves = w_.known(length);
  if (!leaves) return column_tree({lane, lanes_, w_.divide_up(b_.sub(length, lane), w_.i64(lanes_))});
  const Value most = w_.i64((*leaves + lanes_ - 1) / lanes_);
  const std::int64_t over = *leaves % lanes_;
  // Of fewer leaves than lanes, each is a lane.
  if (over == 0 || *leaves < lanes_) return column_tree({lane, lanes_, most});
  // Mostly all lanes of a run have a last leaf or none has: they share what says so.
  return column_tree({lane, lanes_, most, b_.less(over % lanes == 0 ? run : lane, w_.i64(over))});
}

/// Every warp makes the nodes of some of the schedule's lanes, for each of its items; gives how many nodes there are.
Value ColumnReduction::nodes_of_lanes(Value length) {
  Value before = part_ ? b_.mul(part_, w_.i64(lanes_of_block_)) : nullptr;
  const auto lane_of = [&](Value number) { return before ? w_.add(before, number) : number; };
  if (shares_.joins_lanes) {
    const std::int64_t run = lanes_of_block_ / warps_;
    const Value first = b_.mul(reducer_.warp_number(), w_.i64(run), Fits::always);
    std::vector<Values> nodes;
    for (const Maybe& node : partial_.by_halves(site_, 0, run, 1, [&](Value number, std::int64_t) {
           std::vector<Maybe> of_lane;
           for (Values& value : tree_of_lane(lane_of(first), run, number, length)) of_lane.push_back({value});
           return of_lane;
         }))
      nodes.push_back(node.value);
    keep(reducer_.warp_number(), nodes);
    return w_.i64(warps_);
  }
  Value count = part_ ? w_.i64(lanes_of_block_) : w_.smaller(w_.i64(lanes_), length);
  w_.if_then(b_.less(reducer_.warp_number(), count), [&] {
    w_.loop(
        reducer_.warp_number(), count, w_.i64(warps_), {},
        [&](Value node, const Values&) {
          keep(node, tree_of_lane(lane_of(node), 1, w_.i64(0), length));
          return Values{};
        },
        false);
  });
  return count;
}

/// A fold of nodes in shared memory; `tree` of a few is written out.
Values ColumnReduction::fold_of_nodes(ir::ScheduleId order, const Slice& nodes) {
  const auto count = w_.known(nodes.length);
  if (!count || *count > most_at_once || module_.schedules()[order].op != ScheduleOp::tree)
    return folds_.fold(site_, order, nodes, {});
  const auto some = [&](Value first, std::int64_t n) {
    std::vector<std::vector<Maybe>> row;
    for (std::int64_t k = 0; k < n; ++k) row.push_back({{folds_.node_at(site_, nodes, w_.add(first, w_.i64(k))), {}}});
    return partial_.pairwise(site_, std::move(row));
  };
  return partial_.by_halves(site_, 0, *count, most_at_once, some)[0].value;
}

/// Joins what is left: the warps share it, and then the threads of each warp compute the result.
Values ColumnReduction::join_nodes(Value count) {
  const ir::ScheduleId by_tree = module_.schedules().simple(ScheduleOp::tree);
  const ir::ScheduleId rest = lanes_ == 1 ? by_tree : module_.schedules()[body_.schedule].operands[1];
  const bool shares = module_.schedules()[rest].op == ScheduleOp::tree && nodes_ > warps_;
  const std::int64_t run = shares ? nodes_ / warps_ : 1;
  std::vector<List> stored(columns_.size());
  for (std::size_t k = 0; k < stored.size(); ++k) {
    stored[k].kind = List::Kind::stored;
    stored[k].pointers = shared_[k];
  }
  if (shares) {
    // Every warp has an aligned run.
    Value first = b_.mul(reducer_.warp_number(), w_.i64(run));
    w_.if_then(b_.less(first, count), [&] {
      Value at_first = node_of_lane(first);
      const bool whole = w_.known(count) && *w_.known(count) % run == 0;
      const Value of_run = whole ? w_.i64(run) : w_.smaller(w_.i64(run), b_.sub(count, first));
      for (std::size_t k = 0; k < stored.size(); ++k) {
        const Slice mine{&stored[k], at_first, w_.i64(warp), of_run};
        w_.store_at(shared_[k], at_first, fold_of_nodes(by_tree, mine));
      }
    });
    reducer_.barrier();
  }
  Values all;
  for (List& list : stored) {
    const Slice left{&list, reducer_.lane(), w_.i64(run * warp), w_.divide_up(count, w_.i64(run))};
    Values values = joins_.rounded_product(site_, fold_of_nodes(rest, left));
    values.resize(site_.scalars.size());
    if (!part_) values = joins_.whole(site_, values);
    all.append(values);
  }
  return all;
}

}  // namespace reckon::codegen
