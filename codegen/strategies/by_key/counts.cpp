#include "codegen/strategies/by_key/counts.h"

namespace reckon::codegen {

namespace {

/// Neighbouring leaves that a thread reads together, and how many such groups before the first leaf is added.
constexpr std::int64_t neighbours = 4, groups_at_once = 4;

}  // namespace

std::int64_t leaves_of_part(std::int64_t leaves, std::int64_t parts) {
  return (leaves / (parts * neighbours) + 1) * neighbours;
}

CountsWriter::CountsWriter(KernelParts& parts, const ByKey& plan, const CountsShape& shape, Kernel& kernel,
                           BlockReducer& reducer)
    : LoweringParts(parts.folds(), parts.folds().joins()),
      parts_(parts),
      plan_(plan),
      shape_(shape),
      kernel_(kernel),
      reducer_(reducer),
      site_(joins_.site_of(plan.reduce)),
      scalar_(shape.ones ? ir::Scalar::i32 : site_.scalars[0]) {
  sums_ = reducer.shared_array(Type::number(scalar_), shape.keys * shape.copies);
}

void CountsWriter::write() {
  parts_.items().block_per_item(kernel_, [&](Value block) {
    const Value ranges = w_.index(kernel_.items.back());
    all_keys_ = w_.index(planned_.plan.buffers[kernel_.output].extents.back());
    write_block(b_.udiv(block, ranges), b_.urem(block, ranges));
  });
}

/// The keys of this number of ranges, of this part of the leaves.
void CountsWriter::write_block(Value part, Value range) {
  first_ = b_.mul(range, w_.i64(shape_.keys), Fits::always);
  count_ = w_.smaller(w_.i64(shape_.keys), b_.sub(all_keys_, first_));
  clear();
  reducer_.barrier();
  const Value length = w_.index(site_.node.indices[0]);
  // Parts begin at multiples of the neighbours that are read together.
  const Value groups = w_.add(b_.udiv(length, w_.i64(shape_.parts * neighbours)), w_.i64(1));
  const Value of_part = b_.mul(groups, w_.i64(neighbours), Fits::always);
  const Value begin = w_.smaller(b_.mul(part, of_part, Fits::always), length);
  add_leaves(begin, w_.smaller(b_.add(begin, of_part, Fits::always), length));
  reducer_.barrier();
  store(part);
}

Value CountsWriter::copy_place(Value key, Value copy) { return w_.add(w_.multiply(key, w_.i64(shape_.copies)), copy); }

void CountsWriter::clear() {
  const Value zero = shape_.ones ? b_.rounded(scalar_, 0) : circuits_.scalar(plan_.keyed.absent);
  w_.loop(
      reducer_.thread(), w_.i64(std::max(shape_.keys * shape_.copies, CountsShape::threads)),
      w_.i64(CountsShape::threads), {},
      [&](Value place, const Values&) {
        const Value inside = b_.less(place, w_.multiply(count_, w_.i64(shape_.copies)));
        w_.if_then(inside, [&] { b_.store(sums_, place, zero); });
        return Values{};
      },
      false);
}

/// Most leaves in groups of neighbours, many at once, and then those that are left.
void CountsWriter::add_leaves(Value begin, Value end) {
  constexpr std::int64_t round = CountsShape::threads * neighbours * groups_at_once;
  const Value rounds = b_.udiv(b_.sub(end, begin, Fits::always), w_.i64(round));
  w_.if_then(b_.greater(rounds, w_.i64(0)), [&] {
    w_.loop(
        w_.i64(0), rounds, w_.i64(1), {},
        [&](Value number, const Values&) {
          const Value of_thread = b_.mul(reducer_.thread(), w_.i64(neighbours), Fits::always);
          const Value first = w_.add(begin, b_.mul(number, w_.i64(round), Fits::always));
          add_some(w_.add(first, of_thread), groups_at_once);
          return Values{};
        },
        false);
  });
  const Value rest = w_.add(w_.add(begin, b_.mul(rounds, w_.i64(round), Fits::always)), reducer_.thread());
  w_.if_then(b_.less(rest, end), [&] {
    w_.loop(
        rest, end, w_.i64(CountsShape::threads), {},
        [&](Value position, const Values&) {
          add(leaf_at(position));
          return Values{};
        },
        false);
  });
}

/// Groups of neighbours, a round of the threads from one to the next. All are read before the first one is added.
void CountsWriter::add_some(Value first, std::int64_t groups) {
  std::vector<Leaf> leaves;
  for (std::int64_t group = 0; group < groups; ++group) {
    for (std::int64_t k = 0; k < neighbours; ++k) {
      leaves.push_back(leaf_at(w_.add(first, w_.i64(group * CountsShape::threads * neighbours + k))));
    }
  }
  for (const Leaf& leaf : leaves) add(leaf);
}

/// A leaf that takes no part is computed, too, since it may have an error.
CountsWriter::Leaf CountsWriter::leaf_at(Value position) {
  Scope scope;
  scope.variables.push_back({site_.node.variables[0], site_.node.indices[0], position});
  const Values found = w_.in_scope(scope, [&] {
    const Value limit = w_.add(all_keys_, w_.i64(plan_.first_key));
    const Value key = b_.clamped_index(circuits_.scalar(plan_.keyed.key), limit);
    const Value number = shape_.ones ? b_.rounded(scalar_, 1) : circuits_.scalar(plan_.keyed.leaf[0]);
    w_.resume();
    return Values{b_.sub(b_.sub(key, w_.i64(plan_.first_key)), first_), number};
  });
  return {found[0], found[1]};
}

void CountsWriter::add(const Leaf& leaf) {
  w_.if_then(b_.below(leaf.key, count_), [&] {
    const Value copy = b_.bit_and(reducer_.lane(), w_.i64(shape_.copies - 1));
    b_.atomic_add(sums_, copy_place(leaf.key, copy), leaf.number);
  });
}

void CountsWriter::store(Value part) {
  w_.loop(
      reducer_.thread(), w_.i64(std::max(shape_.keys, CountsShape::threads)), w_.i64(CountsShape::threads), {},
      [&](Value key, const Values&) {
        w_.if_then(b_.less(key, count_), [&] {
          // Neighbouring threads begin with different copies, which are in different banks.
          Value sum = nullptr;
          for (std::int64_t k = 0; k < shape_.copies; ++k) {
            const Value copy = b_.bit_and(b_.add(key, w_.i64(k)), w_.i64(shape_.copies - 1));
            const Value one = b_.load(sums_, copy_place(key, copy));
            const Value both[] = {sum, one};
            sum = sum ? b_.apply(ir::Op::add, scalar_, scalar_, both, site_.id) : one;
          }
          const Value place = w_.add(w_.multiply(part, all_keys_), w_.add(first_, key));
          circuits_.store_at_offset(kernel_.output, place, sum);
        });
        return Values{};
      },
      false);
}

}  // namespace reckon::codegen
