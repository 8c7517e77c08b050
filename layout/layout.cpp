#include "layout/layout.h"

#include <algorithm>

#include "layout/coordinates.h"

namespace reckon::layout {
Layout::Layout(const Layout&) = default;
Layout::Layout(Layout&&) noexcept = default;
Layout& Layout::operator=(const Layout&) = default;
Layout& Layout::operator=(Layout&&) noexcept = default;
Layout::~Layout() = default;

namespace {

bool has_empty(const IntTuple& tuple) {
  if (tuple.is_int()) return false;
  return tuple.elements().empty() || std::any_of(tuple.elements().begin(), tuple.elements().end(), has_empty);
}

Problem too_large(const std::string& text) {
  return {Problem::Kind::too_large, "the size or an offset of `" + text + "` does not fit in 64 bits"};
}

Problem not_positive(const IntTuple& shape) {
  const auto extents = shape.leaves();
  const auto bad = std::find_if(extents.begin(), extents.end(), [](std::int64_t extent) { return extent < 1; });
  return {Problem::Kind::not_positive,
          "the shape `" + shape.text() + "` has the extent `" + std::to_string(*bad) + "`, and extents are at least 1"};
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
  bool positive = true;
  for_each_leaf(out.shape_, [&](std::int64_t extent) { positive = positive && extent >= 1; });
  if (!positive) return not_positive(out.shape_);
  if (!out.measure(out.shape_, out.stride_)) return too_large(out.text());
  std::int64_t extent;
  if (__builtin_sub_overflow(out.max_, out.min_, &extent) || __builtin_add_overflow(extent, 1, &extent)) {
    return too_large(out.text());
  }
  return out;
}

bool Layout::measure(const IntTuple& shape, const IntTuple& stride) {
  if (!shape.is_int()) {
    for (std::size_t k = 0; k < shape.rank(); ++k) {
      if (!measure(shape.elements()[k], stride.elements()[k])) return false;
    }
    return true;
  }
  std::int64_t reach;
  return !__builtin_mul_overflow(size_, shape.value(), &size_) &&
         !__builtin_mul_overflow(shape.value() - 1, stride.value(), &reach) &&
         !__builtin_add_overflow(reach < 0 ? min_ : max_, reach, reach < 0 ? &min_ : &max_);
}

Result<Layout> Layout::compact_left(IntTuple shape) { return compact(std::move(shape), true); }
Result<Layout> Layout::compact_right(IntTuple shape) { return compact(std::move(shape), false); }

Result<std::int64_t> Layout::operator()(const IntTuple& coordinate) const {
  const auto index = join(coordinate, shape_);
  if (!index) return index;
  return at(*index);
}

std::int64_t Layout::at(std::int64_t index) const {
  std::int64_t out = 0;
  add(shape_, stride_, index, out);
  return out;
}

void Layout::add(const IntTuple& shape, const IntTuple& stride, std::int64_t& rest, std::int64_t& out) {
  if (shape.is_int()) {
    out += rest % shape.value() * stride.value();
    rest /= shape.value();
    return;
  }
  for (std::size_t k = 0; k < shape.rank(); ++k) add(shape.elements()[k], stride.elements()[k], rest, out);
}

Layout Layout::mode(std::size_t k) const {
  if (shape_.is_int()) return *this;
  return *make(shape_.elements()[k], stride_.elements()[k]);
}

bool same_spelling(const Layout& a, const Layout& b) { return a.shape() == b.shape() && a.stride() == b.stride(); }

}  // namespace reckon::layout
