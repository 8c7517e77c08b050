// Which coordinates of a divided layout are elements of it: tiles that do not divide it reach beyond its end.
#pragma once

#include <string>

#include "layout/coordinate_layout.h"
#include "layout/slice.h"

namespace reckon::layout {

/// A predicate on coordinates: origin + coordinates(c) is less than `shape` in every leaf. This is CuTe's idiom (the
/// identity layout tiled in the same way, compared with the shape), as a value that comes with the division.
class Bounds {
 public:
  /// The coordinates' codomain is congruent to the shape.
  Bounds(CoordinateLayout coordinates, IntTuple shape);

  const CoordinateLayout& coordinates() const { return coordinates_; }
  const IntTuple& origin() const { return origin_; }
  const IntTuple& shape() const { return shape_; }
  /// Where in the divided layout the coordinate lies: origin + coordinates(c), an index for each mode.
  Result<IntTuple> position(const IntTuple& coordinate) const;
  /// Whether the coordinate (or index) is inside; a coordinate that the divided layout does not take is refused.
  Result<bool> inside(const IntTuple& coordinate) const;
  /// Every coordinate is inside: the division is not ragged. Decided from the greatest values.
  bool everywhere() const;
  /// The predicate of a slice of the division.
  Result<Bounds> sliced(const Holed& coordinate) const;
  /// The predicate of a part of the division: the part's coordinates, and where it starts.
  Bounds of_part(CoordinateLayout coordinates, const IntTuple& start) const;
  /// The same predicate after the divided layout's modes have been rearranged.
  Bounds rearranged(const Layout& order) const;
  /// `(4,3):(1,4) < 10`, with an origin `2 + (4):(1) < 10`.
  std::string text() const;

 private:
  Bounds(CoordinateLayout coordinates, IntTuple origin, IntTuple shape);
  CoordinateLayout coordinates_;
  IntTuple origin_;
  IntTuple shape_;
};

}  // namespace reckon::layout
