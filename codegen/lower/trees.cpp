// The schedules that are trees: `tree`, `halving` and quoted ones.
//
// `tree` counts: after c nodes a stack holds, for each bit l of c, the result of 2^l nodes in a row; a new node joins
// the results of the trailing ones, as a carry runs. At the end what is left is joined from the last (lowest) up, the
// left operand first: pairing neighbours again and again, carrying an odd last one, gives the same tree.
#include "codegen/lower/trees.h"

#include <algorithm>

#include "codegen/lower/folds.h"

namespace reckon::codegen {

namespace {

constexpr std::int64_t counter_levels = 64;
constexpr std::int64_t max_by_levels = 4096;  ///< nodes in memory: two more arrays of half as many are on the stack

void postorder(const ir::TreeStore& trees, ir::TreeId root, std::vector<std::int64_t>& program) {
  // A stack instead of recursion: the written-out tree of `seq` is as deep as it has leaves.
  std::vector<std::pair<ir::TreeId, bool>> pending{{root, false}};
  while (!pending.empty()) {
    auto [id, expanded] = pending.back();
    pending.pop_back();
    const ir::TreeNode& node = trees[id];
    if (node.leaf >= 0) {
      program.push_back(node.leaf);
    } else if (expanded) {
      program.push_back(-1);
    } else {
      pending.push_back({id, true});
      pending.push_back({node.right, false});
      pending.push_back({node.left, false});
    }
  }
}

/// How many values the post-order program has at most on its stack.
std::int64_t program_depth(const std::vector<std::int64_t>& program) {
  std::int64_t depth = 0, most = 0;
  for (std::int64_t step : program) {
    depth += step >= 0 ? 1 : -1;
    most = std::max(most, depth);
  }
  return most;
}

}  // namespace

TreeFolds::TreeFolds(Folds& folds, Joins& joins) : LoweringParts(folds, joins) {}

Counter TreeFolds::make_counter(const FoldSite& site, std::int64_t levels) {
  Counter counter;
  for (Type type : site.state) counter.stack.push_back(w_.stack_array(type, levels));
  return counter;
}

Values TreeFolds::push(const FoldSite& site, const Counter& counter, Value count, std::int64_t level, Values value) {
  Values state{count, w_.i64(level)};
  state.append(value.begin(), value.end());
  const Values end = w_.while_loop(
      state, [&](const Values& now) { return b_.odd(now[0]); },
      [&](const Values& now) {
        const Values left = w_.load_at(counter.stack, now[1]);
        const Values joined = joins_.join(site, left, Values(now.begin() + 2, now.end()));
        Values next{b_.lshr(now[0], 1), b_.add(now[1], w_.i64(1))};
        next.append(joined.begin(), joined.end());
        return next;
      });
  const Values run(end.begin() + 2, end.end());
  w_.store_at(counter.stack, end[1], run);
  return run;
}

Values TreeFolds::finish(const FoldSite& site, const Counter& counter, Value count) {
  const Values last = w_.load_at(counter.stack, b_.trailing_zeros(count));
  return after_runs(site, counter, b_.bit_and(count, b_.sub(count, w_.i64(1))), {last})[0];
}

std::vector<Values> TreeFolds::after_runs(const FoldSite& site, Value number, const std::vector<Values>& nodes,
                                          FunctionRef<Values(Value left, Value level)> load) {
  Values state{number};
  for (const Values& node : nodes) state.append(node);
  const Values end = w_.while_loop(
      state, [&](const Values& now) { return b_.not_equal(now[0], w_.i64(0)); },
      [&](const Values& now) {
        const Values run = load(now[0], b_.trailing_zeros(now[0]));
        Values joined;
        for (const Values& node : nodes_apart(Values(now.begin() + 1, now.end()), site.state.size())) {
          joined.append(joins_.join(site, run, node));
        }
        Values next{b_.bit_and(now[0], b_.sub(now[0], w_.i64(1)))};
        next.append(joined);
        return next;
      });
  return nodes_apart(Values(end.begin() + 1, end.end()), site.state.size());
}

std::vector<Values> TreeFolds::after_runs(const FoldSite& site, const Counter& counter, Value number,
                                          const std::vector<Values>& nodes) {
  return after_runs(site, number, nodes, [&](Value, Value level) { return w_.load_at(counter.stack, level); });
}

Values TreeFolds::fold_tree(const FoldSite& site, const Slice& slice) {
  const bool cheap = folds_.is_cheap(site, slice);
  const auto fixed = w_.known(slice.length);
  if (fixed && (*fixed == 1 || (cheap && *fixed <= max_written_out))) {
    // A tree over few nodes is unrolled.
    std::vector<Values> row;
    for (std::int64_t k = 0; k < *fixed; ++k) row.push_back(folds_.node_at(site, slice, w_.i64(k)));
    return joined_in_pairs(site, std::move(row));
  }
  const bool stored =
      slice.list->kind == List::Kind::stored && w_.known(slice.start) == 0 && w_.known(slice.stride) == 1;
  if (fixed && stored && *fixed <= max_by_levels && w_.target() == Target::host)
    return fold_by_levels(site, slice.list->pointers, *fixed);
  return finish(site, fill_counter(site, slice), slice.length);
}

/// Neighbours are joined again and again; an odd last one goes on as it is.
Values TreeFolds::joined_in_pairs(const FoldSite& site, std::vector<Values> row) {
  while (row.size() > 1) {
    std::vector<Values> above;
    for (std::size_t k = 0; k + 1 < row.size(); k += 2) above.push_back(joins_.join(site, row[k], row[k + 1]));
    if (row.size() % 2 == 1) above.push_back(row.back());
    row = std::move(above);
  }
  return row[0];
}

/// The same of many nodes in memory, level by level, each of which LLVM computes by vectors: from one array to another
/// one, in turns.
Values TreeFolds::fold_by_levels(const FoldSite& site, const Values& nodes, std::int64_t count) {
  constexpr std::int64_t few = 8;
  Values from = nodes, free[2];
  for (std::size_t turn = 0; count > few; turn ^= 1) {
    const std::int64_t pairs = count / 2, above = count - pairs;
    Values& to = free[turn];
    if (to.empty())
      for (const Type type : site.state) to.push_back(w_.stack_array(type, above));
    w_.for_range(
        w_.i64(0), w_.i64(pairs),
        [&](Value k) {
          const Value left = b_.shl(k, 1, Fits::always);
          const Values right = w_.load_at(from, w_.add(left, w_.i64(1)));
          w_.store_at(to, k, joins_.join(site, w_.load_at(from, left), right));
        },
        false);
    if (above > pairs) w_.store_at(to, w_.i64(pairs), w_.load_at(from, w_.i64(count - 1)));
    from = to;
    count = above;
  }
  std::vector<Values> row;
  for (std::int64_t k = 0; k < count; ++k) row.push_back(w_.load_at(from, w_.i64(k)));
  return joined_in_pairs(site, std::move(row));
}

/// Folds blocks of powers of two of nodes as `tree` does, then joins them from the largest, the first, to the smallest.
Values TreeFolds::fold_blelloch(const FoldSite& site, const Slice& slice) {
  if (w_.known(slice.length) == 1) return folds_.node_at(site, slice, w_.i64(0));
  return finish_blelloch(site, fill_counter(site, slice), slice.length);
}

Values TreeFolds::finish_blelloch(const FoldSite& site, const Counter& counter, Value count) {
  auto highest = [&](Value of) { return b_.sub(w_.i64(63), b_.leading_zeros(of)); };
  Value first = highest(count);
  Values state{b_.bit_xor(count, b_.shl(w_.i64(1), first))};
  const Values largest = w_.load_at(counter.stack, first);
  state.append(largest.begin(), largest.end());
  const Values end = w_.while_loop(
      state, [&](const Values& now) { return b_.not_equal(now[0], w_.i64(0)); },
      [&](const Values& now) {
        Value level = highest(now[0]);
        const Values right = w_.load_at(counter.stack, level);
        const Values joined = joins_.join(site, Values(now.begin() + 1, now.end()), right);
        Values next{b_.bit_xor(now[0], b_.shl(w_.i64(1), level))};
        next.append(joined.begin(), joined.end());
        return next;
      });
  return Values(end.begin() + 1, end.end());
}

Counter TreeFolds::fill_counter(const FoldSite& site, const Slice& slice) {
  const Counter counter = make_counter(site, counter_levels);
  if (!folds_.is_cheap(site, slice)) {
    w_.loop(w_.i64(0), slice.length, w_.i64(1), {}, [&](Value position, const Values&) {
      push(site, counter, position, 0, folds_.node_at(site, slice, position));
      return Values{};
    });
    return counter;
  }
  // Eight nodes at a time, joined in registers, then the rest one by one.
  Value blocks = b_.lshr(slice.length, 3);
  w_.for_range(
      w_.i64(0), blocks,
      [&](Value block) {
        Value first = b_.shl(block, 3);
        std::vector<Values> row;
        for (int k = 0; k < 8; ++k) row.push_back(folds_.node_at(site, slice, w_.add(first, w_.i64(k))));
        for (; row.size() > 1; row.resize(row.size() / 2)) {
          for (std::size_t k = 0; k < row.size() / 2; ++k) row[k] = joins_.join(site, row[2 * k], row[2 * k + 1]);
        }
        push(site, counter, block, 3, row[0]);
      },
      false);
  w_.for_range(
      b_.shl(blocks, 3), slice.length,
      [&](Value position) { push(site, counter, position, 0, folds_.node_at(site, slice, position)); }, false);
  return counter;
}

/// halving(n) = halving(even positions) joined with halving(odd positions). So the leaves, from the left, are the
/// positions below P with their bits reversed: a counter joins them in this order, and absent ones pass through.
Values TreeFolds::fold_halving(const FoldSite& site, const Slice& slice) {
  if (w_.known(slice.length) == 1) return folds_.node_at(site, slice, w_.i64(0));
  Counter counter = make_counter(site, counter_levels);
  Value present_stack = w_.stack_array(Type::flag(), counter_levels);
  Value bits = w_.log2_up(slice.length);
  Value padded = b_.shl(w_.i64(1), bits);
  w_.loop(w_.i64(0), padded, w_.i64(1), {}, [&](Value visit, const Values&) {
    Value reversed = b_.reversed_bits(visit);
    // In two steps, because a shift by 64 has no value.
    Value position = b_.lshr(b_.lshr(reversed, 1), b_.sub(w_.i64(63), bits));
    Value is_present = b_.below(position, slice.length);
    const Values value = w_.branch(
        is_present, [&] { return folds_.node_at(site, slice, position); }, [&] { return joins_.zeros(site); });
    Values state{visit, w_.i64(0), is_present};
    state.append(value.begin(), value.end());
    const Values end = w_.while_loop(
        state, [&](const Values& now) { return b_.odd(now[0]); },
        [&](const Values& now) {
          // If the right subtree is present, so is the left one, because its least position is smaller.
          const Values left = w_.load_at(counter.stack, now[1]);
          Value left_present = b_.load(present_stack, now[1]);
          const auto joining = [&] { return joins_.join(site, left, Values(now.begin() + 3, now.end())); };
          const Values joined = joins_.drops_joins(site) ? joining() : w_.branch(now[2], joining, [&] { return left; });
          Values next{b_.lshr(now[0], 1), b_.add(now[1], w_.i64(1)), left_present};
          for (std::size_t k = 0; k < left.size(); ++k) next.push_back(b_.select(now[2], joined[k], left[k]));
          return next;
        });
    w_.store_at(counter.stack, end[1], Values(end.begin() + 3, end.end()));
    b_.store(present_stack, end[1], end[2]);
    return Values{};
  });
  return w_.load_at(counter.stack, bits);
}

Values TreeFolds::written_out(const FoldSite& site, ir::TreeId tree, const Slice& slice) {
  const ir::TreeNode node = module_.schedules().trees()[tree];
  if (node.leaf >= 0) return folds_.node_at(site, slice, w_.i64(node.leaf));
  const Values left = written_out(site, node.left, slice);
  return joins_.join(site, left, written_out(site, node.right, slice));
}

/// Runs the tree as a post-order program on a stack, so that the code of a leaf is emitted once for a tree of any size.
Values TreeFolds::fold_quoted(const FoldSite& site, ir::TreeId tree, const Slice& slice) {
  const ir::TreeStore& trees = module_.schedules().trees();
  if (trees.leaf_count(tree) == 1 || (folds_.is_cheap(site, slice) && trees.leaf_count(tree) <= max_written_out)) {
    return written_out(site, tree, slice);
  }
  std::vector<std::int64_t> program;
  postorder(trees, tree, program);
  const Counter stack = make_counter(site, program_depth(program));
  const auto length = static_cast<std::int64_t>(program.size());
  const Value table = b_.table(std::move(program));
  w_.loop(w_.i64(0), w_.i64(length), w_.i64(1), {w_.i64(0)}, [&](Value step, const Values& carried) {
    Value top = carried[0];
    Value instruction = b_.load(table, step);
    return w_.branch(
        b_.greater_equal(instruction, w_.i64(0)),
        [&] {
          const Values value = folds_.node_at(site, slice, instruction);
          w_.store_at(stack.stack, top, value);
          return Values{b_.add(top, w_.i64(1))};
        },
        [&] {
          Value left_at = b_.sub(top, w_.i64(2));
          const Values left = w_.load_at(stack.stack, left_at);
          const Values right = w_.load_at(stack.stack, b_.sub(top, w_.i64(1)));
          const Values joined = joins_.join(site, left, right);
          w_.store_at(stack.stack, left_at, joined);
          return Values{b_.sub(top, w_.i64(1))};
        });
  });
  return w_.load_at(stack.stack, w_.i64(0));
}

}  // namespace reckon::codegen
