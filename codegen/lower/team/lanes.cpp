// `lanes(L, tree)` and `tree` by a block. A superrow is as many neighbouring leaves as one read of a warp takes, or L
// of them if that is more; it holds one or more whole rows of L leaves. Each group of warps has a run of a power of two
// of superrows, the last run maybe less.
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <bit>

#include "codegen/lower/team/team.h"
#include "codegen/place.h"

namespace reckon::codegen {

using llvm::Value;

namespace {

constexpr std::int64_t some_at_once = 8;   ///< superrows whose loads are under way together
constexpr std::int64_t written_out = 64;   ///< superrows that are joined without a counter,
constexpr std::int64_t of_a_round = 8;     ///< of these, so many that a loop's body has
constexpr std::int64_t maybe_absent = 16;  ///< or if it is not known how many there are
constexpr std::int64_t counter_levels = 48;

}  // namespace

struct Team::Rows {
  Slice slice;
  std::int64_t lanes = 0;   ///< L
  std::int64_t vector = 0;  ///< neighbours that a thread reads at once
  std::int64_t size = 0;    ///< leaves of a superrow
  std::int64_t groups = 0;
  std::int64_t lane_blocks = 0;  ///< warps side by side in a superrow
  std::int64_t at_once = 1;
  Value* group = nullptr;   ///< this thread's
  Value* offset = nullptr;  ///< its vector's number in a superrow
  Value* whole = nullptr;   ///< complete superrows
  Value* rest = nullptr;    ///< leaves after them
  Value* run = nullptr;     ///< superrows of a group
  std::int64_t share = 0;   ///< the same, a small number if they are written out; else 0
  bool all_there = false;   ///< and every group has them all

  std::int64_t kept() const { return std::min(vector, lanes); }  ///< nodes that a thread has of a superrow
};

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
  Value* size = l_.i64(rows.size);
  rows.whole = b_.CreateUDiv(slice.length, size);
  rows.rest = b_.CreateURem(slice.length, size);
  Value* all = b_.CreateAdd(rows.whole, b_.CreateZExt(b_.CreateICmpNE(rows.rest, l_.i64(0)), b_.getInt64Ty()));
  rows.run = power_of_two_from(l_.divide_up(all, l_.i64(rows.groups)));
  rows.group = b_.CreateUDiv(warp_number_, l_.i64(rows.lane_blocks));
  write_out(rows, nodes.most);

  before_writing();
  const Values partials = shared_arrays(site, lanes * rows.groups);
  const std::int64_t warps = threads_ / warp;
  if (warps >= rows.lane_blocks) {
    Value* block = b_.CreateURem(warp_number_, l_.i64(rows.lane_blocks));
    rows.offset = b_.CreateAdd(b_.CreateMul(block, l_.i64(warp), "", true, true), lane_, "", true, true);
    lanes_of_group(site, rows, partials);
  } else {
    rows.group = l_.i64(0);
    l_.loop(warp_number_, l_.i64(rows.lane_blocks), l_.i64(warps), {}, [&](Value* block, const Values&) {
      rows.offset = b_.CreateAdd(b_.CreateMul(block, l_.i64(warp), "", true, true), lane_, "", true, true);
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
  const auto whole = Lowering::known(rows.whole), rest = Lowering::known(rows.rest);
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

/// The nodes that this thread has of a superrow, one for each of its lanes.
std::vector<Team::Maybe> Team::superrow(const FoldSite& site, const Rows& rows, Value* number, bool is_last) {
  // Multiplied by the vector's width last, so that LLVM sees that vectors are aligned.
  Value* vectors =
      b_.CreateAdd(b_.CreateMul(number, l_.i64(rows.size / rows.vector), "", true, true), rows.offset, "", true, true);
  Value* first = b_.CreateMul(vectors, l_.i64(rows.vector), "", true, true);
  std::vector<Maybe> nodes;
  for (std::int64_t k = 0; k < rows.vector; ++k) {
    Value* position = k == 0 ? first : b_.CreateAdd(first, l_.i64(k), "", true, true);
    if (!is_last) {
      nodes.push_back({l_.node_at(site, rows.slice, position), nullptr});
      continue;
    }
    Value* present = b_.CreateICmpSLT(position, rows.slice.length);
    const Values value = l_.branch(
        present, [&] { return l_.node_at(site, rows.slice, position); }, [&] { return l_.zeros(site); });
    nodes.push_back({value, present});
  }
  return within_superrow(site, rows, std::move(nodes));
}

/// Joins the rows inside of a vector, then those of the warp's threads.
std::vector<Team::Maybe> Team::within_superrow(const FoldSite& site, const Rows& rows, std::vector<Maybe> nodes) {
  const auto lanes = static_cast<std::size_t>(rows.lanes);
  while (nodes.size() > lanes) {
    std::vector<Maybe> above;
    for (std::size_t pair = 0; pair < nodes.size(); pair += 2 * lanes) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        above.push_back(joined(site, nodes[pair + lane], nodes[pair + lanes + lane]));
      }
    }
    nodes = std::move(above);
  }
  for (std::int64_t bit = std::max<std::int64_t>(1, rows.lanes / rows.vector); bit < warp; bit *= 2) {
    for (Maybe& node : nodes) node = butterfly(site, node, bit);
  }
  return nodes;
}

/// Is what this thread has of the list in its slots, in order?
bool Team::by_slots(const Rows& rows) const {
  const auto whole = Lowering::known(rows.whole);
  return slots_ && whole && static_cast<std::int64_t>(slots_->size()) * rows.groups == *whole * rows.vector;
}

/// The nodes of a power of two of complete superrows.
std::vector<Team::Maybe> Team::superrows(const FoldSite& site, const Rows& rows, Value* first, std::int64_t count,
                                         std::int64_t slot) {
  if (count > some_at_once) {
    return by_halves(site, 0, count, some_at_once, [&](Value* begin, std::int64_t n) {
      return superrows(site, rows, l_.add(first, begin), n, slot + *Lowering::known(begin) * rows.vector);
    });
  }
  std::vector<std::vector<Maybe>> level;
  for (std::int64_t k = 0; k < count; ++k) {
    if (!by_slots(rows)) {
      level.push_back(superrow(site, rows, l_.add(first, l_.i64(k)), false));
      continue;
    }
    std::vector<Maybe> nodes;
    for (std::int64_t j = 0; j < rows.vector; ++j) {
      Value* position = (*slots_)[static_cast<std::size_t>(slot + k * rows.vector + j)];
      nodes.push_back({l_.node_at(site, rows.slice, position), nullptr});
    }
    level.push_back(within_superrow(site, rows, std::move(nodes)));
  }
  return pairwise(site, std::move(level));
}

/// The nodes of rows.share superrows, in a loop of rounds. The left halves that wait for their right ones are in
/// registers: what is written out as a whole makes ptxas read too far ahead, and spill, and a stack in local memory
/// takes a tenth of the memory's speed (measured on an H200: 64 superrows of each of 8 warps).
std::vector<Team::Maybe> Team::all_superrows(const FoldSite& site, const Rows& rows, Value* first) {
  if (slots_ || rows.share <= of_a_round) return superrows(site, rows, first, rows.share);
  const std::int64_t rounds = rows.share / of_a_round;
  const int levels = std::countr_zero(static_cast<std::uint64_t>(rounds));
  const auto kept = static_cast<std::size_t>(rows.kept());
  const std::size_t parts = site.state.size();
  auto part_of = [&](const Values& values, std::size_t k) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(k * parts);
    return Values(begin, begin + static_cast<std::ptrdiff_t>(parts));
  };
  // Of each level the node of the left half, and the last round's node.
  Values initial;
  for (std::size_t k = 0; k < kept * static_cast<std::size_t>(levels + 1); ++k) initial.append(l_.zeros(site));
  const Values end = l_.loop(
      l_.i64(0), l_.i64(rounds), l_.i64(1), initial,
      [&](Value* round, const Values& now) {
        Value* begin = b_.CreateMul(round, l_.i64(of_a_round), "", true, true);
        Values node;
        for (const Maybe& each : superrows(site, rows, l_.add(first, begin), of_a_round)) node.append(each.value);
        Values next;
        for (int level = 0; level < levels; ++level) {
          const auto at_level = now.begin() + static_cast<std::ptrdiff_t>(next.size());
          const Values waiting(at_level, at_level + static_cast<std::ptrdiff_t>(node.size()));
          Value* done = b_.CreateAnd(round, l_.i64((std::int64_t{2} << level) - 1));
          Value* is_left = b_.CreateICmpEQ(done, l_.i64((std::int64_t{1} << level) - 1));
          Value* is_right = b_.CreateICmpEQ(done, l_.i64((std::int64_t{2} << level) - 1));
          for (std::size_t k = 0; k < node.size(); ++k) {
            next.push_back(b_.CreateSelect(is_left, node[k], waiting[k]));
          }
          node = l_.branch(
              is_right,
              [&] {
                Values both;
                for (std::size_t k = 0; k < kept; ++k) {
                  both.append(l_.join(site, part_of(waiting, k), part_of(node, k)));
                }
                return both;
              },
              [&] { return node; });
        }
        next.append(node);
        return next;
      },
      false);
  std::vector<Maybe> nodes;
  for (std::size_t k = 0; k < kept; ++k) {
    nodes.push_back({part_of(end, static_cast<std::size_t>(levels) * kept + k), nullptr});
  }
  return nodes;
}

/// The nodes of rows.share superrows, of which the last ones may be absent, and one incomplete. In place of an absent
/// one, the last complete one is read, and not used: all loads are under way together.
std::vector<Team::Maybe> Team::some_of_superrows(const FoldSite& site, const Rows& rows, Value* first) {
  const auto rest = Lowering::known(rows.rest);
  const auto kept = static_cast<std::size_t>(rows.kept());
  const std::size_t parts = site.state.size();
  Value* left = b_.CreateSub(rows.whole, first);  // complete ones of this group, or more; or below 0
  auto flat = [](const std::vector<Maybe>& nodes) {
    Values values;
    for (const Maybe& node : nodes) {
      values.append(node.value.begin(), node.value.end());
      values.push_back(node.present);
    }
    return values;
  };
  auto nodes_of = [&](const Values& values) {
    std::vector<Maybe> nodes;
    for (std::size_t k = 0; k < kept; ++k) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(k * (parts + 1));
      nodes.push_back({Values(begin, begin + static_cast<std::ptrdiff_t>(parts)), values[k * (parts + 1) + parts]});
    }
    return nodes;
  };
  auto none = [&] { return flat(std::vector<Maybe>(kept, {l_.zeros(site), b_.getFalse()})); };
  std::vector<Maybe> incomplete;
  if (rest != 0) {
    Value* is_mine =
        b_.CreateAnd(b_.CreateICmpNE(rows.rest, l_.i64(0)),
                     b_.CreateAnd(b_.CreateICmpSGE(left, l_.i64(0)), b_.CreateICmpSLT(left, l_.i64(rows.share))));
    incomplete = nodes_of(l_.branch(
        is_mine, [&] { return flat(superrow(site, rows, rows.whole, true)); }, none));
  }
  auto complete = [&] {
    Value* last = b_.CreateSub(rows.whole, l_.i64(1));
    return flat(by_halves(site, 0, rows.share, some_at_once, [&](Value* begin, std::int64_t n) {
      std::vector<std::vector<Maybe>> level;
      for (std::int64_t k = 0; k < n; ++k) {
        Value* number = l_.add(begin, l_.i64(k));
        std::vector<Maybe> row = superrow(site, rows, l_.smaller(l_.add(first, number), last), false);
        Value* is_there = b_.CreateICmpSLT(number, left);
        Value* is_incomplete = b_.CreateICmpEQ(number, left);
        for (std::size_t j = 0; j < kept; ++j) {
          row[j].present = is_there;
          if (incomplete.empty()) continue;
          for (std::size_t part = 0; part < parts; ++part) {
            row[j].value[part] = b_.CreateSelect(is_incomplete, incomplete[j].value[part], row[j].value[part]);
          }
          row[j].present = b_.CreateOr(is_there, b_.CreateAnd(is_incomplete, incomplete[j].present));
        }
        level.push_back(std::move(row));
      }
      return pairwise(site, std::move(level));
    }));
  };
  return nodes_of(l_.branch(b_.CreateICmpSGT(rows.whole, l_.i64(0)), complete,
                            [&] { return incomplete.empty() ? none() : flat(incomplete); }));
}

std::vector<Team::Maybe> Team::by_halves(const FoldSite& site, std::int64_t first, std::int64_t count,
                                         std::int64_t many,
                                         llvm::function_ref<std::vector<Maybe>(Value* first, std::int64_t n)> some) {
  if (count <= many) return some(l_.i64(first), count);
  std::vector<Maybe> nodes = by_halves(site, first, count / 2, many, some);
  const std::vector<Maybe> right = by_halves(site, first + count / 2, count / 2, many, some);
  for (std::size_t list = 0; list < nodes.size(); ++list) nodes[list] = joined(site, nodes[list], right[list]);
  return nodes;
}

std::vector<Team::Maybe> Team::pairwise(const FoldSite& site, std::vector<std::vector<Maybe>> nodes) {
  for (; nodes.size() > 1; nodes.resize(nodes.size() / 2)) {
    for (std::size_t k = 0; k < nodes.size() / 2; ++k) {
      for (std::size_t list = 0; list < nodes[k].size(); ++list) {
        nodes[k][list] = joined(site, nodes[2 * k][list], nodes[2 * k + 1][list]);
      }
    }
  }
  return std::move(nodes[0]);
}

/// What this thread's group has of its lanes, written to where the group keeps it.
void Team::lanes_of_group(const FoldSite& site, const Rows& rows, const Values& partials) {
  const auto kept = static_cast<std::size_t>(rows.kept());
  const std::int64_t row_threads = rows.lanes / rows.vector;  // in a warp; 0: even a vector has several rows
  Value* leaf = b_.CreateMul(rows.offset, l_.i64(rows.vector), "", true, true);
  Value* lane = rows.lanes >= warp * rows.vector ? leaf : b_.CreateAnd(leaf, l_.i64(rows.lanes - 1));
  Value* keeps =
      row_threads >= warp ? b_.getTrue() : b_.CreateICmpSLT(lane_, l_.i64(std::max<std::int64_t>(row_threads, 1)));
  auto keep = [&](std::size_t k, const Values& values) {
    Value* to = l_.add(l_.multiply(rows.group, l_.i64(rows.lanes)), l_.add(lane, l_.i64(static_cast<std::int64_t>(k))));
    l_.store_at(site, partials, to, values);
  };
  Value* first = b_.CreateMul(rows.group, rows.run, "", true, true);

  if (rows.share > 0) {
    const std::vector<Maybe> nodes =
        rows.all_there ? all_superrows(site, rows, first) : some_of_superrows(site, rows, first);
    for (std::size_t k = 0; k < kept; ++k) {
      Value* there = nodes[k].present ? b_.CreateAnd(keeps, nodes[k].present) : keeps;
      l_.when(there, [&] { keep(k, nodes[k].value); });
    }
    return;
  }

  TreeCounter counter(*this, site, kept);
  Value* left = b_.CreateSub(rows.whole, first);
  Value* mine = l_.smaller(b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, left, l_.i64(0)), rows.run);
  counter.fill(mine, rows.at_once,
               [&](Value* begin, std::int64_t n) { return superrows(site, rows, l_.add(first, begin), n); });
  // The incomplete superrow, if it is this group's.
  Values counts(kept, mine);
  if (Lowering::known(rows.rest) != 0) {
    Value* is_mine = b_.CreateAnd(b_.CreateICmpNE(rows.rest, l_.i64(0)),
                                  b_.CreateAnd(b_.CreateICmpSGE(left, l_.i64(0)), b_.CreateICmpSLT(left, rows.run)));
    counts = l_.branch(
        is_mine,
        [&] {
          const std::vector<Maybe> nodes = superrow(site, rows, rows.whole, true);
          Values more;
          for (std::size_t k = 0; k < kept; ++k) {
            l_.when(nodes[k].present, [&] { l_.push(site, counter.of(k), mine, 0, nodes[k].value); });
            more.push_back(b_.CreateAdd(mine, b_.CreateZExt(nodes[k].present, b_.getInt64Ty())));
          }
          return more;
        },
        [&] { return Values(kept, mine); });
  }
  for (std::size_t k = 0; k < kept; ++k) {
    l_.when(b_.CreateAnd(keeps, b_.CreateICmpSGT(counts[k], l_.i64(0))),
            [&] { keep(k, l_.finish(site, counter.of(k), counts[k])); });
  }
}

Team::TreeCounter::TreeCounter(Team& team, const FoldSite& site, std::size_t count) : team_(team), site_(site) {
  for (std::size_t k = 0; k < count; ++k) counters_.push_back(team.l_.make_counter(site, counter_levels));
}

void Team::TreeCounter::push(const std::vector<Maybe>& nodes, Value* count, std::int64_t level) {
  Lowering& l = team_.l_;
  Builder& b = team_.b_;
  const std::size_t parts = site_.state.size();
  Values state{count, l.i64(level)};
  for (const Maybe& node : nodes) state.append(node.value.begin(), node.value.end());
  auto of = [&](const Values& now, std::size_t k) {
    const auto begin = now.begin() + static_cast<std::ptrdiff_t>(2 + k * parts);
    return Values(begin, begin + static_cast<std::ptrdiff_t>(parts));
  };
  const Values end = l.while_loop(
      state, [&](const Values& now) { return b.CreateTrunc(now[0], b.getInt1Ty()); },
      [&](const Values& now) {
        Values next{b.CreateLShr(now[0], 1), b.CreateAdd(now[1], l.i64(1))};
        std::vector<Values> before;
        for (std::size_t k = 0; k < nodes.size(); ++k) {
          before.push_back(l.load_at(site_, counters_[k].stack, now[1]));
        }
        for (std::size_t k = 0; k < nodes.size(); ++k) {
          const Values joined = l.join(site_, before[k], of(now, k));
          next.append(joined.begin(), joined.end());
        }
        return next;
      });
  for (std::size_t k = 0; k < nodes.size(); ++k) l.store_at(site_, counters_[k].stack, end[1], of(end, k));
}

void Team::TreeCounter::fill(Value* length, std::int64_t many,
                             llvm::function_ref<std::vector<Maybe>(Value* first, std::int64_t n)> joined) {
  Builder& b = team_.b_;
  Value* done = b.getInt64(0);
  for (std::int64_t n = many; n >= 1; n = n > 1 ? 1 : 0) {
    const auto level = static_cast<std::uint64_t>(std::countr_zero(static_cast<std::uint64_t>(n)));
    Value* rounds = b.CreateLShr(length, level);
    team_.l_.for_range(
        b.CreateLShr(done, level), rounds,
        [&](Value* round) {
          push(joined(b.CreateShl(round, level, "", true, true), n), round, static_cast<std::int64_t>(level));
        },
        false);
    done = b.CreateShl(rounds, level, "", true, true);
  }
}

/// `tree` of the first `count` of `most` nodes, a power of two.
Values Team::tree_of_some(const FoldSite& site, const Slice& slice, std::int64_t most, Value* count) {
  return by_halves(
             site, 0, most, some_at_once,
             [&](Value* begin, std::int64_t n) {
               std::vector<std::vector<Maybe>> level;
               for (std::int64_t k = 0; k < n; ++k) {
                 Value* number = l_.add(begin, l_.i64(k));
                 Value* present = b_.CreateICmpSLT(number, count);
                 // The first node stands for those that are absent.
                 level.push_back({{l_.node_at(site, slice, b_.CreateSelect(present, number, l_.i64(0))), present}});
               }
               return pairwise(site, std::move(level));
             })[0]
      .value;
}

/// One thread for each lane joins what the groups have of it, and keeps it where the first group had its own.
void Team::join_groups(const FoldSite& site, const Rows& rows, const Values& partials) {
  Value* run_leaves = b_.CreateMul(rows.run, l_.i64(rows.size), "", true, true);
  List list;
  list.kind = List::Kind::stored;
  list.pointers = partials;
  const auto whole = Lowering::known(rows.whole), rest = Lowering::known(rows.rest);
  const bool every_group_has_one = whole && rest == 0 && *whole > *Lowering::known(rows.run) * (rows.groups - 1);
  each(least(l_.i64(rows.lanes), rows.slice.length), rows.lanes, [&](Value* lane) {
    Slice slice{&list, lane, l_.i64(rows.lanes), nullptr};
    auto tree = [&](Value* count) {
      slice.length = count;
      return l_.fold_tree(site, slice);
    };
    // Groups whose run has a leaf of this lane.
    Value* count = l_.divide_up(b_.CreateSub(rows.slice.length, lane), run_leaves);
    Value* groups = l_.i64(rows.groups);
    auto whole_tree = [&] { return tree(groups); };
    auto part_of_tree = [&] { return rows.share > 0 ? tree_of_some(site, slice, rows.groups, count) : tree(count); };
    const Values result =
        every_group_has_one ? whole_tree() : l_.branch(b_.CreateICmpEQ(count, groups), whole_tree, part_of_tree);
    l_.store_at(site, partials, lane, result);
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
  const bool full = Lowering::known(nodes.slice.length) == size;
  std::vector<std::vector<Maybe>> level;
  Value* first = b_.CreateMul(b_.CreateAnd(lane_, l_.i64(std::min(size, warp) - 1)), l_.i64(run), "", true, true);
  for (std::int64_t k = 0; k < run; ++k) {
    Value* position = l_.add(first, l_.i64(k));
    if (full) {
      level.push_back({{l_.node_at(site, nodes.slice, position), nullptr}});
      continue;
    }
    // The first node stands for those that are absent: it is there, and nothing of it is used.
    Value* present = b_.CreateICmpSLT(position, nodes.slice.length);
    level.push_back({{l_.node_at(site, nodes.slice, b_.CreateSelect(present, position, l_.i64(0))), present}});
  }
  Maybe mine = pairwise(site, std::move(level))[0];
  for (std::int64_t bit = 1; bit < std::min(size, warp); bit *= 2) mine = butterfly(site, mine, bit);
  return mine.value;
}

/// If the right one is there, so is the left one.
Team::Maybe Team::joined(const FoldSite& site, const Maybe& left, const Maybe& right) {
  if (!right.present) return {l_.join(site, left.value, right.value), nullptr};
  if (!l_.drops_joins(site)) {
    return {l_.branch(
                right.present, [&] { return l_.join(site, left.value, right.value); }, [&] { return left.value; }),
            left.present};
  }
  const Values both = l_.join(site, left.value, right.value);
  Maybe out{{}, left.present};
  for (std::size_t k = 0; k < both.size(); ++k) {
    out.value.push_back(b_.CreateSelect(right.present, both[k], left.value[k]));
  }
  return out;
}

Team::Maybe Team::butterfly(const FoldSite& site, const Maybe& mine, std::int64_t bit) {
  Maybe other;
  for (Value* value : mine.value) other.value.push_back(from_other_lane(value, bit));
  if (mine.present) other.present = from_other_lane(mine.present, bit);
  const bool commutes = !mine.present && !site.reduction.user && site.arithmetic == Arithmetic::plain && !site.fuses;
  if (commutes) return {l_.join(site, mine.value, other.value), nullptr};
  Value* is_right = b_.CreateICmpNE(b_.CreateAnd(lane_, l_.i64(bit)), l_.i64(0));
  auto chosen = [&](const Maybe& if_right, const Maybe& if_left) {
    Maybe out;
    for (std::size_t k = 0; k < mine.value.size(); ++k) {
      out.value.push_back(b_.CreateSelect(is_right, if_right.value[k], if_left.value[k]));
    }
    if (mine.present) out.present = b_.CreateSelect(is_right, if_right.present, if_left.present);
    return out;
  };
  return joined(site, chosen(other, mine), chosen(mine, other));
}

Value* Team::from_other_lane(Value* value, std::int64_t bit) {
  llvm::Type* type = value->getType();
  if (auto* whole = llvm::dyn_cast<llvm::StructType>(type)) {
    Value* out = llvm::PoisonValue::get(type);
    for (unsigned k = 0; k < whole->getNumElements(); ++k) {
      out = b_.CreateInsertValue(out, from_other_lane(b_.CreateExtractValue(value, k), bit), k);
    }
    return out;
  }
  const unsigned bits = static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
  llvm::Type* word = b_.getInt32Ty();
  llvm::Type* whole = b_.getIntNTy((bits + 31) / 32 * 32);
  Value* pattern = b_.CreateZExt(b_.CreateBitCast(value, b_.getIntNTy(bits)), whole);
  Value* out = llvm::ConstantInt::get(whole, 0);
  for (unsigned shift = 0; shift < bits; shift += 32) {
    Value* part = b_.CreateTrunc(shift == 0 ? pattern : b_.CreateLShr(pattern, shift), word);
    Value* moved = b_.CreateIntrinsic(word, llvm::Intrinsic::nvvm_shfl_sync_bfly_i32,
                                      {b_.getInt32(~0U), part, b_.getInt32(static_cast<std::uint32_t>(bit)),
                                       b_.getInt32(static_cast<std::uint32_t>(warp - 1))});
    Value* wide = b_.CreateZExt(moved, whole);
    out = b_.CreateOr(out, shift == 0 ? wide : b_.CreateShl(wide, shift));
  }
  return b_.CreateBitCast(b_.CreateTrunc(out, b_.getIntNTy(bits)), type);
}

}  // namespace reckon::codegen
