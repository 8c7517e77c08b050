#include "ir/layout/layout.h"

#include <algorithm>

#include "ir/layout/coordinates.h"

namespace reckon::layout {
namespace {

bool has_empty(const IntTuple& tuple) {
  if (tuple.is_int()) return false;
  return tuple.elements().empty() || std::any_of(tuple.elements().begin(), tuple.elements().end(), has_empty);
}

Problem too_large(const std::string& text) {
  return {Problem::Kind::too_large, "the size or an offset of `" + text + "` does not fit in 64 bits"};
}

Result<Layout> compact(IntTuple shape, bool left) {
  std::vector<std::int64_t> strides = shape.leaves();
  if (!left) std::reverse(strides.begin(), strides.end());
  std::int64_t next = 1;
  for (std::int64_t& leaf : strides) {
    const std::int64_t extent = leaf;
    leaf = extent == 1 ? 0 : next;
    if (__builtin_mul_overflow(next, extent, &next)) return too_large(shape.text());
  }
  if (!left) std::reverse(strides.begin(), strides.end());
  IntTuple stride = with_leaves(shape, strides);
  return Layout::make(std::move(shape), std::move(stride));
}

}  // namespace

Result<Layout> Layout::make(IntTuple shape, IntTuple stride) {
  Layout out(std::move(shape), std::move(stride));
  if (has_empty(out.shape_) || has_empty(out.stride_)) {
    return Problem{Problem::Kind::empty, "the layout `" + out.text() + "` has an empty tuple"};
  }
  if (!congruent(out.shape_, out.stride_)) {
    return Problem{Problem::Kind::not_congruent, "the shape `" + out.shape_.text() + "` and the stride `" +
                                                     out.stride_.text() + "` are nested differently"};
  }
  const auto extents = out.shape_.leaves(), strides = out.stride_.leaves();
  for (std::int64_t extent : extents) {
    if (extent >= 1) continue;
    return Problem{Problem::Kind::not_positive, "the shape `" + out.shape_.text() + "` has the extent `" +
                                                    std::to_string(extent) + "`, and extents are at least 1"};
  }
  for (std::size_t k = 0; k < extents.size(); ++k) {
    std::int64_t reach;
    const bool fits =
        !__builtin_mul_overflow(out.size_, extents[k], &out.size_) &&
        !__builtin_mul_overflow(extents[k] - 1, strides[k], &reach) &&
        !__builtin_add_overflow(reach < 0 ? out.min_ : out.max_, reach, reach < 0 ? &out.min_ : &out.max_);
    if (!fits) return too_large(out.text());
  }
  std::int64_t extent;
  if (__builtin_sub_overflow(out.max_, out.min_, &extent) || __builtin_add_overflow(extent, 1, &extent)) {
    return too_large(out.text());
  }
  return out;
}

Result<Layout> Layout::compact_left(IntTuple shape) { return compact(std::move(shape), true); }
Result<Layout> Layout::compact_right(IntTuple shape) { return compact(std::move(shape), false); }

Result<std::int64_t> Layout::operator()(const IntTuple& coordinate) const {
  const auto index = join(coordinate, shape_);
  if (!index) return index;
  const auto extents = shape_.leaves(), strides = stride_.leaves();
  std::int64_t rest = *index, out = 0;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    out += rest % extents[k] * strides[k];
    rest /= extents[k];
  }
  return out;
}

Layout Layout::mode(std::size_t k) const {
  if (shape_.is_int()) return *this;
  return *make(shape_.elements()[k], stride_.elements()[k]);
}

bool same_spelling(const Layout& a, const Layout& b) { return a.shape() == b.shape() && a.stride() == b.stride(); }

}  // namespace reckon::layout
