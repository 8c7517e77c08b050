// All offsets of a layout in the order of its indices, at the speed of the loops that one would write by hand.
#pragma once

#include <vector>

#include "ir/layout/modes.h"

namespace reckon::layout {

/// The offsets of a flat layout one after the other, without divisions.
class Odometer {
 public:
  Odometer(const Mode* begin, const Mode* end) : begin_(begin), end_(end) {
    for (const Mode* mode = begin; mode != end; ++mode) digits_.push_back(0);
  }
  std::int64_t offset() const { return offset_; }
  /// To the next; false after the last.
  bool next() {
    std::size_t k = 0;  // no step past a mode's end, which may not fit in 64 bits
    for (const Mode* mode = begin_; mode != end_; ++mode, ++k) {
      if (digits_[k] + 1 < mode->extent) {
        ++digits_[k];
        offset_ += mode->stride;
        return true;
      }
      offset_ -= digits_[k] * mode->stride;
      digits_[k] = 0;
    }
    return false;
  }

 private:
  const Mode* begin_;
  const Mode* end_;
  Small<std::int64_t> digits_;
  std::int64_t offset_ = 0;
};

/// run(index, offset, count, stride): the next `count` indices from `index` on have the offsets offset, offset +
/// stride, ... Each run is as long as runs can be; `count` is the same for all.
template <class Run>
[[gnu::always_inline]] inline void for_each_run(const Layout& layout, Run&& run) {
  const Modes modes = coalesced_modes(layout);
  const Mode inner = modes.empty() ? Mode{1, 0} : modes[0];
  Odometer outer(modes.begin() + !modes.empty(), modes.end());
  std::int64_t index = 0;
  do {
    run(index, outer.offset(), inner.extent, inner.stride);
    index += inner.extent;
  } while (outer.next());
}

/// visit(index, offset) for each index in order. Where runs are short, the offsets of some modes together are tabled,
/// so that the inner loop stays long.
template <class Visit>
[[gnu::always_inline]] inline void for_each_offset(const Layout& layout, Visit&& visit) {
  constexpr std::int64_t short_run = 64, most = 1024;
  const Modes modes = coalesced_modes(layout);
  std::size_t tabled = 0;
  std::int64_t block = 1;
  while (tabled < modes.size() && block < short_run && modes[tabled].extent <= most / block) {
    block *= modes[tabled++].extent;
  }
  std::int64_t index = 0;
  if (tabled < 2) {
    const Mode inner = modes.empty() ? Mode{1, 0} : modes[0];
    Odometer outer(modes.begin() + !modes.empty(), modes.end());
    do {
      auto offset = static_cast<std::uint64_t>(outer.offset());  // one step past the end may wrap around
      for (const std::int64_t end = index + inner.extent; index < end; ++index) {
        visit(index, static_cast<std::int64_t>(offset));
        offset += static_cast<std::uint64_t>(inner.stride);
      }
    } while (outer.next());
    return;
  }
  std::vector<std::int64_t> table;
  Odometer inner(modes.begin(), modes.begin() + tabled);
  do table.push_back(inner.offset());
  while (inner.next());
  Odometer outer(modes.begin() + tabled, modes.end());
  do {
    const std::int64_t offset = outer.offset();
    const std::int64_t* entry = table.data();
    for (std::int64_t k = 0; k < block; ++k) visit(index + k, offset + entry[k]);
    index += block;
  } while (outer.next());
}

}  // namespace reckon::layout
