#include "codegen/strategies/scans/chains.h"

namespace reckon::codegen {

namespace {

/// So many leaves are read from memory before the first of them is stored.
constexpr std::int64_t loads_at_once = 8;

}  // namespace

ChainWriter::ChainWriter(KernelParts& parts, const KernelBody& body, const ScanPlacement& placement,
                         const ChainShape& shape, const Kernel& kernel, BlockReducer& reducer)
    : LoweringParts(parts.folds(), parts.folds().joins()),
      lists_(parts, body, placement, kernel),
      placement_(placement),
      shape_(shape),
      reducer_(reducer),
      site_(lists_.site()) {
  shared_ = reducer.shared_arrays(site_, shape.chunks() * shape.lists * shape.pitch());
  for (std::size_t k = 0; k < lists_.packed_size(); ++k) {
    packed_.push_back(reducer.shared_array(Type::index(), shape.lists));
  }
}

void ChainWriter::write() {
  lists_.in_groups(shape_.lists, [&](Value first) { write_group(first); });
}

/// The lists from `first` on. While a chunk is gone through, the results of the one before are written, and then the
/// leaves of the next one take their place.
void ChainWriter::write_group(Value first) {
  const Value chunks = w_.divide_up(lists_.longest(), w_.i64(shape_.columns));
  const Value is_mover = b_.less(reducer_.thread(), w_.i64(ChainShape::movers));
  const Value item = w_.add(first, reducer_.lane());
  const Value joins =
      b_.bit_and(b_.equal(reducer_.warp_number(), w_.i64(ChainShape::movers / warp)),
                 b_.bit_and(b_.less(reducer_.lane(), w_.i64(shape_.lists)), b_.less(item, lists_.count())));
  // Where a list is takes divisions to find out: one thread does it for all.
  w_.if_then(b_.less(reducer_.thread(), w_.i64(shape_.lists)), [&] {
    const Value last_item = b_.sub(lists_.count(), w_.i64(1));
    const ScanList list = lists_.at(w_.smaller(w_.add(first, reducer_.thread()), last_item));
    w_.store_at(packed_, reducer_.thread(), lists_.packed(list));
  });
  reducer_.barrier();
  w_.if_then(is_mover, [&] { load(w_.i64(0)); });
  reducer_.barrier();
  const Values last = w_.loop(
      w_.i64(0), chunks, w_.i64(1), joins_.zeros(site_),
      [&](Value chunk, const Values& state) {
        w_.if_then(is_mover, [&] {
          if (!placement_.folds) {
            w_.if_then(b_.greater(chunk, w_.i64(0)), [&] { store(first, b_.sub(chunk, w_.i64(1))); });
          }
          const Value next = w_.add(chunk, w_.i64(1));
          w_.if_then(b_.less(next, chunks), [&] { load(next); });
        });
        const Values after = w_.branch(
            joins, [&] { return chain(list_of(reducer_.lane()), chunk, state); }, [&] { return state; });
        reducer_.barrier();
        return after;
      },
      false);
  if (placement_.folds) {
    w_.if_then(joins, [&] { lists_.store_last(item, last); });
    return;
  }
  w_.if_then(is_mover, [&] { store(first, b_.sub(chunks, w_.i64(1))); });
  reducer_.barrier();
}

ScanList ChainWriter::list_of(Value number) { return lists_.unpacked(w_.load_at(packed_, number)); }

ChainWriter::Slot ChainWriter::slot(std::int64_t number, bool across) {
  const std::int64_t side = across ? shape_.lists : shape_.columns;
  const Value thread = reducer_.thread();
  const std::int64_t before = number * ChainShape::movers;
  Value inner, outer;
  if (side >= ChainShape::movers) {
    inner = w_.add(thread, w_.i64(before % side));
    outer = w_.i64(before / side);
  } else {
    inner = b_.bit_and(thread, w_.i64(side - 1));
    outer = w_.add(b_.lshr(thread, static_cast<std::uint64_t>(std::countr_zero(static_cast<std::uint64_t>(side)))),
                   w_.i64(before / side));
  }
  return across ? Slot{inner, outer} : Slot{outer, inner};
}

Value ChainWriter::place(Value list, Value column, Value chunk) {
  const Value which = b_.urem(chunk, w_.i64(shape_.chunks()));
  const Value first = b_.mul(which, w_.i64(shape_.lists * shape_.pitch()), Fits::always);
  return b_.add(b_.add(first, b_.mul(list, w_.i64(shape_.pitch()), Fits::always), Fits::always), column, Fits::always);
}

/// In place of a leaf or a list beyond the end, another one is read, which is there.
void ChainWriter::load(Value chunk) {
  const Value begin = w_.multiply(chunk, w_.i64(shape_.columns));
  const auto node_of = [&](const Slot& slot) {
    const ScanList list = list_of(slot.list);
    return lists_.node(list, w_.smaller(w_.add(begin, slot.column), b_.sub(list.length, w_.i64(1))));
  };
  const std::int64_t together = site_.cheap ? loads_at_once : 1;
  for (std::int64_t some = 0; some < slots(); some += together) {
    std::vector<std::pair<Value, Values>> nodes;
    for (std::int64_t k = some; k < std::min(some + together, slots()); ++k) {
      const Slot at = slot(k, shape_.across);
      nodes.emplace_back(place(at.list, at.column, chunk), node_of(at));
    }
    for (const auto& [to, node] : nodes) w_.store_at(shared_, to, node);
  }
}

void ChainWriter::store(Value first, Value chunk) {
  const Value begin = w_.multiply(chunk, w_.i64(shape_.columns));
  for (std::int64_t k = 0; k < slots(); ++k) {
    const Slot at = slot(k, false);
    w_.if_then(b_.less(w_.add(first, at.list), lists_.count()), [&] {
      const ScanList list = list_of(at.list);
      const Value position = w_.add(begin, at.column);
      w_.if_then(b_.less(position, list.length), [&] {
        const Values node = w_.load_at(shared_, place(at.list, at.column, chunk));
        lists_.store(list, position, lists_.after_tiles(list, {node})[0]);
      });
    });
  }
}

/// A chain begins with its first node.
Values ChainWriter::joined(Value is_first, const Values& state, const Values& node) {
  if (joins_.drops_joins(site_) && site_.cheap) return w_.select(is_first, node, joins_.join(site_, state, node));
  return w_.branch(
      is_first, [&] { return node; }, [&] { return joins_.join(site_, state, node); });
}

/// Joins a chunk's nodes to the state, and puts the result of each in its place.
Values ChainWriter::chain(const ScanList& list, Value chunk, const Values& state) {
  const Value begin = w_.multiply(chunk, w_.i64(shape_.columns));
  const Value mine = b_.maximum(w_.smaller(w_.i64(shape_.columns), b_.sub(list.length, begin)), w_.i64(0));
  const Value at = place(reducer_.lane(), w_.i64(0), chunk);
  Value in_groups = w_.i64(0);
  Values before = state;
  if (site_.cheap) {
    in_groups = b_.bit_and(mine, w_.i64(-shape_.at_once()));
    before = w_.branch(
        b_.greater(in_groups, w_.i64(0)), [&] { return chain_groups(begin, at, in_groups, state); },
        [&] { return state; });
  }
  return w_.branch(
      b_.less(in_groups, mine),
      [&] {
        return w_.loop(
            in_groups, mine, w_.i64(1), before,
            [&](Value position, const Values& sum) {
              const Values node = w_.load_at(shared_, w_.add(at, position));
              const Values out = joined(b_.equal(w_.add(begin, position), w_.i64(0)), sum, node);
              if (!placement_.folds) w_.store_at(shared_, w_.add(at, position), out);
              return out;
            },
            false);
      },
      [&] { return before; });
}

/// The first `end` nodes of the chunk, whole groups of them. While a group is joined, the next one is read.
Values ChainWriter::chain_groups(Value begin, Value at, Value end, const Values& state) {
  const std::int64_t together = shape_.at_once();
  const std::size_t parts = site_.state.size();
  const auto vector = static_cast<std::uint32_t>(shape_.vector);
  const auto group_from = [&](Value position) {
    Values nodes(static_cast<std::size_t>(together) * parts);
    for (std::int64_t k = 0; k < together; k += shape_.vector) {
      for (std::size_t part = 0; part < parts; ++part) {
        const Values some = vector > 1 ? b_.load_vector(shared_[part], w_.add(at, position), vector, k)
                                       : Values{b_.load(shared_[part], w_.add(at, position), Stream::none, k)};
        for (std::size_t j = 0; j < some.size(); ++j) nodes[(static_cast<std::size_t>(k) + j) * parts + part] = some[j];
      }
    }
    return nodes;
  };
  const auto keep = [&](Value position, const Values& nodes) {
    for (std::int64_t k = 0; k < together; k += shape_.vector) {
      for (std::size_t part = 0; part < parts; ++part) {
        Values some;
        for (std::uint32_t j = 0; j < vector; ++j)
          some.push_back(nodes[(static_cast<std::size_t>(k) + j) * parts + part]);
        if (vector > 1) b_.store_vector(shared_[part], w_.add(at, position), some, k);
        else b_.store(shared_[part], w_.add(at, position), some[0], k);
      }
    }
  };
  const auto join_group = [&](Value position, const Values& carried) {
    Values sum(carried.begin(), carried.begin() + static_cast<std::ptrdiff_t>(parts)), all;
    for (std::int64_t k = 0; k < together; ++k) {
      const Values node = nth_node(carried, static_cast<std::size_t>(k) + 1, parts);
      sum = k == 0 ? joined(b_.equal(w_.add(begin, position), w_.i64(0)), sum, node) : joins_.join(site_, sum, node);
      all.append(sum);
    }
    if (!placement_.folds) keep(position, all);
    return sum;
  };
  Values carried = state;
  carried.append(group_from(w_.i64(0)));
  const Value last = b_.sub(end, w_.i64(together));
  carried = w_.branch(
      b_.greater(last, w_.i64(0)),
      [&] {
        return w_.loop(
            w_.i64(0), last, w_.i64(together), carried,
            [&](Value position, const Values& now) {
              const Values next = group_from(w_.add(position, w_.i64(together)));
              Values sum = join_group(position, now);
              sum.append(next);
              return sum;
            },
            false);
      },
      [&] { return carried; });
  return join_group(last, carried);
}

}  // namespace reckon::codegen
