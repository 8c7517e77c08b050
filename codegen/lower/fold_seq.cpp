// `seq`: one node after the other. Where the threads of a block fold a list each, nodes are read several at a time
// before they are joined, so that their loads are under way together.

#include <bit>

#include "codegen/lower/folds.h"

namespace reckon::codegen {

namespace {

unsigned log2_of(std::int64_t power) {
  return static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(power)));
}

}  // namespace

Values Folds::fold_seq(const FoldSite& site, const Slice& slice) {
  if (w_.known(slice.length) == 1) return node_at(site, slice, w_.i64(0));
  const bool cheap = is_cheap(site, slice);
  // The code of a node that takes many operations is written once, in the loop. So the first round has a join, too: it
  // takes the node's value, and drops the join's.
  if (!cheap && joins_.drops_joins(site)) return seq_in_rounds(site, slice, 1);
  if (site.prefetch > 1 && joins_.drops_joins(site)) {
    return seq_in_rounds(site, slice, std::max<std::int64_t>(1, site.prefetch / leaves_of_node(*slice.list)));
  }
  const Values one = node_at(site, slice, w_.i64(0));
  // The first product is rounded now, because all other products are absorbed by the joins.
  const bool absorbs = site.arithmetic == Arithmetic::fused && holds_leaves(*slice.list);
  const Values first = absorbs ? joins_.rounded_product(site, one) : one;
  auto rest = [&] {
    return w_.loop(w_.i64(1), slice.length, w_.i64(1), first, [&](Value position, const Values& sum) {
      return joins_.join(site, sum, node_at(site, slice, position));
    });
  };
  if (w_.known(slice.length)) return rest();
  return w_.branch(b_.greater(slice.length, w_.i64(1)), rest, [&] { return one; });
}

/// How many leaves a node of the list has, if the list is cheap.
std::int64_t Folds::leaves_of_node(const List& list) const {
  switch (list.kind) {
    case List::Kind::tile: return *w_.known(list.size) * leaves_of_node(*list.parent.list);
    case List::Kind::arranged:
    case List::Kind::compensated: return leaves_of_node(*list.parent.list);
    default: return 1;
  }
}

Values Folds::seq_in_rounds(const FoldSite& site, const Slice& slice, std::int64_t prefetch) {
  const bool absorbs = site.arithmetic == Arithmetic::fused && holds_leaves(*slice.list);
  auto all = [&] {
    return seq_in_rounds(site, slice.length, 1, prefetch, absorbs,
                         [&](Value first, std::int64_t count) { return nodes_from(site, slice, first, count); });
  };
  if (w_.known(slice.length) || !absorbs) return all();
  // A single product is not rounded: another node above may absorb it.
  return w_.branch(
      b_.equal(slice.length, w_.i64(1)), [&] { return node_at(site, slice, w_.i64(0)); }, all);
}

Values Folds::seq_in_rounds(const FoldSite& site, Value length, std::size_t lists, std::int64_t prefetch, bool absorbs,
                            FunctionRef<std::vector<Values>(Value, std::int64_t)> read) {
  const std::size_t parts = site.state.size();
  auto round = [&](Value first, const Values& sums, std::int64_t count) {
    const std::vector<Values> nodes = read(first, count);
    const std::optional<std::int64_t> place = w_.known(first);
    Values next;
    for (std::size_t list = 0; list < lists; ++list) {
      Values sum = nth_node(sums, list, parts);
      for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
        const Values& node = nodes[k * lists + list];
        // The first node is joined with nothing.
        const auto started = [&] { return absorbs ? joins_.rounded_product(site, node) : node; };
        if (k == 0 && place == 0) {
          sum = started();
          continue;
        }
        sum = joins_.join(site, sum, node);
        if (k > 0 || place) continue;
        Value is_first = b_.equal(first, w_.i64(0));
        const Values start = started();
        for (std::size_t part = 0; part < parts; ++part) {
          sum[part] = b_.select(is_first, start[part], sum[part]);
        }
      }
      next.append(sum);
    }
    return next;
  };

  Values sums;
  for (std::size_t list = 0; list < lists; ++list) sums.append(joins_.zeros(site));
  if (prefetch == 1) {
    return w_.loop(w_.i64(0), length, w_.i64(1), sums,
                   [&](Value position, const Values& now) { return round(position, now, 1); });
  }
  if (const auto fixed = w_.known(length)) {
    const std::int64_t rounds = *fixed / prefetch, rest = *fixed % prefetch;
    if (rounds == 1) sums = round(w_.i64(0), sums, prefetch);
    if (rounds > 1) {
      sums = w_.loop(
          w_.i64(0), w_.i64(rounds), w_.i64(1), sums,
          [&](Value k, const Values& now) { return round(b_.mul(k, w_.i64(prefetch), Fits::always), now, prefetch); },
          false);
    }
    return rest > 0 ? round(w_.i64(rounds * prefetch), sums, rest) : sums;
  }
  // Several nodes at a time while there are enough, then a quarter as many at a time, and in the end one at a time.
  Value done = w_.i64(0);
  for (std::int64_t count = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(prefetch)));;) {
    Value begin = b_.lshr(done, log2_of(count));
    Value rounds = b_.lshr(length, log2_of(count));
    sums = w_.branch(
        b_.less(begin, rounds),
        [&] {
          return w_.loop(
              begin, rounds, w_.i64(1), sums,
              [&](Value k, const Values& now) { return round(b_.shl(k, log2_of(count), Fits::always), now, count); },
              false);
        },
        [&] { return sums; });
    if (count == 1) return sums;
    done = b_.shl(rounds, log2_of(count), Fits::always);
    count = std::max<std::int64_t>(1, count / 4);
  }
}

/// Nodes that follow each other. If neighbours in an arrangement have the same distances everywhere, the offsets are
/// constants, so that LLVM can make vectors of neighbouring elements.
std::vector<Values> Folds::nodes_from(const FoldSite& site, const Slice& slice, Value first, std::int64_t count) {
  std::vector<Values> nodes;
  const List& list = *slice.list;
  if (list.kind == List::Kind::arranged && w_.known(slice.stride) == 1 &&
      std::has_single_bit(static_cast<std::uint64_t>(count))) {
    const ir::Arrangement& arrangement = module_.schedules().arrangement(list.arrangement);
    Value position = w_.add(slice.start, first);
    const bool is_aligned = b_.known_trailing_zeros(position) >= static_cast<int>(log2_of(count));
    if (is_aligned && arrangement.repeats_every(count)) {
      Value start = arranged_position(arrangement, position, count);
      for (std::int64_t k = 0; k < count; ++k) {
        nodes.push_back(node_at(site, list.parent, w_.add(start, w_.i64(ir::Arrangement::offset(arrangement.run, k)))));
      }
      return nodes;
    }
  }
  for (std::int64_t k = 0; k < count; ++k) nodes.push_back(node_at(site, slice, w_.add(first, w_.i64(k))));
  return nodes;
}

}  // namespace reckon::codegen
