#include "ir/layout/coalesce.h"

namespace reckon::layout {
namespace {

struct Mode {
  std::int64_t extent, stride;
};

bool continues(const Mode& first, const Mode& second) {
  std::int64_t end;
  return !__builtin_mul_overflow(first.extent, first.stride, &end) && second.stride == end;
}

}  // namespace

Layout coalesce(const Layout& layout) {
  const auto extents = layout.shape().leaves(), strides = layout.stride().leaves();
  std::vector<Mode> modes;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const Mode mode{extents[k], strides[k]};
    if (mode.extent == 1) continue;
    if (!modes.empty() && continues(modes.back(), mode)) modes.back().extent *= mode.extent;
    else modes.push_back(mode);
  }
  if (modes.empty()) return *Layout::make(1, 0);
  if (modes.size() == 1) return *Layout::make(modes[0].extent, modes[0].stride);
  std::vector<IntTuple> shape, stride;
  for (const Mode& mode : modes) {
    shape.emplace_back(mode.extent);
    stride.emplace_back(mode.stride);
  }
  return *Layout::make(std::move(shape), std::move(stride));
}

Result<Layout> coalesce(const Layout& layout, const IntTuple& profile) {
  if (profile.is_int()) return coalesce(layout);
  const std::size_t rank = profile.rank();
  if (layout.shape().is_int() || rank > layout.rank()) {
    return Problem{Problem::Kind::rank,
                   "`" + layout.text() + "` has fewer modes than the profile `" + profile.text() + "`"};
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

bool operator==(const Layout& a, const Layout& b) { return same_spelling(coalesce(a), coalesce(b)); }

}  // namespace reckon::layout
