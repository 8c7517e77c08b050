#include "codegen/strategies/scans/look_back.h"

#include <bit>

namespace reckon::codegen {

std::int64_t LookBack::levels_for(std::int64_t tiles) {
  std::int64_t levels = 1;
  while (levels < most_levels && tiles >> (WarpRuns::levels * levels) > 0) ++levels;
  return levels;
}

LookBack::LookBack(KernelParts& parts, ScanLists& lists, const ScanPlacement& placement, const Kernel& kernel,
                   BlockReducer& reducer)
    : LoweringParts(parts.folds(), parts.folds().joins()),
      lists_(lists),
      before_(placement.before),
      reducer_(reducer),
      site_(lists.site()),
      warp_(parts.folds(), lists.site(), reducer) {
  // They change while the kernel runs.
  const auto changing = [&](std::uint32_t buffer) {
    w_.function().parameters[buffer].changes = true;
    return w_.buffers()[buffer];
  };
  for (std::uint32_t part = 0; part < site_.state.size(); ++part) published_.push_back(changing(before_.totals + part));
  counters_ = changing(before_.counters);
  tiles_ = w_.index(kernel.items.back());
  rows_ = b_.udiv(lists.count(), b_.maximum(tiles_, w_.i64(1)));
  runs_ = reducer.shared_arrays(site_, (before_.levels + 1) * WarpRuns::levels);
}

Value LookBack::ticket() {
  const Value all = w_.add(lists_.count(), b_.mul(b_.blocks(), w_.i64(tickets_ahead)));
  const Value last = b_.sub(all, w_.i64(1));
  return b_.ticket(counters_, w_.i64(tickets), last);
}

/// Where the total stands of the tiles of a list with this number on this level.
Value LookBack::place(const ScanList& list, Value level, Value number) {
  const Value row = w_.add(w_.multiply(list.row, w_.i64(before_.levels)), level);
  return w_.add(w_.multiply(row, tiles_), number);
}

/// By one thread.
void LookBack::publish(const ScanList& list, Value level, const Values& total) {
  const Value to = place(list, level, number_at(list, level));
  for (std::size_t part = 0; part < total.size(); ++part) b_.publish(published_[part], to, total[part]);
}

/// The number that a lane reads on a level: of the 32 neighbours of this one.
Value LookBack::mine_of(Value number) {
  return b_.add(b_.bit_and(number, w_.i64(-warp)), reducer_.lane(), Fits::always);
}

Values LookBack::found_at(Value place) {
  Values total;
  Value is_there = b_.flag(true);
  for (std::size_t part = 0; part < site_.state.size(); ++part) {
    const auto found = b_.look_up(published_[part], place, site_.state[part]);
    total.push_back(found.value);
    is_there = part == 0 ? found.is_there : b_.bit_and(is_there, found.is_there);
  }
  total.push_back(is_there);
  return total;
}

/// Each of these warps looks at its level.
Values LookBack::look_up(const ScanList& list, std::int64_t begin, std::int64_t end) {
  const Value level = reducer_.warp_number();
  const Value number = number_at(list, level), mine = mine_of(number);
  Values nothing = joins_.zeros(site_);
  nothing.push_back(b_.flag(false));
  return w_.branch(
      b_.bit_and(b_.bit_and(b_.greater_equal(level, w_.i64(begin)), b_.less(level, w_.i64(end))),
                 b_.less(mine, number)),
      [&] { return found_at(place(list, level, mine)); }, [&] { return nothing; });
}

/// By one warp: the totals of a level's neighbours before the tile, up to 31 of them. Gives the total of these and of
/// `own`, which is that of the tile's own number; where it is not the last one of 32, that means nothing. With `keep`,
/// the runs are kept, and `found` is what `look_up` gave.
Values LookBack::read_level(const ScanList& list, Value level, const Values& own, const Keep* keep) {
  const Value number = number_at(list, level);
  const Value mine = mine_of(number);
  Values nothing = joins_.zeros(site_);
  nothing.push_back(b_.flag(false));
  const Values node = w_.branch(
      b_.less(mine, number),
      [&] {
        const Value from = place(list, level, mine);
        const Values there = w_.while_loop(
            keep ? keep->found : nothing, [&](const Values& now) { return b_.equal(b_.extend(now.back()), w_.i64(0)); },
            [&](const Values&) { return found_at(from); });
        return Values(there.begin(), there.end() - 1);
      },
      [&] { return own; });
  b_.warp_barrier();
  const WarpRuns::Runs runs = warp_.of(node);
  for (std::int64_t k = 0; keep && k < WarpRuns::levels; ++k) {
    const Value first = b_.bit_and(number, w_.i64(-(std::int64_t{2} << k)));
    w_.if_then(b_.bit_and(warp_.bit(number, k), b_.equal(mine, first)), [&] {
      w_.store_at(runs_, b_.add(keep->place, w_.i64(k), Fits::always), runs.own[static_cast<std::size_t>(k)]);
    });
  }
  return runs.own.back();
}

void LookBack::publish_total(const ScanList& list, const Values& total) {
  w_.if_then(b_.equal(reducer_.thread(), w_.i64(0)), [&] { publish(list, w_.i64(0), total); });
}

/// The place of the runs of single tiles: the block may still read those of its tile before.
Value LookBack::first_place(Value round) { return w_.multiply(round, w_.i64(before_.levels * WarpRuns::levels)); }

void LookBack::read_first(const ScanList& list, const Values& total, Value round, const Values& found) {
  w_.if_then(b_.equal(reducer_.warp_number(), w_.i64(0)), [&] {
    const Keep keep{found, first_place(round)};
    Values state{w_.i64(1)};
    state.append(read_level(list, w_.i64(0), total, &keep));
    if (before_.levels == 1) return;
    w_.while_loop(
        state,
        [&](const Values& now) {
          const Value size = b_.shl(w_.i64(1), b_.mul(now[0], w_.i64(WarpRuns::levels), Fits::always));
          const Value is_last = b_.equal(b_.bit_and(w_.add(list.tile, w_.i64(1)), b_.sub(size, w_.i64(1))), w_.i64(0));
          return b_.bit_and(is_last, b_.less(now[0], w_.i64(before_.levels)));
        },
        [&](const Values& now) {
          const Values of_level(now.begin() + 1, now.end());
          w_.if_then(b_.equal(reducer_.lane(), w_.i64(0)), [&] { publish(list, now[0], of_level); });
          Values next{w_.add(now[0], w_.i64(1))};
          next.append(read_level(list, now[0], of_level, nullptr));
          return next;
        });
  });
}

std::vector<Values> LookBack::after_tiles(const ScanList& list, Value round, const Values& found,
                                          std::vector<Values> nodes) {
  if (before_.levels > 1) {
    const Value level = reducer_.warp_number();
    const Keep keep{found, b_.mul(level, w_.i64(WarpRuns::levels), Fits::always)};
    const Value has_level = b_.bit_and(b_.greater(level, w_.i64(0)), b_.less(level, w_.i64(before_.levels)));
    w_.if_then(has_level, [&] { static_cast<void>(read_level(list, level, joins_.zeros(site_), &keep)); });
  }
  reducer_.barrier();
  // As `tree` joins them: a run for each bit of the number of tiles before, from the lowest on.
  const auto known = w_.known(tiles_);
  const std::int64_t bits =
      known ? std::bit_width(static_cast<std::uint64_t>(*known - 1)) : before_.levels * WarpRuns::levels;
  for (std::int64_t k = 0; k < bits; ++k) {
    const Value place = k < WarpRuns::levels ? w_.add(first_place(round), w_.i64(k)) : w_.i64(k);
    nodes = lists_.joined_if(warp_.bit(list.tile, k), nodes, [&] { return w_.load_at(runs_, place); });
  }
  return nodes;
}

void LookBack::end() {
  reducer_.barrier();
  const Value last_block = b_.sub(b_.blocks(), w_.i64(1));
  const Values of_thread = w_.branch(
      b_.equal(reducer_.thread(), w_.i64(0)), [&] { return Values{b_.arrive(counters_, w_.i64(done), last_block)}; },
      [&] { return Values{b_.flag(false)}; });
  w_.resume();
  w_.if_then(b_.barrier_or(of_thread[0]), [&] {
    w_.for_range(w_.i64(0), rows_, [&](Value row) {
      ScanList list;
      list.row = row;
      for (std::int64_t level = 0; level < before_.levels; ++level) {
        const Value first = place(list, w_.i64(level), w_.i64(0));
        const Value count = b_.lshr(tiles_, w_.i64(level * WarpRuns::levels));
        for (std::size_t part = 0; part < site_.state.size(); ++part) clear(part, first, count);
      }
    });
  });
}

/// Makes the words of so many totals 0.
void LookBack::clear(std::size_t part, Value first, Value count) {
  const Value words = w_.i64(b_.program().widths.words_to_publish(site_.state[part].scalar));
  const Value begin = w_.multiply(first, words), all = w_.multiply(count, words);
  w_.if_then(b_.less(reducer_.thread(), all), [&] {
    w_.loop(reducer_.thread(), all, w_.i64(reducer_.threads()), {}, [&](Value word, const Values&) {
      b_.store(published_[part], w_.add(begin, word), b_.rounded(ir::Scalar::u64, 0));
      return Values{};
    });
  });
}

}  // namespace reckon::codegen
