#include "codegen/strategies/scans/trees.h"

#include <bit>

#include "codegen/place/place.h"

namespace reckon::codegen {

namespace {

constexpr std::int64_t lane_bits = WarpRuns::levels;
/// A list has fewer chunks than two to the power of this.
constexpr std::int64_t chunk_bits = 40;
/// So many words of shared memory are followed by an empty one, so that the threads' leaves are in different banks.
constexpr int banks_bits = 5;

/// The more, the fewer levels of joins are between threads.
std::int64_t vector_for(const FoldSite& site, const Writer& writer) {
  if (!site.cheap) return 1;
  std::int64_t bytes = 0;
  for (const Type type : site.state) bytes += writer.bytes_of(type);
  return TreeScan::leaves_of_thread(bytes);
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
      lanes_(parts.folds(), lists_.site(), reducer),
      continues_(placement.before.order == TilesBefore::Order::continued),
      threads_(reducer.threads()),
      warp_bits_(std::countr_zero(static_cast<std::uint64_t>(threads_ / warp))),
      vector_(vector_for(site_, w_)) {
  const bool looks_back = placement.before.order == TilesBefore::Order::look_back;
  if (looks_back) vector_ = *placement.tile / threads_;
  // No more than the longest list needs.
  const auto longest = w_.known(lists_.longest());
  while (!looks_back && longest && vector_ > 1 && leaves() / 2 >= *longest) vector_ /= 2;
  shared_ = reducer.shared_arrays(site_, leaves() + (leaves() >> banks_bits));
  warps_ = reducer.shared_arrays(site_, threads_ / warp);
  if (looks_back) {
    look_back_ = std::make_unique<LookBack>(parts, lists_, placement, kernel, reducer);
    return;
  }
  counter_ = folds_.trees().make_counter(site_, chunk_bits);
  if (!by_tree) prefixes_ = folds_.trees().make_counter(site_, chunk_bits);
}

void TreeScan::write() {
  if (look_back_) return write_tiles();
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
        std::vector<Values> nodes = nodes_apart(own_leaves(), site_.state.size());
        const Values following = read_chunk(list, w_.add(begin, w_.i64(leaves())));
        Values next;
        if (by_tree_) {
          nodes = by_tree(std::move(nodes), list, chunk);
        } else {
          nodes = by_blelloch(nodes, list, chunk, Values(now.begin(), now.begin() + parts));
          next = nodes.back();
          nodes.pop_back();
        }
        keep(nodes);
        reducer_.barrier();
        write_chunk(list, begin);
        next.append(following);
        return next;
      },
      false);
}

/// Tiles of a chunk each. A block has three of them in hand, so that blocks wait little for each other: the first is
/// joined with what comes before it, the total of the second is published, and the leaves of the third are on their
/// way.
void TreeScan::write_tiles() {
  const Values slot{reducer_.shared_array(Type::index(), 1)};
  const Value is_first = b_.equal(reducer_.thread(), w_.i64(0));
  const auto ticket = [&] {
    return w_.branch(
        is_first, [&] { return Values{look_back_->ticket()}; }, [&] { return Values{w_.i64(0)}; })[0];
  };
  // Beyond the last tile, the last one is read.
  const auto list_of = [&](Value item) { return lists_.at(w_.smaller(item, b_.sub(lists_.count(), w_.i64(1)))); };
  const auto read = [&](Value item) {
    const ScanList list = list_of(item);
    return w_.branch(
        b_.equal(list.length, w_.i64(leaves())), [&] { return read_whole(list); }, [&] { return read_part(list); });
  };
  const auto pass_on = [&](Value number) { w_.if_then(is_first, [&] { w_.store_at(slot, w_.i64(0), {number}); }); };
  const auto passed_on = [&] { return w_.load_at(slot, w_.i64(0))[0]; };
  const std::size_t parts = site_.state.size();
  const auto count = static_cast<std::ptrdiff_t>(parts * static_cast<std::size_t>(vector_));
  // The nodes within a tile whose leaves are read, and its total, which is published. The leaves of the tile after it
  // are read then.
  const auto begin = [&](Value item, const Values& leaves_read, Value mine, FunctionRef<void()> before_barrier,
                         FunctionRef<void()> after_barrier) {
    deal_out(leaves_read);
    pass_on(mine);
    b_.warp_barrier();
    std::vector<Values> nodes = nodes_apart(own_leaves(), parts);
    before_barrier();
    nodes = within_chunk(std::move(nodes));  // which has a barrier
    after_barrier();
    const Value after = passed_on();
    const Values total = w_.branch(
        b_.equal(reducer_.warp_number(), w_.i64(0)), [&] { return total_of_warps(warp_bits_, w_.i64(0)); },
        [&] { return joins_.zeros(site_); });
    w_.if_then(b_.less(item, lists_.count()), [&] { look_back_->publish_total(list_of(item), total); });
    Values out;
    for (const Values& node : nodes) out.append(node);
    out.append(total);
    out.push_back(after);
    out.push_back(ticket());
    out.append(read(after));
    return out;
  };
  w_.if_then(b_.greater(lists_.count(), w_.i64(0)), [&] {
    pass_on(ticket());
    reducer_.barrier();
    const Value first = passed_on();
    const Values leaves_read = read(first);
    const Value mine = ticket();
    reducer_.barrier();
    Values state{w_.i64(0), first};
    state.append(begin(
        first, leaves_read, mine, [] {}, [] {}));
    reducer_.barrier();
    // 0 and 1 in turn; the tile, its nodes, its total; the next tile, the ticket of the one after it, and the next
    // tile's leaves.
    w_.while_loop(
        state, [&](const Values& now) { return b_.less(now[1], lists_.count()); },
        [&](const Values& now) {
          const Value round = now[0];
          const auto rest = now.begin() + 2;
          const Values nodes(rest, rest + count),
              total(rest + count, rest + count + static_cast<std::ptrdiff_t>(parts));
          const auto of_next = rest + count + static_cast<std::ptrdiff_t>(parts);
          const ScanList list = lists_.at(now[1]);
          const Values found_first = look_back_->look_up_first(list);
          Values found_others;
          Values next{b_.bit_xor(round, w_.i64(1)), *of_next};
          next.append(begin(
              *of_next, Values(of_next + 2, now.end()), *(of_next + 1),
              [&] { look_back_->read_first(list, total, round, found_first); },
              [&] { found_others = look_back_->look_up_others(list); }));
          keep(look_back_->after_tiles(list, round, found_others, nodes_apart(nodes, parts)));
          b_.warp_barrier();
          w_.branch(
              b_.equal(list.length, w_.i64(leaves())),
              [&] {
                write_whole(list);
                return Values{};
              },
              [&] {
                write_chunk(list, w_.i64(0));
                return Values{};
              });
          return next;
        });
    look_back_->end();
  });
}

/// Where the first of a thread's leaves is in shared memory. Those after it follow, since a power of two of them are
/// between two empty words.
Value TreeScan::own_place() {
  const Value first = b_.mul(reducer_.thread(), w_.i64(vector_), Fits::always);
  return b_.add(first, b_.lshr(first, static_cast<std::uint64_t>(banks_bits)), Fits::always);
}

/// Where the leaf is that a thread reads, or its result; those of the thread are `read_pitch` apart.
Value TreeScan::read_place() {
  const std::int64_t of_warp = warp * vector_;
  const Value first = b_.mul(reducer_.warp_number(), w_.i64(of_warp + (of_warp >> banks_bits)), Fits::always);
  return b_.add(first, reducer_.lane(), Fits::always);
}

Values TreeScan::load(Value place, std::int64_t offset) {
  Values node;
  for (const Value part : shared_) node.push_back(b_.load(part, place, kernel::Stream::none, offset));
  return node;
}

void TreeScan::store(Value place, std::int64_t offset, std::span<const Value> node) {
  for (std::size_t part = 0; part < shared_.size(); ++part) b_.store(shared_[part], place, node[part], offset);
}

/// Neighbouring threads read neighbouring leaves, and a warp those that it joins. In place of a leaf beyond the end,
/// the last one is read.
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
    store(read_place(), v * read_pitch(), nth_node(nodes, static_cast<std::size_t>(v), site_.state.size()));
  }
}

/// Of a leaf in its chunk, as leaves are read.
Value TreeScan::number(std::int64_t v) {
  const Value first = b_.mul(reducer_.warp_number(), w_.i64(warp * vector_), Fits::always);
  return b_.add(b_.add(first, reducer_.lane(), Fits::always), w_.i64(v * warp), Fits::always);
}

void TreeScan::write_chunk(const ScanList& list, Value begin) {
  for (std::int64_t v = 0; v < vector_; ++v) {
    const Value position = w_.add(begin, number(v));
    w_.if_then(b_.less(position, list.length),
               [&] { lists_.store(list, position, load(read_place(), v * read_pitch())); });
  }
}

/// The same of a chunk that is the whole list, of which all leaves are there.
Values TreeScan::read_whole(const ScanList& list) {
  Values nodes;
  for (std::int64_t v = 0; v < vector_; ++v) nodes.append(lists_.node(list, number(v)));
  return nodes;
}

/// The same of a shorter list. What stands for the leaves that are not there is joined to nothing that is used.
Values TreeScan::read_part(const ScanList& list) {
  Values nodes;
  for (std::int64_t v = 0; v < vector_; ++v) {
    nodes.append(w_.branch(
        b_.less(number(v), list.length), [&] { return lists_.node(list, number(v)); },
        [&] { return joins_.zeros(site_); }));
  }
  return nodes;
}

void TreeScan::write_whole(const ScanList& list) {
  for (std::int64_t v = 0; v < vector_; ++v) lists_.store(list, number(v), load(read_place(), v * read_pitch()));
}

/// The leaves that a thread joins: neighbours.
Values TreeScan::own_leaves() {
  Values nodes;
  for (std::int64_t v = 0; v < vector_; ++v) nodes.append(load(own_place(), v));
  return nodes;
}

/// Puts the nodes where these leaves were.
void TreeScan::keep(const std::vector<Values>& nodes) {
  for (std::int64_t v = 0; v < vector_; ++v) store(own_place(), v, nodes[static_cast<std::size_t>(v)]);
}

/// Where the aligned 2^k before those begin that hold `number`.
Value TreeScan::run_before(Value number, std::int64_t k) {
  const std::int64_t size = std::int64_t{1} << k;
  return b_.bit_and(b_.sub(number, w_.i64(size)), w_.i64(-size));
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
std::vector<Values> TreeScan::within_chunk(std::vector<Values> nodes) {
  const std::size_t count = nodes.size();
  for (std::size_t half = 1; half < count; half *= 2) {
    for (std::size_t v = 0; v < count; ++v) {
      if (v & half) nodes[v] = joins_.join(site_, nodes[(v / half) * half - 1], nodes[v]);
    }
  }
  const WarpRuns::Runs lanes = lanes_.of(nodes.back());
  const bool has_neutral = !site_.reduction.user && site_.reduction.operation == ir::Op::add &&
                           w_.numbers().has_neutral_summand(site_.scalars[0]);
  for (std::int64_t k = 0; k < lane_bits; ++k) {
    const auto level = static_cast<std::size_t>(k);
    const Value is_right = lanes_.bit(reducer_.lane(), k);
    // One selection of what changes no bit, instead of one for each node.
    if (has_neutral) {
      const Values left{b_.select(is_right, lanes.other[level][0], b_.neutral(site_.scalars[0]))};
      for (Values& node : nodes) node = joins_.join(site_, left, node);
      continue;
    }
    for (Values& node : nodes) node = w_.select(is_right, joins_.join(site_, lanes.other[level], node), node);
  }
  w_.if_then(b_.equal(reducer_.lane(), w_.i64(warp - 1)),
             [&] { w_.store_at(warps_, reducer_.warp_number(), lanes.own.back()); });
  reducer_.barrier();
  const Value number = reducer_.warp_number();
  for (std::int64_t k = 0; k < warp_bits_; ++k) {
    nodes = lists_.joined_if(lanes_.bit(number, k), nodes, [&] { return total_of_warps(k, run_before(number, k)); });
  }
  return nodes;
}

std::vector<Values> TreeScan::by_tree(std::vector<Values> nodes, const ScanList& list, Value chunk) {
  nodes = within_chunk(std::move(nodes));
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
  const WarpRuns::Runs lanes = lanes_.of(runs.back()[0]);
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
    const Value is_right = lanes_.bit(number, k);
    const Value left = b_.select(is_right, run_before(number, k), w_.i64(0));
    const Exclusive after_left = after(before, total_of_warps(k, left));
    before = {w_.select(is_right, after_left.value, before.value), b_.bit_or(is_right, before.is_there)};
  }
  for (std::int64_t k = lane_bits; k-- > 0;) {
    const auto level = static_cast<std::size_t>(k);
    last = w_.select(ends_run(k), after(before, lanes.own[level]).value, last);
    const Value is_right = lanes_.bit(reducer_.lane(), k);
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
