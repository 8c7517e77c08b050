// The lists of all keys, each gone through by a block: one thread adds, and the others bring the next leaves.
#include "codegen/place/place.h"
#include "codegen/strategies/by_key/ordered.h"

namespace reckon::codegen {

namespace {

/// Leaves of a chunk, and those that the thread that adds reads together.
constexpr std::int64_t chunk_leaves = 2048, leaves_at_once = 16;

}  // namespace

ChainsWriter::ChainsWriter(KernelParts& parts, const FoldKernel& placed, const KernelBody& body, const ByKey& plan,
                           const OrderedShape& shape, Kernel& kernel, BlockReducer& reducer)
    : OrderedWriter(parts, shape, kernel, reducer), placed_(placed), plan_(plan), site_(joins_.site_of(body)) {
  const Type type = Type::number(site_.scalars[0]);
  leaves_ = reducer.shared_array(type, 2 * chunk_leaves);
  if (w_.numbers().is_word(type.scalar)) vector_ = vector_of(w_.bytes_of(type));
}

void ChainsWriter::write() {
  parts_.items().block_per_item(kernel_, [&](Value key) { write_list(key); });
}

void ChainsWriter::write_list(Value key) {
  first_ = first_of_list(key);
  length_ = count_at(shape_.totals, key);
  const Value chunks =
      b_.lshr(b_.add(length_, w_.i64(chunk_leaves - 1)), std::countr_zero(std::uint64_t{chunk_leaves}));
  const Value is_mover = b_.less(reducer_.thread(), w_.i64(movers));
  const Value adds = b_.equal(reducer_.thread(), w_.i64(movers));
  w_.if_then(b_.bit_and(is_mover, b_.less(w_.i64(0), chunks)), [&] { bring(w_.i64(0)); });
  reducer_.barrier();
  const Value neutral = b_.neutral(site_.scalars[0]);
  const Value last = w_.branch(
      b_.less(w_.i64(0), chunks),
      [&] {
        return w_.loop(
            w_.i64(0), chunks, w_.i64(1), {neutral},
            [&](Value chunk, const Values& now) {
              const Value next = w_.add(chunk, w_.i64(1));
              w_.if_then(b_.bit_and(is_mover, b_.less(next, chunks)), [&] { bring(next); });
              const Values after = w_.branch(
                  adds, [&] { return Values{chain(chunk, now[0])}; }, [&] { return Values{now[0]}; });
              reducer_.barrier();
              return after;
            },
            false);
      },
      [&] { return Values{neutral}; })[0];
  w_.if_then(adds, [&] { store(key, length_, last, placed_, plan_, site_); });
}

/// In place of a leaf beyond the end, the last one is read.
void ChainsWriter::bring(Value chunk) {
  const Value begin = b_.mul(chunk, w_.i64(chunk_leaves), Fits::always);
  const Value last = b_.add(first_, b_.sub(length_, w_.i64(1)));
  Values numbers;
  for (std::int64_t k = 0; k < chunk_leaves; k += movers) {
    const Value place = b_.add(b_.add(first_, begin), b_.add(reducer_.thread(), w_.i64(k), Fits::always));
    numbers.push_back(circuits_.load_at_offset(shape_.sorted, w_.smaller(place, last)));
  }
  const Value to =
      b_.add(b_.mul(b_.bit_and(chunk, w_.i64(1)), w_.i64(chunk_leaves), Fits::always), reducer_.thread(), Fits::always);
  for (std::size_t k = 0; k < numbers.size(); ++k)
    b_.store(leaves_, to, numbers[k], static_cast<std::int64_t>(k) * movers);
}

Values ChainsWriter::some_leaves(Value place) {
  Values out;
  for (std::int64_t k = 0; k < leaves_at_once; k += vector_) {
    if (vector_ > 1) out.append(b_.load_vector(leaves_, place, static_cast<std::uint32_t>(vector_), k));
    else out.push_back(b_.load(leaves_, place, Stream::none, k));
  }
  return out;
}

/// Adds the leaves of a chunk. While some are added, the next ones are read, perhaps beyond the chunk's last leaf.
Value ChainsWriter::chain(Value chunk, Value sum) {
  const Value begin = b_.mul(chunk, w_.i64(chunk_leaves), Fits::always);
  const Value count = w_.smaller(w_.i64(chunk_leaves), b_.sub(length_, begin));
  const Value at = b_.mul(b_.bit_and(chunk, w_.i64(1)), w_.i64(chunk_leaves), Fits::always);
  const Value in_groups = b_.bit_and(count, w_.i64(-leaves_at_once));
  const auto add = [&](Value before, Value leaf) { return joins_.join(site_, {before}, {leaf})[0]; };
  const auto groups = [&] {
    Values carried = some_leaves(at);
    carried.insert(carried.begin(), sum);
    carried = w_.loop(
        w_.i64(0), in_groups, w_.i64(leaves_at_once), carried,
        [&](Value group, const Values& now) {
          // After the last group the same one is read once more, which needs no condition.
          const Value next =
              w_.smaller(w_.add(group, w_.i64(leaves_at_once)), b_.sub(in_groups, w_.i64(leaves_at_once)));
          Values after = some_leaves(w_.add(at, next));
          Value partial = now[0];
          for (std::size_t k = 1; k < now.size(); ++k) partial = add(partial, now[k]);
          after.insert(after.begin(), partial);
          return after;
        },
        false);
    return Values{carried[0]};
  };
  const Value of_groups = w_.branch(b_.less(w_.i64(0), in_groups), groups, [&] { return Values{sum}; })[0];
  return w_.branch(
      b_.less(in_groups, count),
      [&] {
        return w_.loop(
            in_groups, count, w_.i64(1), {of_groups},
            [&](Value leaf, const Values& now) { return Values{add(now[0], b_.load(leaves_, w_.add(at, leaf)))}; },
            false);
      },
      [&] { return Values{of_groups}; })[0];
}

}  // namespace reckon::codegen
