// All offsets of a layout in the order of its indices, at the speed of the loops that one would write by hand.
#pragma once

#include <utility>

#include "ir/layout/modes.h"

namespace reckon::layout {

/// run(index, offset, count, stride): the next `count` indices from `index` on have the offsets offset, offset +
/// stride, ... Each run is as long as runs can be; `count` is the same for all.
template <class Run>
void for_each_run(const Layout& layout, Run&& run) {
  const Modes modes = coalesced_modes(layout);
  if (modes.size() <= 1) {
    run(std::int64_t{0}, std::int64_t{0}, layout.size(), modes.empty() ? 0 : modes[0].stride);
    return;
  }
  const Mode inner = modes[0], next = modes[1];
  Small<std::int64_t> digits;
  for (std::size_t k = 2; k < modes.size(); ++k) digits.push_back(0);
  for (std::int64_t index = 0, base = 0;;) {
    for (std::int64_t k = 0; k < next.extent; ++k, index += inner.extent) {
      run(index, base + k * next.stride, inner.extent, inner.stride);
    }
    std::size_t k = 0;  // no step past a mode's end, which may not fit in 64 bits
    for (; k < digits.size() && digits[k] + 1 == modes[k + 2].extent; ++k) {
      base -= digits[k] * modes[k + 2].stride;
      digits[k] = 0;
    }
    if (k < digits.size()) {
      ++digits[k];
      base += modes[k + 2].stride;
    }
    if (k == digits.size()) return;
  }
}

/// visit(index, offset) for each index in order.
template <class Visit>
void for_each_offset(const Layout& layout, Visit&& visit) {
  for_each_run(layout, [&](std::int64_t index, std::int64_t offset, std::int64_t count, std::int64_t stride) {
    for (std::int64_t k = 0; k < count; ++k) visit(index + k, offset + k * stride);
  });
}

}  // namespace reckon::layout
