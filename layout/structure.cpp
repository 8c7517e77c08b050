#include "layout/structure.h"

#include "layout/compose.h"
#include "layout/tuples.h"

namespace reckon::layout {
namespace {

/// One rearrangement of shape and stride.
template <class Rearrange>
Result<Layout> both(const Layout& layout, Rearrange rearrange) {
  const auto shape = rearrange(layout.shape());
  if (!shape) return shape.problem();
  const auto stride = rearrange(layout.stride());
  if (!stride) return stride.problem();
  return Layout::make(*shape, *stride);
}

/// The same with another layout's shape and stride.
template <class Rearrange>
Result<Layout> both(const Layout& layout, const Layout& other, Rearrange rearrange) {
  const Result<IntTuple> shape = rearrange(layout.shape(), other.shape());
  if (!shape) return shape.problem();
  const Result<IntTuple> stride = rearrange(layout.stride(), other.stride());
  if (!stride) return stride.problem();
  return Layout::make(*shape, *stride);
}

}  // namespace

Result<Layout> get(const Layout& layout, std::span<const std::int64_t> path) {
  return both(layout, [&](const IntTuple& tuple) { return get(tuple, path); });
}
Result<Layout> select(const Layout& layout, std::span<const std::int64_t> modes) {
  return both(layout, [&](const IntTuple& tuple) { return select(tuple, modes); });
}
Result<Layout> take(const Layout& layout, std::int64_t first, std::int64_t last) {
  return both(layout, [&](const IntTuple& tuple) { return take(tuple, first, last); });
}
Result<Layout> group(const Layout& layout, std::int64_t first, std::int64_t last) {
  return both(layout, [&](const IntTuple& tuple) { return group(tuple, first, last); });
}
Layout flatten(const Layout& layout) { return *Layout::make(flatten(layout.shape()), flatten(layout.stride())); }
Result<Layout> unflatten(const Layout& layout, const IntTuple& profile) {
  return both(layout, [&](const IntTuple& tuple) { return unflatten(tuple, profile); });
}

Result<Layout> append(const Layout& layout, const Layout& mode) {
  return both(layout, mode, [](const IntTuple& a, const IntTuple& b) { return append(a, b); });
}
Result<Layout> prepend(const Layout& layout, const Layout& mode) {
  return both(layout, mode, [](const IntTuple& a, const IntTuple& b) { return prepend(a, b); });
}
Result<Layout> append_to_rank(const Layout& layout, std::int64_t rank, const Layout& mode) {
  return both(layout, mode, [&](const IntTuple& a, const IntTuple& b) { return append_to_rank(a, rank, b); });
}
Result<Layout> prepend_to_rank(const Layout& layout, std::int64_t rank, const Layout& mode) {
  return both(layout, mode, [&](const IntTuple& a, const IntTuple& b) { return prepend_to_rank(a, rank, b); });
}
Result<Layout> replace(const Layout& layout, std::int64_t mode, const Layout& with) {
  return both(layout, with, [&](const IntTuple& a, const IntTuple& b) { return replace(a, mode, b); });
}

Result<Layout> concat(std::span<const Layout> modes) {
  std::vector<IntTuple> shape, stride;
  for (const Layout& mode : modes) {
    shape.push_back(mode.shape());
    stride.push_back(mode.stride());
  }
  return Layout::make(std::move(shape), std::move(stride));
}

Result<Layout> zip(const Layout& layout) {
  // Shape and stride are congruent, so that the stride zips if the shape does.
  return both(layout, [](const IntTuple& tuple) { return zip(tuple); });
}

Result<Layout> with_shape(const Layout& layout, const IntTuple& shape) {
  const auto compact = Layout::compact_left(shape);
  if (!compact) return compact.problem();
  if (compact->size() != layout.size()) {
    return Problem{Problem::Kind::not_congruent, "with_shape: `" + layout.text() + "` has `" +
                                                     std::to_string(layout.size()) + "` elements, and the shape `" +
                                                     shape.text() + "` has `" + std::to_string(compact->size()) + "`"};
  }
  return compose(layout, *compact);
}

}  // namespace reckon::layout
