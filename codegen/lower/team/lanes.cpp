// `lanes(L, tree)` and `tree` by a block. A superrow is as many neighbouring leaves as one read of a warp takes, or L
// of them if that is more; it holds one or more whole rows of L leaves. Each group of warps has a run of a power of two
// of superrows, the last run maybe less.

#include <bit>

#include "codegen/lower/team/superrows.h"
#include "codegen/place/place.h"

namespace reckon::codegen {


namespace {

constexpr std::int64_t written_out = 64;   ///< superrows that are joined without a counter,
constexpr std::int64_t maybe_absent = 16;  ///< or if it is not known how many there are
constexpr std::int64_t counter_levels = 48;

}  // namespace

Team::Rows Team::rows_of(const FoldSite& site, const Slice& slice, std::int64_t lanes) const {
  Rows rows;
  rows.slice = slice;
  rows.lanes = lanes;
  rows.vector = vector_width(l_, site, slice);
  rows.size = std::max(lanes, warp * rows.vector);
  rows.lane_blocks = rows.size / (warp * rows.vector);
  rows.groups = std::max<std::int64_t>(1, threads_ / warp / rows.lane_blocks);
  rows.at_once = l_.is_cheap(site, slice) ? some_at_once : 1;
  return rows;
}

std::int64_t Team::lanes_room(const FoldSite& site, const Slice& slice, std::int64_t lanes) const {
  return lanes * rows_of(site, slice, lanes).groups;
}

Nodes Team::lanes_by_tree(const FoldSite& site, const Nodes& nodes, std::int64_t lanes) {
  const Slice& slice = nodes.slice;
  Rows rows = rows_of(site, slice, lanes);
  Value size = l_.i64(rows.size);
  rows.whole = b_.udiv(slice.length, size);
  rows.rest = b_.urem(slice.length, size);
  Value all = b_.add(rows.whole, b_.extend(b_.not_equal(rows.rest, l_.i64(0))));
  rows.run = power_of_two_from(l_.divide_up(all, l_.i64(rows.groups)));
  rows.group = b_.udiv(warp_number_, l_.i64(rows.lane_blocks));
  write_out(rows, nodes.most);

  before_writing();
  const Values partials = shared_arrays(site, lanes * rows.groups);
  const std::int64_t warps = threads_ / warp;
  if (warps >= rows.lane_blocks) {
    Value block = b_.urem(warp_number_, l_.i64(rows.lane_blocks));
    rows.offset = b_.add(b_.mul(block, l_.i64(warp), Fits::always), lane_, Fits::always);
    lanes_of_group(site, rows, partials);
  } else {
    rows.group = l_.i64(0);
    l_.loop(warp_number_, l_.i64(rows.lane_blocks), l_.i64(warps), {}, [&](Value block, const Values&) {
      rows.offset = b_.add(b_.mul(block, l_.i64(warp), Fits::always), lane_, Fits::always);
      lanes_of_group(site, rows, partials);
      return Values{};
    });
  }
  barrier();
  if (rows.groups > 1) join_groups(site, rows, partials);
  return stored(partials, least(l_.i64(lanes), slice.length), lanes);
}

/// Is the run of a group a small number of superrows, which need no counter?
void Team::write_out(Rows& rows, std::optional<std::int64_t> most) const {
  const auto whole = l_.known(rows.whole), rest = l_.known(rows.rest);
  const std::int64_t share = whole ? *whole / rows.groups : 0;
  if (rest == 0 && share * rows.groups == whole && std::has_single_bit(static_cast<std::uint64_t>(share)) &&
      (slots_ || share <= (rows.at_once > 1 ? written_out : 4))) {
    rows.share = share;
    rows.all_there = true;
    return;
  }
  if (!most || rows.at_once == 1) return;
  const std::int64_t of_group = rows.size * rows.groups;
  const auto longest = std::bit_ceil(static_cast<std::uint64_t>((*most + of_group - 1) / of_group));
  if (longest > maybe_absent) return;
  rows.share = static_cast<std::int64_t>(longest);
  rows.run = l_.i64(rows.share);
}

/// What this thread's group has of its lanes, written to where the group keeps it.
void Team::lanes_of_group(const FoldSite& site, const Rows& rows, const Values& partials) {
  const auto kept = static_cast<std::size_t>(rows.kept());
  const std::int64_t row_threads = rows.lanes / rows.vector;  // in a warp; 0: even a vector has several rows
  Value leaf = b_.mul(rows.offset, l_.i64(rows.vector), Fits::always);
  Value lane = rows.lanes >= warp * rows.vector ? leaf : b_.bit_and(leaf, l_.i64(rows.lanes - 1));
  Value keeps =
      row_threads >= warp ? b_.flag(true) : b_.less(lane_, l_.i64(std::max<std::int64_t>(row_threads, 1)));
  auto keep = [&](std::size_t k, const Values& values) {
    Value to = l_.add(l_.multiply(rows.group, l_.i64(rows.lanes)), l_.add(lane, l_.i64(static_cast<std::int64_t>(k))));
    l_.store_at(partials, to, values);
  };
  Value first = b_.mul(rows.group, rows.run, Fits::always);

  if (rows.share > 0) {
    const std::vector<Maybe> nodes =
        rows.all_there ? all_superrows(site, rows, first) : some_of_superrows(site, rows, first);
    for (std::size_t k = 0; k < kept; ++k) {
      Value there = nodes[k].present ? b_.bit_and(keeps, nodes[k].present) : keeps;
      l_.when(there, [&] { keep(k, nodes[k].value); });
    }
    return;
  }

  TreeCounter counter(*this, site, kept);
  Value left = b_.sub(rows.whole, first);
  Value mine = l_.smaller(b_.maximum(left, l_.i64(0)), rows.run);
  counter.fill(mine, rows.at_once,
               [&](Value begin, std::int64_t n) { return superrows(site, rows, l_.add(first, begin), n); });
  // The incomplete superrow, if it is this group's.
  Values counts(kept, mine);
  if (l_.known(rows.rest) != 0) {
    Value is_mine = b_.bit_and(b_.not_equal(rows.rest, l_.i64(0)),
                                  b_.bit_and(b_.greater_equal(left, l_.i64(0)), b_.less(left, rows.run)));
    counts = l_.branch(
        is_mine,
        [&] {
          const std::vector<Maybe> nodes = superrow(site, rows, rows.whole, true);
          Values more;
          for (std::size_t k = 0; k < kept; ++k) {
            l_.when(nodes[k].present, [&] { l_.push(site, counter.of(k), mine, 0, nodes[k].value); });
            more.push_back(b_.add(mine, b_.extend(nodes[k].present)));
          }
          return more;
        },
        [&] { return Values(kept, mine); });
  }
  for (std::size_t k = 0; k < kept; ++k) {
    l_.when(b_.bit_and(keeps, b_.greater(counts[k], l_.i64(0))),
            [&] { keep(k, l_.finish(site, counter.of(k), counts[k])); });
  }
}

Team::TreeCounter::TreeCounter(Team& team, const FoldSite& site, std::size_t count) : team_(team), site_(site) {
  for (std::size_t k = 0; k < count; ++k) counters_.push_back(team.l_.make_counter(site, counter_levels));
}

void Team::TreeCounter::push(const std::vector<Maybe>& nodes, Value count, std::int64_t level) {
  Lowering& l = team_.l_;
  kernel::Builder& b = team_.b_;
  const std::size_t parts = site_.state.size();
  Values state{count, l.i64(level)};
  for (const Maybe& node : nodes) state.append(node.value.begin(), node.value.end());
  auto of = [&](const Values& now, std::size_t k) {
    return nth_node(std::span<const Value>(now).subspan(2), k, parts);
  };
  const Values end = l.while_loop(
      state, [&](const Values& now) { return b.odd(now[0]); },
      [&](const Values& now) {
        Values next{b.lshr(now[0], 1), b.add(now[1], l.i64(1))};
        std::vector<Values> before;
        for (std::size_t k = 0; k < nodes.size(); ++k) {
          before.push_back(l.load_at(counters_[k].stack, now[1]));
        }
        for (std::size_t k = 0; k < nodes.size(); ++k) {
          const Values joined = l.join(site_, before[k], of(now, k));
          next.append(joined.begin(), joined.end());
        }
        return next;
      });
  for (std::size_t k = 0; k < nodes.size(); ++k) l.store_at(counters_[k].stack, end[1], of(end, k));
}

void Team::TreeCounter::fill(Value length, std::int64_t many,
                             FunctionRef<std::vector<Maybe>(Value first, std::int64_t n)> joined) {
  kernel::Builder& b = team_.b_;
  Value done = b.index(0);
  for (std::int64_t n = many; n >= 1; n = n > 1 ? 1 : 0) {
    const auto level = static_cast<std::uint64_t>(std::countr_zero(static_cast<std::uint64_t>(n)));
    Value rounds = b.lshr(length, level);
    team_.l_.for_range(
        b.lshr(done, level), rounds,
        [&](Value round) {
          push(joined(b.shl(round, level, Fits::always), n), round, static_cast<std::int64_t>(level));
        },
        false);
    done = b.shl(rounds, level, Fits::always);
  }
}

/// One thread for each lane joins what the groups have of it, and keeps it where the first group had its own.
void Team::join_groups(const FoldSite& site, const Rows& rows, const Values& partials) {
  Value run_leaves = b_.mul(rows.run, l_.i64(rows.size), Fits::always);
  List list;
  list.kind = List::Kind::stored;
  list.pointers = partials;
  const auto whole = l_.known(rows.whole), rest = l_.known(rows.rest);
  const bool every_group_has_one = whole && rest == 0 && *whole > *l_.known(rows.run) * (rows.groups - 1);
  each(least(l_.i64(rows.lanes), rows.slice.length), rows.lanes, [&](Value lane) {
    Slice slice{&list, lane, l_.i64(rows.lanes), nullptr};
    auto tree = [&](Value count) {
      slice.length = count;
      return l_.fold_tree(site, slice);
    };
    // Groups whose run has a leaf of this lane.
    Value count = l_.divide_up(b_.sub(rows.slice.length, lane), run_leaves);
    Value groups = l_.i64(rows.groups);
    auto whole_tree = [&] { return tree(groups); };
    auto part_of_tree = [&] { return rows.share > 0 ? tree_of_some(site, slice, rows.groups, count) : tree(count); };
    const Values result =
        every_group_has_one ? whole_tree() : l_.branch(b_.equal(count, groups), whole_tree, part_of_tree);
    l_.store_at(partials, lane, result);
  });
  barrier();
}

/// Every warp does it: then no thread has to be told. Each lane has a run of a power of two of nodes.
Values Team::tree_of_stored(const FoldSite& site, const Nodes& nodes) {
  must_wait_ = true;
  std::int64_t size = 1;
  while (size < *nodes.most) size *= 2;
  if (size == 1) return l_.node_at(site, nodes.slice, l_.i64(0));
  const std::int64_t run = std::max<std::int64_t>(1, size / warp);
  const bool full = l_.known(nodes.slice.length) == size;
  std::vector<std::vector<Maybe>> level;
  Value first = b_.mul(b_.bit_and(lane_, l_.i64(std::min(size, warp) - 1)), l_.i64(run), Fits::always);
  for (std::int64_t k = 0; k < run; ++k) {
    Value position = l_.add(first, l_.i64(k));
    if (full) {
      level.push_back({{l_.node_at(site, nodes.slice, position), nullptr}});
      continue;
    }
    level.push_back({one_of(site, nodes.slice, position, nodes.slice.length)});
  }
  Maybe mine = pairwise(site, std::move(level))[0];
  for (std::int64_t bit = 1; bit < std::min(size, warp); bit *= 2) mine = butterfly(site, mine, bit);
  return mine.value;
}

}  // namespace reckon::codegen
