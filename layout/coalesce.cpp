#include "layout/coalesce.h"

#include "layout/modes.h"

namespace reckon::layout {
Layout coalesce(const Layout& layout) {
  const Modes modes = coalesced_modes(layout);
  if (modes.empty()) return *Layout::make(1, 0);
  IntTuple shape = modes[0].extent, stride = modes[0].stride;
  if (modes.size() > 1) {
    std::vector<IntTuple> extents, strides;
    extents.reserve(modes.size());
    strides.reserve(modes.size());
    for (const Mode& mode : modes) {
      extents.emplace_back(mode.extent);
      strides.emplace_back(mode.stride);
    }
    shape = std::move(extents);
    stride = std::move(strides);
  }
  Layout out(std::move(shape), std::move(stride));
  out.size_ = layout.size_;
  out.min_ = layout.min_;
  out.max_ = layout.max_;
  return out;
}

Result<Layout> coalesce(const Layout& layout, const IntTuple& profile) {
  if (profile.is_int()) return coalesce(layout);
  const std::size_t rank = profile.rank();
  if (layout.shape().is_int() || rank > layout.rank()) {
    return Problem{Problem::Kind::rank,
                   "coalesce: `" + layout.text() + "` has fewer modes than the profile `" + profile.text() + "`"};
  }
  std::vector<IntTuple> shape, stride;
  for (std::size_t k = 0; k < layout.rank(); ++k) {
    const Layout mode = layout.mode(k);
    const auto part = k < rank ? coalesce(mode, profile.elements()[k]) : Result<Layout>(mode);
    if (!part) return part;
    shape.push_back(part->shape());
    stride.push_back(part->stride());
  }
  return Layout::make(std::move(shape), std::move(stride));
}

bool operator==(const Layout& a, const Layout& b) {
  if (a.size() != b.size() || a.min() != b.min() || a.max() != b.max()) return false;
  const Modes p = coalesced_modes(a), q = coalesced_modes(b);
  return std::equal(p.begin(), p.end(), q.begin(), q.end());
}

std::vector<Rewrite> coalesce_steps(const Layout& layout) {
  std::vector<Rewrite> out;
  std::vector<Mode> modes;
  for (const Mode& mode : leaf_modes(layout)) modes.push_back(mode);
  for (std::size_t at = 0; at + 1 < modes.size();) {
    Mode& first = modes[at];
    const Mode& second = modes[at + 1];
    Rewrite::Rule rule;
    if (first.extent == 1) {
      rule = Rewrite::Rule::left_unit;
      first = second;
    } else if (second.extent == 1) {
      rule = Rewrite::Rule::right_unit;
    } else if (continues(first, second)) {
      rule = Rewrite::Rule::packed;
      first.extent *= second.extent;
    } else {
      ++at;
      continue;
    }
    modes.erase(modes.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    Modes now;
    for (const Mode& mode : modes) now.push_back(mode);
    out.push_back({rule, at, *flat_layout(now)});
  }
  return out;
}

}  // namespace reckon::layout
