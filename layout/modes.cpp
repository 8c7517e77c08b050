#include "layout/modes.h"

#include <numeric>

namespace reckon::layout {
namespace {

void collect(const IntTuple& shape, const IntTuple& stride, Modes& out) {
  if (shape.is_int()) return out.push_back({shape.value(), stride.value()});
  for (std::size_t k = 0; k < shape.rank(); ++k) collect(shape.elements()[k], stride.elements()[k], out);
}

}  // namespace

std::int64_t divisor(std::int64_t x, std::int64_t bound) {
  if (bound >= x) return x;
  std::int64_t best = 1;
  for (std::int64_t k = 1; k <= x / k && k <= (std::int64_t{1} << 24); ++k) {
    if (x % k != 0) continue;
    if (k <= bound) best = k;
    if (x / k <= bound) return std::max(best, x / k);
  }
  return std::max(best, std::gcd(x, bound));
}

std::string text(const Mode& mode) { return std::to_string(mode.extent) + ":" + std::to_string(mode.stride); }

void sort_by_stride(Modes& modes) {
  std::stable_sort(modes.begin(), modes.end(), [](const Mode& x, const Mode& y) { return x.stride < y.stride; });
}

Modes leaf_modes(const Layout& layout) {
  Modes out;
  collect(layout.shape(), layout.stride(), out);
  return out;
}

Modes first_indices(const Layout& layout) {
  Modes out;
  std::int64_t below = 1;
  for (const Mode& mode : leaf_modes(layout)) {
    if (mode.stride != 0) out.push_back({mode.extent, below});
    below *= mode.extent;
  }
  return out;
}

Modes coalesced(const Modes& modes) {
  Modes out;
  for (const Mode& mode : modes) {
    if (mode.extent == 1) continue;
    if (!out.empty() && continues(out.back(), mode)) out.back().extent *= mode.extent;
    else out.push_back(mode);
  }
  return out;
}

Modes coalesced_modes(const Layout& layout) { return coalesced(leaf_modes(layout)); }

Result<Layout> flat_layout(const Modes& modes) {
  if (modes.empty()) return Layout::make(1, 0);
  if (modes.size() == 1) return Layout::make(modes[0].extent, modes[0].stride);
  std::vector<IntTuple> shape, stride;
  shape.reserve(modes.size());
  stride.reserve(modes.size());
  for (const Mode& mode : modes) {
    shape.emplace_back(mode.extent);
    stride.emplace_back(mode.stride);
  }
  return Layout::make(std::move(shape), std::move(stride));
}

}  // namespace reckon::layout
