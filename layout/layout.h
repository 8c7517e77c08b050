// A layout: a shape and a congruent stride, and the function from coordinates to offsets that these define
// (docs/layouts.md, "Coordinates and offsets"). Shapes are positive; strides may have any sign, or be 0.
#pragma once

#include <cstdint>
#include <string>

#include "layout/int_tuple.h"
#include "layout/problem.h"

namespace reckon::layout {

class Layout {
 public:
  /// Unlike CuTe's constructor, checks that shape and stride are congruent, extents positive, and that the size and all
  /// offsets fit in 64 bits (so that no later arithmetic overflows).
  static Result<Layout> make(IntTuple shape, IntTuple stride);
  /// Compact, the leftmost (rightmost) leaf fastest, over the flattened leaves. A leaf of size 1 has stride 0, as in
  /// CuTe with static shapes: (4,8,1,2) has strides (1,4,0,32).
  static Result<Layout> compact_left(IntTuple shape);
  static Result<Layout> compact_right(IntTuple shape);
  Layout(const Layout&);
  Layout(Layout&&) noexcept;
  Layout& operator=(const Layout&);
  Layout& operator=(Layout&&) noexcept;
  ~Layout();

  const IntTuple& shape() const { return shape_; }
  const IntTuple& stride() const { return stride_; }
  std::size_t rank() const { return shape_.rank(); }
  int depth() const { return shape_.depth(); }
  std::int64_t size() const { return size_; }
  std::int64_t min() const { return min_; }  ///< the least offset; at most 0
  std::int64_t max() const { return max_; }  ///< the greatest
  /// The number of elements that a buffer needs: max - min + 1. For strides of one sign, of both signs, or all 0 this
  /// is CuTe's cosize; pycute computes another number, L(size - 1) + 1.
  std::int64_t extent() const { return max_ - min_ + 1; }
  std::int64_t cosize() const { return extent(); }

  /// The offset of an index (an integer), or of any coordinate that the shape takes.
  Result<std::int64_t> operator()(const IntTuple& coordinate) const;

  /// The offset of an index that is known to be from 0 to size - 1. (For a whole layout in order, see walk.h.)
  std::int64_t at(std::int64_t index) const;

  /// Mode k as a layout; an integer layout has one mode, itself.
  Layout mode(std::size_t k) const;

  /// As CuTe writes it: `((2,4),3):((1,2),8)`.
  std::string text() const { return shape_.text() + ":" + stride_.text(); }

 private:
  Layout(IntTuple shape, IntTuple stride) : shape_(std::move(shape)), stride_(std::move(stride)) {}
  bool measure(const IntTuple& shape, const IntTuple& stride);  // size, min, max; false on overflow
  static void add(const IntTuple& shape, const IntTuple& stride, std::int64_t& rest, std::int64_t& out);
  IntTuple shape_;
  IntTuple stride_;
  std::int64_t size_ = 1;
  std::int64_t min_ = 0;
  std::int64_t max_ = 0;

  friend Layout coalesce(const Layout& layout);  // keeps size, min and max
};

/// Equal as functions from 0..size-1: decided by the canonical form (coalesce.h), without enumeration.
bool operator==(const Layout& a, const Layout& b);
/// Equal as written: `===` of the language.
bool same_spelling(const Layout& a, const Layout& b);

}  // namespace reckon::layout
