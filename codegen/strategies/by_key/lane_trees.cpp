// The lists of all keys by `lanes(L, tree) then tree`, each gone through by a block of L threads: a thread has a lane.
// The leaves of a chunk of the list are sorted by lane, in order. A lane's tree joins two neighbouring leaves at the
// highest bit in which the numbers of their rows differ, whichever rows between them have other keys: their leaves are
// 0, and change no bit (interp/keyed.h). So a thread keeps the nodes that wait for what stands to their right, one for
// each level at most.
#include <bit>

#include "codegen/place/place.h"
#include "codegen/strategies/by_key/ordered.h"

namespace reckon::codegen {

LaneTreesWriter::LaneTreesWriter(KernelParts& parts, const FoldKernel& placed, const KernelBody& body,
                                 const ByKey& plan, const OrderedShape& shape, Kernel& kernel, BlockReducer& reducer)
    : OrderedWriter(parts, shape, kernel, reducer), placed_(placed), plan_(plan), site_(joins_.site_of(body)) {
  const Type type = Type::number(site_.scalars[0]), integer = Type::number(ir::Scalar::i32);
  const std::int64_t chunk = chunk_leaves(shape);
  leaves_ = reducer.shared_array(type, chunk);
  waiting_ = reducer.shared_array(type, (levels(shape) + 1) * shape.lanes);
  rows_ = reducer.shared_array(integer, chunk);
  counters_ = reducer.shared_array(integer, shape.lanes / warp * shape.lanes);
}

std::int64_t LaneTreesWriter::chunk_leaves(const OrderedShape& shape) { return rounds * shape.lanes; }

std::int64_t LaneTreesWriter::levels(const OrderedShape& shape) {
  return std::bit_width(static_cast<std::uint64_t>((shape.leaves - 1) / shape.lanes));
}

std::int64_t LaneTreesWriter::shared_bytes(const OrderedShape& shape, std::int64_t number_bytes) {
  constexpr std::int64_t integer_bytes = 4, others = 256;
  return (chunk_leaves(shape) + (levels(shape) + 1) * shape.lanes) * number_bytes +
         (chunk_leaves(shape) + shape.lanes / warp * shape.lanes) * integer_bytes + others;
}

void LaneTreesWriter::write() {
  parts_.items().block_per_item(kernel_, [&](Value key) { write_list(key); });
}

void LaneTreesWriter::write_list(Value key) {
  first_ = first_of_list(key);
  length_ = count_at(shape_.totals, key);
  const std::int64_t chunk = chunk_leaves(shape_);
  const Value chunks = b_.udiv(b_.add(length_, w_.i64(chunk - 1)), w_.i64(chunk));
  // Before the first leaf stands a row beyond all others, whose node changes nothing.
  const Values start{b_.neutral(site_.scalars[0]), w_.i64(std::int64_t{1} << levels(shape_)), w_.i64(0)};
  const Values last = w_.branch(
      b_.less(w_.i64(0), chunks),
      [&] {
        return w_.loop(
            w_.i64(0), chunks, w_.i64(1), start,
            [&](Value number, const Values& now) {
              const Lane lane = sort_chunk(b_.mul(number, w_.i64(chunk), Fits::always));
              const Values after = add_lane(lane, now);
              reducer_.barrier();
              return after;
            },
            false);
      },
      [&] { return start; });
  const Value node = of_all_lanes(joined_below(last[0], last[2], w_.i64(-1))[0]);
  w_.if_then(b_.equal(reducer_.thread(), w_.i64(0)), [&] { store(key, length_, node, placed_, plan_, site_); });
}

/// Sorts the leaves of the list from `begin` on into shared memory; gives this thread's.
LaneTreesWriter::Lane LaneTreesWriter::sort_chunk(Value begin) {
  const std::int64_t warps = shape_.lanes / warp;
  struct Leaf {
    Value is_there, lane, row, number;
  };
  std::vector<Leaf> leaves;
  const Value of_warp = b_.mul(reducer_.warp_number(), w_.i64(rounds * warp), Fits::always);
  const Value mine = b_.add(b_.add(begin, of_warp, Fits::always), reducer_.lane(), Fits::always);
  for (std::int64_t k = 0; k < rounds; ++k) {
    const Value position = w_.add(mine, w_.i64(k * warp));
    const Value is_there = b_.less(position, length_);
    const Value at = b_.add(first_, w_.smaller(position, b_.sub(length_, w_.i64(1))));
    const Value leaf = count_at(shape_.places, at);
    const Value lane = b_.select(is_there, b_.bit_and(leaf, w_.i64(shape_.lanes - 1)), w_.i64(shape_.lanes));
    const auto bits = static_cast<std::uint64_t>(std::countr_zero(static_cast<std::uint64_t>(shape_.lanes)));
    leaves.push_back({is_there, lane, b_.lshr(leaf, bits), circuits_.load_at_offset(shape_.sorted, at)});
  }
  const auto counter = [&](Value of, Value lane) {
    return b_.add(b_.mul(of, w_.i64(shape_.lanes), Fits::always), lane, Fits::always);
  };
  const auto own_counter = [&](Value lane) {
    return counter(reducer_.warp_number(), w_.smaller(lane, w_.i64(shape_.lanes - 1)));
  };
  for (std::int64_t k = 0; k < warps; ++k)
    b_.store(counters_, counter(w_.i64(k), reducer_.thread()), b_.rounded(ir::Scalar::i32, 0));
  reducer_.barrier();
  for (const Leaf& leaf : leaves) {
    w_.if_then(leaf.is_there,
               [&] { b_.atomic_add(counters_, own_counter(leaf.lane), b_.rounded(ir::Scalar::i32, 1)); });
  }
  reducer_.barrier();
  Values counts;
  Value all = w_.i64(0);
  for (std::int64_t k = 0; k < warps; ++k) {
    counts.push_back(as_index(b_.load(counters_, counter(w_.i64(k), reducer_.thread()))));
    all = b_.add(all, counts.back());
  }
  const Value first = sum_before(all);
  Value place = first;
  for (std::int64_t k = 0; k < warps; ++k) {
    b_.store(counters_, counter(w_.i64(k), reducer_.thread()), as_number(place));
    place = b_.add(place, counts[static_cast<std::size_t>(k)]);
  }
  reducer_.barrier();
  for (const Leaf& leaf : leaves) {
    const Value place_of_leaf = next_place(counters_, own_counter(leaf.lane), leaf.lane, leaf.is_there);
    w_.if_then(leaf.is_there, [&] {
      b_.store(leaves_, place_of_leaf, leaf.number);
      b_.store(rows_, place_of_leaf, as_number(leaf.row));
    });
  }
  reducer_.barrier();
  return {first, place};
}

/// Adds the lane's leaves to what the thread has: a node, the row of its last leaf, and a bit for each level at which a
/// node waits for the one on its right.
Values LaneTreesWriter::add_lane(const Lane& lane, const Values& before) {
  return w_.branch(
      b_.less(lane.begin, lane.end),
      [&] {
        return w_.loop(
            lane.begin, lane.end, w_.i64(1), before,
            [&](Value leaf, const Values& now) {
              const Value row = as_index(b_.load(rows_, leaf));
              const Value level = b_.sub(w_.i64(63), b_.leading_zeros(b_.bit_xor(now[1], row)));
              const Value bit = b_.shl(w_.i64(1), level);
              const Values node = joined_below(now[0], now[2], b_.sub(bit, w_.i64(1)));
              b_.store(waiting_, waiting_at(level), node[0]);
              return Values{b_.load(leaves_, leaf), row, b_.bit_or(node[1], bit)};
            },
            false);
      },
      [&] { return before; });
}

Value LaneTreesWriter::waiting_at(Value level) {
  return b_.add(b_.mul(level, w_.i64(shape_.lanes), Fits::always), reducer_.thread(), Fits::always);
}

/// The node joined with those that wait at the levels of the mask, and the levels at which others still wait.
Values LaneTreesWriter::joined_below(Value node, Value waiting, Value mask) {
  return w_.while_loop(
      {node, waiting}, [&](const Values& now) { return b_.not_equal(b_.bit_and(now[1], mask), w_.i64(0)); },
      [&](const Values& now) {
        const Value left = b_.load(waiting_, waiting_at(b_.trailing_zeros(now[1])));
        const Value rest = b_.bit_and(now[1], b_.sub(now[1], w_.i64(1)));
        return Values{joins_.join(site_, {left}, {now[0]})[0], rest};
      });
}

/// By `tree`. A lane without leaves has what changes nothing.
Value LaneTreesWriter::of_all_lanes(Value node) {
  const auto join = [&](Value left, Value right) { return joins_.join(site_, {left}, {right})[0]; };
  for (std::int64_t bit = 1; bit < warp; bit *= 2) {
    const Value other = b_.shuffle_xor(node, bit);
    const Value is_left = b_.equal(b_.bit_and(reducer_.lane(), w_.i64(bit)), w_.i64(0));
    node = join(b_.select(is_left, node, other), b_.select(is_left, other, node));
  }
  const std::int64_t warps = shape_.lanes / warp;
  const Value of_warps = reducer_.shared_array(Type::number(site_.scalars[0]), warps);
  w_.if_then(b_.equal(reducer_.lane(), w_.i64(0)), [&] { b_.store(of_warps, reducer_.warp_number(), node); });
  reducer_.barrier();
  Values nodes;
  for (std::int64_t k = 0; k < warps; ++k) nodes.push_back(b_.load(of_warps, w_.i64(k)));
  while (nodes.size() > 1) {
    Values next;
    for (std::size_t k = 0; k < nodes.size(); k += 2) next.push_back(join(nodes[k], nodes[k + 1]));
    nodes = next;
  }
  return nodes[0];
}

}  // namespace reckon::codegen
