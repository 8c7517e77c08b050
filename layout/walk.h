// All offsets of a layout in the order of its indices, at the speed of the loops that one would write by hand.
#pragma once

#include <vector>

#include "layout/modes.h"

namespace reckon::layout {

/// Steps through the offsets of a flat layout one after the other, without divisions.
class Odometer {
 public:
  Odometer(const Mode* begin, const Mode* end) : begin_(begin), end_(end) {
    for (const Mode* mode = begin; mode != end; ++mode) digits_.push_back(0);
  }
  std::int64_t offset() const { return offset_; }
  /// Goes to the next offset; false after the last.
  bool next() {
    std::size_t k = 0;  // never goes past a mode's end, where an offset may not fit in 64 bits
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

/// Calls visit(index, offset) for each index in order. The offsets of about 64 to 1024 elements are put into a table
/// once, so that there is one inner loop, which is long and can be vectorised.
template <class Visit>
[[gnu::always_inline]] inline void for_each_offset(const Layout& layout, Visit&& visit) {
  constexpr std::int64_t enough = 64, most = 1024;
  Modes inner, outer;
  std::int64_t block = 1;
  for (const Mode& mode : coalesced_modes(layout)) {
    std::int64_t part = 1;  // of this mode's extent: the divisor that is in the table
    if (outer.empty() && block < enough) {
      for (part = std::min(mode.extent, most / block); mode.extent % part != 0;) --part;
    }
    if (part > 1) inner.push_back({part, mode.stride});
    if (part < mode.extent) outer.push_back({mode.extent / part, mode.stride * part});
    block *= part;
  }
  if (block < enough / 4) {  // extents that are large primes
    for_each_run(layout, [&](std::int64_t index, std::int64_t offset, std::int64_t count, std::int64_t stride) {
      for (std::int64_t k = 0; k < count; ++k) visit(index + k, offset + k * stride);
    });
    return;
  }
  std::vector<std::int64_t> table;
  Odometer entries(inner.begin(), inner.end());
  do table.push_back(entries.offset());
  while (entries.next());
  Odometer bases(outer.begin(), outer.end());
  std::int64_t index = 0;
  do {
    const std::int64_t base = bases.offset();
    const std::int64_t* entry = table.data();
    for (std::int64_t k = 0; k < block; ++k) visit(index + k, base + entry[k]);
    index += block;
  } while (bases.next());
}

}  // namespace reckon::layout
