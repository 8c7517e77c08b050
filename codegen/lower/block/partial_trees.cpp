// Nodes of several threads or rounds, some of which may be absent, joined by `tree`.
#include "codegen/lower/block/partial_trees.h"

#include <bit>

namespace reckon::codegen {

namespace {

constexpr std::int64_t counter_levels = 48;

}  // namespace

PartialTrees::PartialTrees(Folds& folds) : LoweringParts(folds, folds.joins()) {}

Maybe PartialTrees::joined(const FoldSite& site, const Maybe& left, const Maybe& right) {
  if (!right.present) return {joins_.join(site, left.value, right.value), nullptr};
  if (!joins_.drops_joins(site)) {
    return {w_.branch(
                right.present, [&] { return joins_.join(site, left.value, right.value); }, [&] { return left.value; }),
            left.present};
  }
  return {w_.select(right.present, joins_.join(site, left.value, right.value), left.value), left.present};
}

std::vector<Maybe> PartialTrees::pairwise(const FoldSite& site, std::vector<std::vector<Maybe>> nodes) {
  for (; nodes.size() > 1; nodes.resize((nodes.size() + 1) / 2)) {
    for (std::size_t k = 0; k < nodes.size() / 2; ++k) {
      for (std::size_t list = 0; list < nodes[k].size(); ++list) {
        nodes[k][list] = joined(site, nodes[2 * k][list], nodes[2 * k + 1][list]);
      }
    }
    if (nodes.size() % 2 == 1) nodes[nodes.size() / 2] = nodes.back();
  }
  return std::move(nodes[0]);
}

std::vector<Maybe> PartialTrees::by_halves(const FoldSite& site, std::int64_t first, std::int64_t count,
                                           std::int64_t many,
                                           FunctionRef<std::vector<Maybe>(Value first, std::int64_t n)> some) {
  if (count <= many) return some(w_.i64(first), count);
  const auto half = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(count - 1)));
  std::vector<Maybe> nodes = by_halves(site, first, half, many, some);
  const std::vector<Maybe> right = by_halves(site, first + half, count - half, many, some);
  for (std::size_t list = 0; list < nodes.size(); ++list) nodes[list] = joined(site, nodes[list], right[list]);
  return nodes;
}

Maybe PartialTrees::one_of(const FoldSite& site, const Slice& slice, Value position, Value count) {
  Value present = b_.less(position, count);
  return {folds_.node_at(site, slice, b_.select(present, position, w_.i64(0))), present};
}

Values PartialTrees::tree_of_some(const FoldSite& site, const Slice& slice, std::int64_t most, Value count) {
  return by_halves(site, 0, most, rows_in_flight,
                   [&](Value begin, std::int64_t n) {
                     std::vector<std::vector<Maybe>> level;
                     for (std::int64_t k = 0; k < n; ++k) {
                       level.push_back({one_of(site, slice, w_.add(begin, w_.i64(k)), count)});
                     }
                     return pairwise(site, std::move(level));
                   })[0]
      .value;
}

TreeCounter::TreeCounter(Folds& folds, const FoldSite& site, std::size_t count)
    : LoweringParts(folds, folds.joins()), site_(site) {
  for (std::size_t k = 0; k < count; ++k) counters_.push_back(folds.trees().make_counter(site, counter_levels));
}

void TreeCounter::push(const std::vector<Maybe>& nodes, Value count, std::int64_t level) {
  const std::size_t parts = site_.state.size();
  Values state{count, w_.i64(level)};
  for (const Maybe& node : nodes) state.append(node.value.begin(), node.value.end());
  auto of = [&](const Values& now, std::size_t k) {
    return nth_node(std::span<const Value>(now).subspan(2), k, parts);
  };
  const Values end = w_.while_loop(
      state, [&](const Values& now) { return b_.odd(now[0]); },
      [&](const Values& now) {
        Values next{b_.lshr(now[0], 1), b_.add(now[1], w_.i64(1))};
        std::vector<Values> before;
        for (std::size_t k = 0; k < nodes.size(); ++k) {
          before.push_back(w_.load_at(counters_[k].stack, now[1]));
        }
        for (std::size_t k = 0; k < nodes.size(); ++k) {
          const Values joined = joins_.join(site_, before[k], of(now, k));
          next.append(joined.begin(), joined.end());
        }
        return next;
      });
  for (std::size_t k = 0; k < nodes.size(); ++k) w_.store_at(counters_[k].stack, end[1], of(end, k));
}

void TreeCounter::fill(Value length, std::int64_t many,
                       FunctionRef<std::vector<Maybe>(Value first, std::int64_t n)> joined) {
  Value done = b_.index(0);
  for (std::int64_t n = many; n >= 1; n = n > 1 ? 1 : 0) {
    const auto level = static_cast<std::uint64_t>(std::countr_zero(static_cast<std::uint64_t>(n)));
    Value rounds = b_.lshr(length, level);
    w_.for_range(
        b_.lshr(done, level), rounds,
        [&](Value round) {
          push(joined(b_.shl(round, level, Fits::always), n), round, static_cast<std::int64_t>(level));
        },
        false);
    done = b_.shl(rounds, level, Fits::always);
  }
}

}  // namespace reckon::codegen
