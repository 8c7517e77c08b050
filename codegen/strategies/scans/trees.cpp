#include "codegen/strategies/scans/trees.h"

#include <bit>

#include "codegen/place/place.h"

namespace reckon::codegen {

namespace {

constexpr std::int64_t lane_bits = 5;
/// A list has fewer chunks than two to the power of this.
constexpr std::int64_t chunk_bits = 40;
/// So many words of shared memory are followed by an empty one, so that the threads' leaves are in different banks.
constexpr int banks_bits = 5;

/// Leaves of a thread: the more, the fewer levels of joins are between threads.
std::int64_t vector_for(const FoldSite& site, const Writer& writer) {
  if (!site.cheap) return 1;
  std::int64_t bytes = 0;
  for (const Type type : site.state) bytes += writer.bytes_of(type);
  return bytes <= 8 ? 8 : bytes <= 16 ? 4 : 1;
}

}  // namespace

TreeScan::TreeScan(KernelParts& parts, const KernelBody& body, const ScanPlacement& placement, bool by_tree,
                   const Kernel& kernel, BlockReducer& reducer)
    : LoweringParts(parts.folds(), parts.folds().joins()),
      lists_(parts, body, placement, kernel),
      placement_(placement),
      by_tree_(by_tree),
      reducer_(reducer),
      site_(lists_.site()),
      continues_(placement.before.order == TilesBefore::Order::continued),
      threads_(reducer.threads()),
      warp_bits_(std::countr_zero(static_cast<std::uint64_t>(threads_ / warp))),
      vector_(vector_for(site_, w_)) {
  // No more than the longest list needs.
  const auto longest = w_.known(lists_.longest());
  while (longest && vector_ > 1 && leaves() / 2 >= *longest) vector_ /= 2;
  shared_ = reducer.shared_arrays(site_, leaves() + (leaves() >> banks_bits));
  warps_ = reducer.shared_arrays(site_, threads_ / warp);
  counter_ = folds_.trees().make_counter(site_, chunk_bits);
  if (!by_tree) prefixes_ = folds_.trees().make_counter(site_, chunk_bits);
}

void TreeScan::write() {
  lists_.in_groups(1, [&](Value item) { write_list(lists_.at(item)); });
}

void TreeScan::write_list(const ScanList& list) {
  // By `blelloch` the chunk's first leaf is joined with what comes before it.
  Values before;
  if (!by_tree_) {
    before = joins_.zeros(site_);
    if (continues_) {
      before = w_.branch(
          b_.greater(list.tile, w_.i64(0)), [&] { return lists_.first_tiles(list, list.tile); },
          [&] { return before; });
    }
  }
  const auto parts = static_cast<std::ptrdiff_t>(before.size());
  // The leaves of the next chunk are on their way while one is joined.
  Values carried = before;
  carried.append(read_chunk(list, w_.i64(0)));
  w_.loop(
      w_.i64(0), w_.divide_up(list.length, w_.i64(leaves())), w_.i64(1), carried,
      [&](Value chunk, const Values& now) {
        const Value begin = w_.multiply(chunk, w_.i64(leaves()));
        deal_out(Values(now.begin() + parts, now.end()));
        reducer_.barrier();
        std::vector<Values> nodes;
        const Value first = b_.mul(reducer_.thread(), w_.i64(vector_), Fits::always);
        for (std::int64_t v = 0; v < vector_; ++v) {
          nodes.push_back(w_.load_at(shared_, place(b_.add(first, w_.i64(v), Fits::always))));
        }
        const Values following = read_chunk(list, w_.add(begin, w_.i64(leaves())));
        Values next;
        if (by_tree_) {
          nodes = by_tree(std::move(nodes), list, chunk);
        } else {
          nodes = by_blelloch(nodes, list, chunk, Values(now.begin(), now.begin() + parts));
          next = nodes.back();
          nodes.pop_back();
        }
        for (std::int64_t v = 0; v < vector_; ++v) {
          w_.store_at(shared_, place(b_.add(first, w_.i64(v), Fits::always)), nodes[static_cast<std::size_t>(v)]);
        }
        reducer_.barrier();
        write_chunk(list, begin);
        next.append(following);
        return next;
      },
      false);
}

Value TreeScan::place(Value position) {
  return b_.add(position, b_.lshr(position, static_cast<std::uint64_t>(banks_bits)), Fits::always);
}

/// Neighbouring threads read neighbouring leaves. In place of a leaf beyond the end, the last one is read.
Values TreeScan::read_chunk(const ScanList& list, Value begin) {
  const Value last = b_.sub(list.length, w_.i64(1));
  Values nodes;
  for (std::int64_t v = 0; v < vector_; ++v) {
    nodes.append(lists_.node(list, w_.smaller(w_.add(begin, number(v)), last)));
  }
  return nodes;
}

/// Puts what was read where the threads find their neighbouring leaves.
void TreeScan::deal_out(const Values& nodes) {
  for (std::int64_t v = 0; v < vector_; ++v) {
    w_.store_at(shared_, place(number(v)), nth_node(nodes, static_cast<std::size_t>(v), site_.state.size()));
  }
}

/// Of a leaf in its chunk, as leaves are read.
Value TreeScan::number(std::int64_t v) { return b_.add(reducer_.thread(), w_.i64(v * threads_), Fits::always); }

void TreeScan::write_chunk(const ScanList& list, Value begin) {
  for (std::int64_t v = 0; v < vector_; ++v) {
    const Value position = w_.add(begin, number(v));
    w_.if_then(b_.less(position, list.length),
               [&] { lists_.store(list, position, w_.load_at(shared_, place(number(v)))); });
  }
}

Value TreeScan::bit(Value number, std::int64_t k) {
  return b_.not_equal(b_.bit_and(number, w_.i64(std::int64_t{1} << k)), w_.i64(0));
}

/// Where the aligned 2^k before those begin that hold `number`.
Value TreeScan::run_before(Value number, std::int64_t k) {
  const std::int64_t size = std::int64_t{1} << k;
  return b_.bit_and(b_.sub(number, w_.i64(size)), w_.i64(-size));
}

TreeScan::Lanes TreeScan::lanes_of(const Values& total) {
  Lanes lanes{{total}, {}};
  for (std::int64_t k = 0; k < lane_bits; ++k) {
    const Values own = lanes.own.back();
    Values other;
    for (const Value value : own) other.push_back(b_.shuffle_xor(value, std::int64_t{1} << k));
    const Value is_right = bit(reducer_.lane(), k);
    lanes.own.push_back(joins_.join(site_, w_.select(is_right, other, own), w_.select(is_right, own, other)));
    lanes.other.push_back(std::move(other));
  }
  return lanes;
}

/// The total of 2^level warps from `first` on.
Values TreeScan::total_of_warps(std::int64_t level, Value first) {
  Levels row;
  for (std::int64_t k = 0; k < std::int64_t{1} << level; ++k) {
    row.push_back(w_.load_at(warps_, b_.add(first, w_.i64(k), Fits::always)));
  }
  while (row.size() > 1) {
    Levels above;
    for (std::size_t k = 0; k < row.size(); k += 2) above.push_back(joins_.join(site_, row[k], row[k + 1]));
    row = std::move(above);
  }
  return row[0];
}

/// Each level joins the right half of a run with the total of the left half, which is the left half's last element.
std::vector<Values> TreeScan::by_tree(std::vector<Values> nodes, const ScanList& list, Value chunk) {
  const std::size_t count = nodes.size();
  for (std::size_t half = 1; half < count; half *= 2) {
    for (std::size_t v = 0; v < count; ++v) {
      if (v & half) nodes[v] = joins_.join(site_, nodes[(v / half) * half - 1], nodes[v]);
    }
  }
  const Lanes lanes = lanes_of(nodes.back());
  for (std::int64_t k = 0; k < lane_bits; ++k) {
    const auto level = static_cast<std::size_t>(k);
    const Value is_right = bit(reducer_.lane(), k);
    for (Values& node : nodes) node = w_.select(is_right, joins_.join(site_, lanes.other[level], node), node);
  }
  w_.if_then(b_.equal(reducer_.lane(), w_.i64(warp - 1)),
             [&] { w_.store_at(warps_, reducer_.warp_number(), lanes.own.back()); });
  reducer_.barrier();
  const Value number = reducer_.warp_number();
  for (std::int64_t k = 0; k < warp_bits_; ++k) {
    nodes = lists_.joined_if(bit(number, k), nodes, [&] { return total_of_warps(k, run_before(number, k)); });
  }
  nodes = folds_.trees().after_runs(site_, counter_, chunk, nodes);
  const Value more = b_.less(b_.mul(b_.add(chunk, w_.i64(1)), w_.i64(leaves())), list.length);
  w_.if_then(more, [&] { folds_.trees().push(site_, counter_, chunk, 0, total_of_warps(warp_bits_, w_.i64(0))); });
  return lists_.after_tiles(list, std::move(nodes));
}

/// The leaves before a place, joined as the scan joins them; there may be none.
struct TreeScan::Exclusive {
  Values value;
  Value is_there;
};

TreeScan::Exclusive TreeScan::after(const Exclusive& before, const Values& run) {
  return {w_.select(before.is_there, joins_.join(site_, before.value, run), run), b_.flag(true)};
}

/// The elements of 2^level leaves of the thread from `first` on, but for the last one of them, which is that before the
/// next leaf. `runs[k]` are the totals of 2^k leaves.
TreeScan::Exclusive TreeScan::descend(std::vector<Values>& out, const std::vector<Levels>& runs, std::int64_t level,
                                      std::int64_t first, Exclusive before) {
  if (level == 0) return before;
  const std::int64_t half = std::int64_t{1} << (level - 1);
  static_cast<void>(descend(out, runs, level - 1, first, before));
  const Exclusive middle =
      after(before, runs[static_cast<std::size_t>(level - 1)][static_cast<std::size_t>(first / half)]);
  out[static_cast<std::size_t>(first + half - 1)] = middle.value;
  return descend(out, runs, level - 1, first + half, middle);
}

/// The elements, and then what comes before the next chunk.
std::vector<Values> TreeScan::by_blelloch(const std::vector<Values>& nodes, const ScanList& list, Value chunk,
                                          const Values& carried) {
  std::vector<Levels> runs{nodes};
  while (runs.back().size() > 1) {
    const Levels below = runs.back();
    Levels above;
    for (std::size_t k = 0; k < below.size(); k += 2) above.push_back(joins_.join(site_, below[k], below[k + 1]));
    runs.push_back(std::move(above));
  }
  const Lanes lanes = lanes_of(runs.back()[0]);
  w_.if_then(b_.equal(reducer_.lane(), w_.i64(warp - 1)),
             [&] { w_.store_at(warps_, reducer_.warp_number(), lanes.own.back()); });
  reducer_.barrier();
  const Values of_chunk = total_of_warps(warp_bits_, w_.i64(0));
  Value has_before = b_.greater(chunk, w_.i64(0));
  if (continues_) has_before = b_.bit_or(has_before, b_.greater(list.tile, w_.i64(0)));
  const Values next = next_chunk(list, chunk, of_chunk);

  // From the longest run down. A thread whose lower bits are all ones ends a run, and its last element is what comes
  // before that run joined with the run.
  const Value thread = reducer_.thread(), number = reducer_.warp_number();
  Exclusive before{carried, has_before};
  Values last = next;
  const auto ends_run = [&](std::int64_t k) {  // of 2^k threads, and none of twice as many
    return b_.equal(b_.bit_and(thread, w_.i64((std::int64_t{2} << k) - 1)), w_.i64((std::int64_t{1} << k) - 1));
  };
  for (std::int64_t k = warp_bits_; k-- > 0;) {
    const Value size = w_.i64(-(std::int64_t{1} << k));
    last = w_.select(ends_run(lane_bits + k), after(before, total_of_warps(k, b_.bit_and(number, size))).value, last);
    // The run to the left; without one, any other stands for it.
    const Value is_right = bit(number, k);
    const Value left = b_.select(is_right, run_before(number, k), w_.i64(0));
    const Exclusive after_left = after(before, total_of_warps(k, left));
    before = {w_.select(is_right, after_left.value, before.value), b_.bit_or(is_right, before.is_there)};
  }
  for (std::int64_t k = lane_bits; k-- > 0;) {
    const auto level = static_cast<std::size_t>(k);
    last = w_.select(ends_run(k), after(before, lanes.own[level]).value, last);
    const Value is_right = bit(reducer_.lane(), k);
    before = {w_.select(is_right, after(before, lanes.other[level]).value, before.value),
              b_.bit_or(is_right, before.is_there)};
  }
  std::vector<Values> out(nodes.size());
  static_cast<void>(descend(out, runs, static_cast<std::int64_t>(runs.size()) - 1, 0, before));
  out.back() = last;
  out = lists_.after_tiles(list, out);
  out.push_back(next);
  return out;
}

/// What comes before the chunk after this one.
Values TreeScan::next_chunk(const ScanList& list, Value chunk, const Values& total) {
  const Values run = folds_.trees().push(site_, counter_, chunk, 0, total);
  const Value following = b_.add(chunk, w_.i64(1));
  const Value rest = b_.bit_and(chunk, following);  // chunks before the run
  const auto first_run = [&] { return continues_ ? lists_.after_first_tiles(list, list.tile, {run})[0] : run; };
  Values next = w_.branch(
      b_.greater(rest, w_.i64(0)),
      [&] { return joins_.join(site_, w_.load_at(prefixes_.stack, b_.trailing_zeros(rest)), run); }, first_run);
  if (continues_) {
    // A whole tile ends a run of tiles.
    const Value end = b_.mul(following, w_.i64(leaves()));
    const Value size = w_.i64(*placement_.tile);
    next = w_.branch(
        b_.bit_and(b_.equal(end, size), b_.equal(list.length, size)),
        [&] { return lists_.first_tiles(list, w_.add(list.tile, w_.i64(1))); }, [&] { return next; });
  }
  w_.store_at(prefixes_.stack, b_.trailing_zeros(following), next);
  return next;
}

}  // namespace reckon::codegen
