// Block rows: a block row is as many neighbouring leaves as one read of a warp takes, or a whole row of lanes if that
// is more (lanes.cpp). This file joins what a thread reads of the block rows of its group.
#include <bit>

#include "codegen/lower/block/block_rows.h"
#include "codegen/place/place.h"

namespace reckon::codegen {

namespace {

constexpr std::int64_t of_a_round = 8;  ///< block rows that one round of a loop joins

}  // namespace

/// The nodes of a block row that this thread computes, one for each of its lanes.
std::vector<Maybe> BlockReducer::block_row(const FoldSite& site, const Rows& rows, Value number, bool is_last) {
  // The vector's width is multiplied in last, so that LLVM sees that vectors are aligned.
  Value place = b_.add(b_.mul(number, w_.i64(rows.size / rows.unit()), Fits::always), rows.offset, Fits::always);
  Value first = b_.mul(place, w_.i64(rows.unit()), Fits::always);
  std::vector<Maybe> nodes;
  for (std::int64_t k = 0; k < rows.vector; ++k) {
    Value position = k == 0 ? first : b_.add(first, w_.i64(k * rows.step), Fits::always);
    if (!is_last) {
      nodes.push_back({folds_.node_at(site, rows.slice, position), nullptr});
      continue;
    }
    Value present = b_.less(position, rows.slice.length);
    const Values value = w_.branch(
        present, [&] { return folds_.node_at(site, rows.slice, position); }, [&] { return joins_.zeros(site); });
    nodes.push_back({value, present});
  }
  return within_block_row(site, rows, std::move(nodes));
}

/// Joins the rows inside of a thread's leaves, then those of the warp's threads.
std::vector<Maybe> BlockReducer::within_block_row(const FoldSite& site, const Rows& rows, std::vector<Maybe> nodes) {
  const auto lanes = static_cast<std::size_t>(rows.lanes / rows.step);
  while (nodes.size() > lanes) {
    std::vector<Maybe> above;
    for (std::size_t pair = 0; pair < nodes.size(); pair += 2 * lanes) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        above.push_back(partial_.joined(site, nodes[pair + lane], nodes[pair + lanes + lane]));
      }
    }
    nodes = std::move(above);
  }
  if (rows.step > 1) return nodes;  // each thread of a warp has a lane of its own
  for (std::int64_t bit = std::max<std::int64_t>(1, rows.lanes / rows.vector); bit < warp; bit *= 2) {
    for (Maybe& node : nodes) node = butterfly(site, node, bit);
  }
  return nodes;
}

/// Do the slots hold, in order, all that this thread reads of the list?
bool BlockReducer::by_slots(const Rows& rows) const {
  if (present_) return w_.known(rows.slice.length) == row_length_ && rows.slice.list->kind == List::Kind::leaves;
  const auto whole = w_.known(rows.whole);
  return slots_ && whole && static_cast<std::int64_t>(slots_->size()) * rows.groups == *whole * rows.vector;
}

/// The nodes of complete block rows, as many as a power of two.
std::vector<Maybe> BlockReducer::block_rows(const FoldSite& site, const Rows& rows, Value first, std::int64_t count,
                                            std::int64_t slot) {
  if (count > rows_in_flight) {
    return partial_.by_halves(site, 0, count, rows_in_flight, [&](Value begin, std::int64_t n) {
      return block_rows(site, rows, w_.add(first, begin), n, slot + *w_.known(begin) * rows.vector);
    });
  }
  std::vector<std::vector<Maybe>> level;
  for (std::int64_t k = 0; k < count; ++k) {
    if (!by_slots(rows)) {
      level.push_back(block_row(site, rows, w_.add(first, w_.i64(k)), false));
      continue;
    }
    std::vector<Maybe> nodes;
    for (std::int64_t j = 0; j < rows.vector; ++j) {
      const auto at = static_cast<std::size_t>(slot + k * rows.vector + j);
      nodes.push_back({folds_.node_at(site, rows.slice, (*slots_)[at]), present_ ? (*present_)[at] : nullptr});
    }
    level.push_back(within_block_row(site, rows, std::move(nodes)));
  }
  return partial_.pairwise(site, std::move(level));
}

/// The nodes of rows.share block rows, in a loop of rounds. Left halves that wait for their right halves are kept in
/// registers. If everything is unrolled, ptxas reads too far ahead and spills registers, and a stack in local memory
/// takes a tenth of the memory's speed (measured on an H200: 64 block rows for each of 8 warps).
std::vector<Maybe> BlockReducer::all_block_rows(const FoldSite& site, const Rows& rows, Value first) {
  if (slots_ || rows.share <= of_a_round) return block_rows(site, rows, first, rows.share);
  const std::int64_t rounds = rows.share / of_a_round;
  const int levels = std::countr_zero(static_cast<std::uint64_t>(rounds));
  const auto kept = static_cast<std::size_t>(rows.kept());
  const std::size_t parts = site.state.size();
  auto part_of = [&](const Values& values, std::size_t k) { return nth_node(values, k, parts); };
  // The loop carries the waiting left half of each level, and the node of the last round.
  Values initial;
  for (std::size_t k = 0; k < kept * static_cast<std::size_t>(levels + 1); ++k) initial.append(joins_.zeros(site));
  const Values end = w_.loop(
      w_.i64(0), w_.i64(rounds), w_.i64(1), initial,
      [&](Value round, const Values& now) {
        Value begin = b_.mul(round, w_.i64(of_a_round), Fits::always);
        Values node;
        for (const Maybe& each : block_rows(site, rows, w_.add(first, begin), of_a_round)) node.append(each.value);
        Values next;
        for (int level = 0; level < levels; ++level) {
          const auto at_level = now.begin() + static_cast<std::ptrdiff_t>(next.size());
          const Values waiting(at_level, at_level + static_cast<std::ptrdiff_t>(node.size()));
          Value done = b_.bit_and(round, w_.i64((std::int64_t{2} << level) - 1));
          Value is_left = b_.equal(done, w_.i64((std::int64_t{1} << level) - 1));
          Value is_right = b_.equal(done, w_.i64((std::int64_t{2} << level) - 1));
          next.append(w_.select(is_left, node, waiting));
          node = w_.branch(
              is_right,
              [&] {
                Values both;
                for (std::size_t k = 0; k < kept; ++k) {
                  both.append(joins_.join(site, part_of(waiting, k), part_of(node, k)));
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

/// The nodes of rows.share block rows, of which the last ones may be absent and one incomplete. In place of an absent
/// one, the last complete one is read and ignored, so that all loads are under way together.
std::vector<Maybe> BlockReducer::some_block_rows(const FoldSite& site, const Rows& rows, Value first) {
  const auto rest = w_.known(rows.rest);
  const auto kept = static_cast<std::size_t>(rows.kept());
  const std::size_t parts = site.state.size();
  Value left = b_.sub(rows.whole, first);  // complete block rows from `first` on; may be below 0
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
  auto none = [&] { return flat(std::vector<Maybe>(kept, {joins_.zeros(site), b_.flag(false)})); };
  std::vector<Maybe> incomplete;
  if (rest != 0) {
    Value is_mine = b_.bit_and(b_.not_equal(rows.rest, w_.i64(0)),
                               b_.bit_and(b_.greater_equal(left, w_.i64(0)), b_.less(left, w_.i64(rows.share))));
    incomplete = nodes_of(w_.branch(
        is_mine, [&] { return flat(block_row(site, rows, rows.whole, true)); }, none));
  }
  auto complete = [&] {
    Value last = b_.sub(rows.whole, w_.i64(1));
    return flat(partial_.by_halves(site, 0, rows.share, rows_in_flight, [&](Value begin, std::int64_t n) {
      std::vector<std::vector<Maybe>> level;
      for (std::int64_t k = 0; k < n; ++k) {
        Value number = w_.add(begin, w_.i64(k));
        std::vector<Maybe> row = block_row(site, rows, w_.smaller(w_.add(first, number), last), false);
        Value is_there = b_.less(number, left);
        Value is_incomplete = b_.equal(number, left);
        for (std::size_t j = 0; j < kept; ++j) {
          row[j].present = is_there;
          if (incomplete.empty()) continue;
          for (std::size_t part = 0; part < parts; ++part) {
            row[j].value[part] = b_.select(is_incomplete, incomplete[j].value[part], row[j].value[part]);
          }
          row[j].present = b_.bit_or(is_there, b_.bit_and(is_incomplete, incomplete[j].present));
        }
        level.push_back(std::move(row));
      }
      return partial_.pairwise(site, std::move(level));
    }));
  };
  return nodes_of(w_.branch(b_.greater(rows.whole, w_.i64(0)), complete,
                            [&] { return incomplete.empty() ? none() : flat(incomplete); }));
}

}  // namespace reckon::codegen
