// Nodes of several threads or rounds, some of which may be absent, joined by `tree`.

#include "codegen/lower/team/superrows.h"
#include "codegen/place/place.h"

namespace reckon::codegen {


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
    out.value.push_back(b_.select(right.present, both[k], left.value[k]));
  }
  return out;
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

std::vector<Team::Maybe> Team::by_halves(const FoldSite& site, std::int64_t first, std::int64_t count,
                                         std::int64_t many,
                                         FunctionRef<std::vector<Maybe>(Value first, std::int64_t n)> some) {
  if (count <= many) return some(l_.i64(first), count);
  std::vector<Maybe> nodes = by_halves(site, first, count / 2, many, some);
  const std::vector<Maybe> right = by_halves(site, first + count / 2, count / 2, many, some);
  for (std::size_t list = 0; list < nodes.size(); ++list) nodes[list] = joined(site, nodes[list], right[list]);
  return nodes;
}

/// The node at a position, of the first `count`. The first node stands for one that is absent: it is there, and nothing
/// of it is used.
Team::Maybe Team::one_of(const FoldSite& site, const Slice& slice, Value position, Value count) {
  Value present = b_.less(position, count);
  return {l_.node_at(site, slice, b_.select(present, position, l_.i64(0))), present};
}

/// `tree` of the first `count` of `most` nodes, a power of two.
Values Team::tree_of_some(const FoldSite& site, const Slice& slice, std::int64_t most, Value count) {
  return by_halves(site, 0, most, some_at_once,
                   [&](Value begin, std::int64_t n) {
                     std::vector<std::vector<Maybe>> level;
                     for (std::int64_t k = 0; k < n; ++k) {
                       level.push_back({one_of(site, slice, l_.add(begin, l_.i64(k)), count)});
                     }
                     return pairwise(site, std::move(level));
                   })[0]
      .value;
}

Team::Maybe Team::butterfly(const FoldSite& site, const Maybe& mine, std::int64_t bit) {
  Maybe other;
  for (Value value : mine.value) other.value.push_back(from_other_lane(value, bit));
  if (mine.present) other.present = from_other_lane(mine.present, bit);
  const bool commutes = !mine.present && !site.reduction.user && site.arithmetic == Arithmetic::plain && !site.fuses;
  if (commutes) return {l_.join(site, mine.value, other.value), nullptr};
  Value is_right = b_.not_equal(b_.bit_and(lane_, l_.i64(bit)), l_.i64(0));
  auto chosen = [&](const Maybe& if_right, const Maybe& if_left) {
    Maybe out;
    for (std::size_t k = 0; k < mine.value.size(); ++k) {
      out.value.push_back(b_.select(is_right, if_right.value[k], if_left.value[k]));
    }
    if (mine.present) out.present = b_.select(is_right, if_right.present, if_left.present);
    return out;
  };
  return joined(site, chosen(other, mine), chosen(mine, other));
}

Value Team::from_other_lane(Value value, std::int64_t bit) { return b_.shuffle_xor(value, bit); }

}  // namespace reckon::codegen
