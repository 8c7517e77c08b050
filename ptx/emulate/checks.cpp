// What may happen at the same time: vector clocks over the warps of a block (Flanagan and Freund, "FastTrack: efficient
// and precise dynamic race detection", PLDI 2009), and between blocks what their atomics order. Lanes of one warp are
// taken to be in order.
#include <fmt/format.h>

#include <algorithm>

#include "ptx/emulate/warp.h"

namespace reckon::ptx {
namespace {

constexpr std::uint64_t cells_of_page = 1024;

std::uint32_t operation_of(const Touch& touch) { return touch.what >> 8; }
std::uint32_t warp_of(const Touch& touch) { return touch.what & 0xff; }

}  // namespace

void Block::join_into(std::vector<std::uint32_t>& clock, std::uint32_t warp) {
  clock.resize(width_, 0);
  for (std::uint32_t w = 0; w < width_; ++w) clock[w] = std::max(clock[w], clocks_[warp * width_ + w]);
  clock[warp] = std::max(clock[warp], time_ + 1);
}

void Block::join_from(const std::vector<std::uint32_t>& clock, std::uint32_t warp) {
  for (std::uint32_t w = 0; w < clock.size(); ++w)
    clocks_[warp * width_ + w] = std::max(clocks_[warp * width_ + w], clock[w]);
}

void Block::release(Warp& warp, std::uint64_t key, bool itself, bool is_global) {
  if (!machine_.options().finds_races || (!itself && warp.fenced_at == 0)) return;
  const std::uint32_t time = itself ? time_++ : warp.fenced_at;
  std::vector<std::uint32_t>& clock = released_[key];
  clock.resize(width_, 0);
  const std::uint32_t me = warp.number();
  for (std::uint32_t w = 0; w < width_; ++w) clock[w] = std::max(clock[w], clocks_[me * width_ + w]);
  clock[me] = std::max(clock[me], time + 1);
  if (!is_global) return;
  Releases& all = machine_.releases[key];
  const std::uint32_t position = all.count++;
  // A release of an earlier time adds nothing to one of a later time that stands before it.
  auto& own = all.by[number_];
  if (own.empty() || own.back().time < time) own.push_back({position, time});
}

void Block::acquire(Warp& warp, std::uint64_t key, bool is_global) {
  if (!machine_.options().finds_races) return;
  if (const auto found = released_.find(key); found != released_.end()) join_from(found->second, warp.number());
  if (!is_global) return;
  const auto all = machine_.releases.find(key);
  if (all == machine_.releases.end()) return;
  known_[key] = all->second.count;
}

void join(Heard& into, const Heard& from) {
  for (const auto& [block, time] : from) {
    std::uint32_t& known = into[block];
    known = std::max(known, time);
  }
}

void Block::tell(Heard& others) {
  join(others, heard_);
  others[number_] = ++time_;
}

bool Block::is_ordered(const Touch& earlier, const Warp& later) const {
  if (earlier.block == number_ + 1) return is_ordered(warp_of(earlier), earlier.time, later.number());
  if (const auto heard = heard_.find(earlier.block - 1); heard != heard_.end() && earlier.time < heard->second)
    return true;
  for (const auto& [key, count] : known_) {
    const auto all = machine_.releases.find(key);
    if (all == machine_.releases.end()) continue;
    const auto by = all->second.by.find(earlier.block - 1);
    if (by == all->second.by.end()) continue;
    // The last one that was acquired has the latest time.
    const std::uint32_t acquired = count;
    const auto end = std::partition_point(by->second.begin(), by->second.end(),
                                          [&](const Releases::By& release) { return release.position < acquired; });
    if (end != by->second.begin() && std::prev(end)->time >= earlier.time) return true;
  }
  return false;
}

void Block::race(const Operation& operation, const Warp& warp, const Earlier& earlier, bool writes,
                 const Allocation* allocation, std::uint64_t offset, const Block* owner) {
  const Kernel& kernel = machine_.kernel();
  const Operation& before = kernel.operations[earlier.operation];
  const auto is_strong = [&](const Operation& one) {
    return one.extra < kernel.accesses.size() && kernel.accesses[one.extra].strong;
  };
  if (is_strong(before) && is_strong(operation)) return;
  const auto text = [&] {
    const bool within = earlier.block == number_;
    const std::string who = within ? fmt::format("warp {}", earlier.warp) : fmt::format("block {}", earlier.block);
    const std::string here = within ? fmt::format("warp {}", warp.number()) : fmt::format("block {}", number_);
    const std::string place = allocation != nullptr ? allocation->name
                              : owner != nullptr    ? fmt::format("shared memory of block {}", owner->number())
                                                    : "shared memory";
    return fmt::format("race: {} {} byte {} of {} here, and {} {} at {}, with nothing between them that orders them",
                       here, writes ? "writes" : "reads", offset, place, who,
                       earlier.writes ? (writes ? "writes there, too," : "writes it") : "reads it",
                       machine_.line_text(earlier.operation));
  };
  machine_.finding(operation, FindingKind::race, text, earlier.operation);
}

bool Block::read_shared(Warp& warp, const Operation& operation, std::uint64_t offset, std::uint32_t bytes) {
  if (!machine_.options().finds_races) return false;
  const bool unwritten = is_unwritten(offset, bytes);
  const std::uint32_t granule = machine_.granule(), me = warp.number();
  const std::uint32_t number = machine_.number_of(operation);
  for (std::uint64_t g = offset / granule; g <= (offset + bytes - 1) / granule; ++g) {
    const SharedTouch& write = writes_[g];
    if (write.time != 0 && !is_ordered(writers_[g], write.time, me))
      race(operation, warp, {write.operation, writers_[g], number_, true}, false, nullptr, g * granule);
    if (!outside_.empty()) check_outside(operation, warp, g, false, false);
    reads_[g * width_ + me] = {time_, number};
  }
  return unwritten;
}

bool Block::is_untouched(std::uint64_t offset, std::uint32_t bytes) const {
  const auto first = shared_written_.begin() + static_cast<std::ptrdiff_t>(offset);
  return std::all_of(first, first + bytes, [](std::uint8_t written) { return written == 0; });
}

bool Block::is_unwritten(std::uint64_t offset, std::uint32_t bytes) const {
  if (shared_written_.empty()) return false;
  const auto first = shared_written_.begin() + static_cast<std::ptrdiff_t>(offset);
  return std::any_of(first, first + bytes, [](std::uint8_t written) { return written == 0; });
}

void Block::written_from_outside(std::uint64_t offset, std::uint32_t bytes) {
  if (!shared_written_.empty())
    std::fill_n(shared_written_.begin() + static_cast<std::ptrdiff_t>(offset), bytes, std::uint8_t{1});
}

void Block::forget_shared(std::uint64_t offset, std::uint32_t bytes) {
  if (!shared_written_.empty())
    std::fill_n(shared_written_.begin() + static_cast<std::ptrdiff_t>(offset), bytes, std::uint8_t{0});
}

void Block::write_shared(Warp& warp, const Operation& operation, std::uint64_t offset, std::uint32_t bytes,
                         bool keeps) {
  if (machine_.options().finds_races) write_shared(warp.number(), warp, operation, offset, bytes, keeps);
}

void Block::write_shared(std::uint32_t who, Warp& warp, const Operation& operation, std::uint64_t offset,
                         std::uint32_t bytes, bool keeps) {
  std::fill_n(shared_written_.begin() + static_cast<std::ptrdiff_t>(offset), bytes, std::uint8_t{1});
  const std::uint32_t granule = machine_.granule();
  const std::uint32_t number = machine_.number_of(operation);
  for (std::uint64_t g = offset / granule; g <= (offset + bytes - 1) / granule; ++g) {
    SharedTouch& write = writes_[g];
    if (write.time != 0 && !keeps && !is_ordered(writers_[g], write.time, who))
      race(operation, warp, {write.operation, writers_[g], number_, true}, true, nullptr, g * granule);
    if (!outside_.empty()) check_outside(operation, warp, g, true, keeps);
    const SharedTouch* reads = &reads_[g * width_];
    for (std::uint32_t w = 0; w < width_; ++w) {
      if (reads[w].time != 0 && !is_ordered(w, reads[w].time, who))
        race(operation, warp, {reads[w].operation, w, number_, false}, true, nullptr, g * granule);
    }
    write = {time_, number};
    writers_[g] = static_cast<std::uint8_t>(who);
  }
}

void Block::check_outside(const Operation& operation, const Warp& warp, std::uint64_t granule, bool writes,
                          bool keeps) {
  const auto found = outside_.find(granule);
  if (found == outside_.end()) return;
  const auto conflict = [&](const Touch& touch, bool earlier_writes) {
    if (touch.block == 0 || is_ordered(touch, warp)) return;
    race(operation, warp, {operation_of(touch), warp_of(touch), touch.block - 1, earlier_writes}, writes, nullptr,
         granule * machine_.granule(), this);
  };
  if (!keeps) conflict(found->second.write, true);
  if (!writes) return;
  conflict(found->second.read, false);
  conflict(found->second.other_read, false);
}

void Block::touched_from_outside(Warp& warp, const Operation& operation, std::uint64_t offset, std::uint32_t bytes,
                                 bool writes, bool keeps) {
  if (!machine_.options().finds_races) return;
  Block& other = warp.block();
  const std::uint32_t granule = machine_.granule();
  for (std::uint64_t g = offset / granule; g <= (offset + bytes - 1) / granule; ++g) {
    const auto conflict = [&](const Touch& touch, bool earlier_writes) {
      if (touch.block == 0 || touch.time == 0 || other.is_ordered(touch, warp)) return;
      other.race(operation, warp, {operation_of(touch), warp_of(touch), touch.block - 1, earlier_writes}, writes,
                 nullptr, g * granule, this);
    };
    const auto own = [&](const SharedTouch& touch, std::uint32_t by) {
      return Touch{number_ + 1, touch.time, touch.operation << 8 | by};
    };
    Cell& cell = outside_[g];
    if (!keeps) {
      conflict(own(writes_[g], writers_[g]), true);
      conflict(cell.write, true);
    }
    const Touch now{other.number_ + 1, other.time_, machine_.number_of(operation) << 8 | warp.number()};
    if (writes) {
      for (std::uint32_t w = 0; w < width_; ++w) conflict(own(reads_[g * width_ + w], w), false);
      conflict(cell.read, false);
      conflict(cell.other_read, false);
      cell = {now, {}, {}};
    } else if (cell.read.block == 0 || other.is_ordered(cell.read, warp)) {
      cell.read = now;
    } else {
      cell.other_read = now;
    }
  }
}

void Block::copied_shared(Warp& warp, const Operation& operation, std::uint64_t offset, std::uint32_t bytes) {
  if (!machine_.options().finds_races) return;
  std::vector<std::uint32_t> clock;
  join_into(clock, warp.number());
  join_from(clock, agent());
  ++time_;
  write_shared(agent(), warp, operation, offset, bytes, false);
}

bool Block::touch_global(Warp& warp, const Operation& operation, Allocation& allocation, std::uint64_t offset,
                         std::uint32_t bytes, bool writes, bool keeps) {
  const bool unwritten = !writes && allocation.is_unwritten(offset, bytes);
  if (writes) allocation.mark_written(offset, bytes);
  if (!machine_.options().finds_races || allocation.is_constant) return unwritten;
  const std::uint32_t granule = machine_.granule();
  const std::uint32_t what = machine_.number_of(operation) << 8 | warp.number();
  if (allocation.cells.empty()) allocation.cells.resize((allocation.bytes / granule + cells_of_page) / cells_of_page);
  const auto conflict = [&](const Touch& touch, bool earlier_writes) {
    if (touch.block == 0 || is_ordered(touch, warp)) return;
    race(operation, warp, {operation_of(touch), warp_of(touch), touch.block - 1, earlier_writes}, writes, &allocation,
         offset);
  };
  for (std::uint64_t g = offset / granule; g <= (offset + bytes - 1) / granule; ++g) {
    auto& page = allocation.cells[g / cells_of_page];
    if (!page) page = std::make_unique<Cell[]>(cells_of_page);
    Cell& cell = page[g % cells_of_page];
    const Touch now{number_ + 1, time_, what};
    if (!keeps) conflict(cell.write, true);
    if (writes) {
      conflict(cell.read, false);
      conflict(cell.other_read, false);
      cell.write = now;
      cell.read = cell.other_read = {};
    } else if (cell.read.block == 0 || is_ordered(cell.read, warp)) {
      cell.read = now;
    } else {
      cell.other_read = now;
    }
  }
  return unwritten;
}

}  // namespace reckon::ptx
