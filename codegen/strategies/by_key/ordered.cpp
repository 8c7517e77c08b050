#include "codegen/strategies/by_key/ordered.h"

#include "codegen/place/place.h"
#include "codegen/strategies/by_key/counts.h"

namespace reckon::codegen {

OrderedWriter::OrderedWriter(KernelParts& parts, const OrderedShape& shape, Kernel& kernel, BlockReducer& reducer)
    : LoweringParts(parts.folds(), parts.folds().joins()),
      parts_(parts),
      shape_(shape),
      kernel_(kernel),
      reducer_(reducer) {}

/// Counts are no more than there are leaves.
Value OrderedWriter::as_index(Value number) { return b_.clamped_index(number, w_.i64(shape_.leaves + 1)); }

/// In a warp by a butterfly, in which each thread has its sum and that of all threads that it has met; the sums of
/// warps meet in shared memory.
Value OrderedWriter::sum_before(Value value) {
  Value before = w_.i64(0), all = value;
  for (std::int64_t bit = 1; bit < warp; bit *= 2) {
    const Value other = b_.shuffle_xor(all, bit);
    const Value is_after = b_.not_equal(b_.bit_and(reducer_.lane(), w_.i64(bit)), w_.i64(0));
    before = b_.select(is_after, b_.add(before, other), before);
    all = b_.add(all, other);
  }
  const std::int64_t warps = reducer_.threads() / warp;
  const Value of_warps = reducer_.shared_array(Type::index(), warps);
  w_.if_then(b_.equal(reducer_.lane(), w_.i64(0)), [&] { b_.store(of_warps, reducer_.warp_number(), all); });
  reducer_.barrier();
  for (std::int64_t k = 0; k + 1 < warps; ++k) {
    const Value is_before = b_.less(w_.i64(k), reducer_.warp_number());
    before = b_.add(before, b_.select(is_before, b_.load(of_warps, w_.i64(k)), w_.i64(0)));
  }
  return before;
}

Value OrderedWriter::first_of_list(Value key) {
  // After those of all smaller keys, which the threads add.
  const std::int64_t threads = reducer_.threads(), rounds = (shape_.keys + threads - 1) / threads;
  Value mine = w_.i64(0);
  for (std::int64_t k = 0; k < rounds; ++k) {
    const Value other = w_.add(reducer_.thread(), w_.i64(k * threads));
    const Value count = count_at(shape_.totals, w_.smaller(other, w_.i64(shape_.keys - 1)));
    mine = b_.add(mine, b_.select(b_.less(other, key), count, w_.i64(0)));
  }
  const Value first = reducer_.shared_array(Type::index(), 1);
  const Value before = sum_before(mine);
  w_.if_then(b_.equal(reducer_.thread(), w_.i64(threads - 1)),
             [&] { b_.store(first, w_.i64(0), b_.add(before, mine)); });
  reducer_.barrier();
  return b_.load(first, w_.i64(0));
}

Value OrderedWriter::next_place(Value counters, Value counter, Value number, Value is_there) {
  const auto [before, all] = b_.peers(number);
  const Value place = as_index(b_.load(counters, counter));
  b_.warp_barrier();
  w_.if_then(b_.bit_and(is_there, b_.equal(before, w_.i64(0))),
             [&] { b_.store(counters, counter, as_number(b_.add(place, all))); });
  b_.warp_barrier();
  return b_.add(place, before);
}

void OrderedWriter::store(Value key, Value length, Value sum, const FoldKernel& placed, const ByKey& plan,
                          const FoldSite& site) {
  const Value zero = circuits_.scalar(plan.keyed.absent);
  w_.resume();
  const Value with_zero = joins_.operation(site, ir::Op::add, {sum, zero});
  const Value is_whole = b_.equal(length, w_.i64(shape_.leaves));
  const Values whole = joins_.whole(site, {b_.select(is_whole, sum, with_zero)});
  parts_.store(placed, kernel_, key, {key}, whole);
}

void PlacesWriter::write() {
  constexpr std::int64_t warps = threads / warp;
  const std::int64_t of_warp = (shape_.parts + warps - 1) / warps;
  const Value sums = reducer_.shared_array(Type::index(), threads);
  parts_.items().block_per_item(kernel_, [&](Value block) {
    const Value key = b_.add(b_.mul(block, w_.i64(warp), Fits::always), reducer_.lane(), Fits::always);
    const Value is_there = b_.less(key, w_.i64(shape_.keys));
    const Value begin = b_.mul(reducer_.warp_number(), w_.i64(of_warp), Fits::always);
    const Value end = w_.smaller(w_.add(begin, w_.i64(of_warp)), w_.i64(shape_.parts));
    const auto place = [&](Value part) {
      return b_.add(b_.mul(part, w_.i64(shape_.keys), Fits::always), key, Fits::always);
    };
    const auto each_part = [&](Value first, FunctionRef<Value(Value part, Value sum)> next) {
      return w_.branch(
          b_.bit_and(is_there, b_.less(begin, end)),
          [&] {
            return w_.loop(begin, end, w_.i64(1), {first},
                           [&](Value part, const Values& sum) { return Values{next(part, sum[0])}; });
          },
          [&] { return Values{first}; })[0];
    };
    const Value mine =
        each_part(w_.i64(0), [&](Value part, Value sum) { return b_.add(sum, count_at(shape_.counts, place(part))); });
    b_.store(sums, reducer_.thread(), mine);
    reducer_.barrier();
    Value before = w_.i64(0), all = w_.i64(0);
    for (std::int64_t k = 0; k < warps; ++k) {
      const Value one = b_.load(sums, reducer_.lane(), Stream::none, k * warp);
      before = b_.add(before, b_.select(b_.less(w_.i64(k), reducer_.warp_number()), one, w_.i64(0)));
      all = b_.add(all, one);
    }
    each_part(before, [&](Value part, Value sum) {
      circuits_.store_at_offset(shape_.before, place(part), as_number(sum));
      return b_.add(sum, count_at(shape_.counts, place(part)));
    });
    w_.if_then(b_.bit_and(is_there, b_.equal(reducer_.warp_number(), w_.i64(0))),
               [&] { circuits_.store_at_offset(shape_.totals, key, as_number(all)); });
  });
}

namespace {

/// Rounds of a warp whose leaves are read before the first one is sorted.
constexpr std::int64_t rounds_at_once = 4, group_leaves = rounds_at_once * warp;

}  // namespace

SortWriter::SortWriter(KernelParts& parts, const ByKey& plan, const OrderedShape& shape, Kernel& kernel,
                       BlockReducer& reducer)
    : OrderedWriter(parts, shape, kernel, reducer), plan_(plan), site_(joins_.site_of(plan.reduce)) {
  counters_ = reducer.shared_array(Type::number(ir::Scalar::i32), shape.warps * shape.keys);
}

std::int64_t SortWriter::of_warp() const {
  const std::int64_t leaves = leaves_of_part(shape_.leaves, shape_.parts), all = shape_.warps * group_leaves;
  return (leaves + all - 1) / all * group_leaves;
}

void SortWriter::write() {
  parts_.items().block_per_item(kernel_, [&](Value part) {
    const std::int64_t leaves = leaves_of_part(shape_.leaves, shape_.parts);
    const Value begin = b_.mul(part, w_.i64(leaves), Fits::always);
    end_ = w_.smaller(w_.add(begin, w_.i64(leaves)), w_.i64(shape_.leaves));
    begin_ = b_.add(begin, b_.mul(reducer_.warp_number(), w_.i64(of_warp()), Fits::always), Fits::always);
    end_ = w_.smaller(end_, w_.add(begin_, w_.i64(of_warp())));
    first_counter_ = b_.mul(reducer_.warp_number(), w_.i64(shape_.keys), Fits::always);
    count_leaves();
    set_places(part);
    each_group([&](Value first) { sort_group(first); });
  });
}

/// All warps go through as many groups. Leaves beyond the end take no part.
void SortWriter::each_group(FunctionRef<void(Value first)> write) {
  w_.loop(
      w_.i64(0), w_.i64(of_warp()), w_.i64(group_leaves), {},
      [&](Value group, const Values&) {
        write(b_.add(b_.add(begin_, group, Fits::always), reducer_.lane(), Fits::always));
        return Values{};
      },
      false);
}

SortWriter::Leaf SortWriter::leaf_at(Value position) {
  const Value last = w_.i64(shape_.leaves - 1);
  Scope scope;
  scope.variables.push_back({site_.node.variables[0], site_.node.indices[0], w_.smaller(position, last)});
  const Value limit = w_.i64(shape_.keys + plan_.first_key);
  const Value key = w_.in_scope(scope, [&] {
    const Value integer = circuits_.scalar(plan_.keyed.key);
    w_.resume();
    return Values{b_.sub(b_.clamped_index(integer, limit), w_.i64(plan_.first_key))};
  })[0];
  return {key, b_.bit_and(b_.less(position, end_), b_.below(key, w_.i64(shape_.keys))), position};
}

Value SortWriter::number_at(Value position) {
  Scope scope;
  scope.variables.push_back(
      {site_.node.variables[0], site_.node.indices[0], w_.smaller(position, w_.i64(shape_.leaves - 1))});
  const Value number = w_.in_scope(scope, [&] { return Values{circuits_.scalar(plan_.keyed.leaf[0])}; })[0];
  w_.resume();
  return number;
}

std::vector<SortWriter::Leaf> SortWriter::group_at(Value first) {
  std::vector<Leaf> leaves;
  for (std::int64_t k = 0; k < rounds_at_once; ++k) leaves.push_back(leaf_at(w_.add(first, w_.i64(k * warp))));
  return leaves;
}

/// How many leaves of each warp have each key.
void SortWriter::count_leaves() {
  const std::int64_t counters = shape_.warps * shape_.keys;
  w_.loop(
      reducer_.thread(), w_.i64(std::max(counters, reducer_.threads())), w_.i64(reducer_.threads()), {},
      [&](Value place, const Values&) {
        w_.if_then(b_.less(place, w_.i64(counters)),
                   [&] { b_.store(counters_, place, b_.rounded(ir::Scalar::i32, 0)); });
        return Values{};
      },
      false);
  reducer_.barrier();
  each_group([&](Value first) {
    for (const Leaf& leaf : group_at(first)) {
      w_.if_then(leaf.is_there,
                 [&] { b_.atomic_add(counters_, counter_of(leaf.key), b_.rounded(ir::Scalar::i32, 1)); });
    }
  });
  reducer_.barrier();
}

/// Each counter becomes the place of the first of its leaves: after those of smaller keys, of parts and of warps
/// before.
void SortWriter::set_places(Value part) {
  const std::int64_t of_thread = (shape_.keys + reducer_.threads() - 1) / reducer_.threads();
  const Value begin = b_.mul(reducer_.thread(), w_.i64(of_thread), Fits::always);
  const Value end = w_.smaller(w_.add(begin, w_.i64(of_thread)), w_.i64(shape_.keys));
  const auto each_key = [&](Value first, FunctionRef<Value(Value key, Value sum)> next) {
    return w_.branch(
        b_.less(begin, end),
        [&] {
          return w_.loop(
              begin, end, w_.i64(1), {first}, [&](Value key, const Values& sum) { return Values{next(key, sum[0])}; },
              false);
        },
        [&] { return Values{first}; })[0];
  };
  const Value mine =
      each_key(w_.i64(0), [&](Value key, Value sum) { return b_.add(sum, count_at(shape_.totals, key)); });
  const Value before = sum_before(mine);
  each_key(before, [&](Value key, Value list) {
    const Value row = b_.mul(part, w_.i64(shape_.keys), Fits::always);
    Value place = b_.add(list, count_at(shape_.before, b_.add(row, key, Fits::always)));
    for (std::int64_t k = 0; k < shape_.warps; ++k) {
      const Value counter = b_.add(key, w_.i64(k * shape_.keys), Fits::always);
      const Value count = as_index(b_.load(counters_, counter));
      b_.store(counters_, counter, as_number(place));
      place = b_.add(place, count);
    }
    return b_.add(list, count_at(shape_.totals, key));
  });
  reducer_.barrier();
}

/// The leaves of a warp are sorted in their order: those of a round that have one key follow each other.
void SortWriter::sort_group(Value first) {
  const std::vector<Leaf> leaves = group_at(first);
  Values numbers;
  for (const Leaf& leaf : leaves) numbers.push_back(number_at(leaf.position));
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    const Leaf& leaf = leaves[k];
    const Value key = b_.select(leaf.is_there, leaf.key, w_.i64(shape_.keys));
    const Value counter = counter_of(w_.smaller(key, w_.i64(shape_.keys - 1)));
    const Value place = next_place(counters_, counter, key, leaf.is_there);
    w_.if_then(leaf.is_there, [&] {
      circuits_.store_at_offset(shape_.sorted, place, numbers[k]);
      if (shape_.lanes > 0) circuits_.store_at_offset(shape_.places, place, as_number(leaf.position));
    });
  }
}

}  // namespace reckon::codegen
