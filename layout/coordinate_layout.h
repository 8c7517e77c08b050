// Layouts whose values are coordinates (docs/layouts.md, "Tiles"): the strides are integer combinations of basis
// elements, `n@p` being n at the path p (printed inside first: 1@1@0 is ((0,1))). The identity layout of a shape, and
// what tiles of it become, say where in a tensor an element of a tile lies; bounds.h compares them with its shape.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "layout/layout.h"
#include "layout/tiler.h"

namespace reckon::layout {

class CoordinateLayout {
 public:
  using Stride = std::vector<std::int64_t>;  ///< a coefficient for every leaf of the codomain, from left to right

  /// Strides for the leaves of the shape, from left to right. The codomain's integers are forgotten: its nesting is
  /// that of the values. Refuses what Layout::make refuses, in every component.
  static Result<CoordinateLayout> make(IntTuple shape, const IntTuple& codomain, std::vector<Stride> strides);
  /// The value of a coordinate is the natural coordinate: (4,(2,3)):(1@0,(1@0@1,1@1@1)).
  static Result<CoordinateLayout> identity(const IntTuple& shape);
  /// The values of an integer layout at one leaf of a codomain, 0 elsewhere: `2:3` at (1) is 2:3@1.
  static Result<CoordinateLayout> along(const Layout& layout, const IntTuple& codomain, std::size_t leaf);
  CoordinateLayout(const CoordinateLayout&);
  CoordinateLayout(CoordinateLayout&&) noexcept;
  CoordinateLayout& operator=(const CoordinateLayout&);
  CoordinateLayout& operator=(CoordinateLayout&&) noexcept;
  ~CoordinateLayout();

  const IntTuple& shape() const { return order_.shape(); }
  const IntTuple& codomain() const { return codomain_; }  ///< all integers 0
  const Stride& stride(std::size_t leaf) const;
  std::size_t rank() const { return order_.rank(); }
  std::int64_t size() const { return order_.size(); }
  std::string text() const;

  /// The value at an index, or at any coordinate that the shape takes.
  Result<IntTuple> operator()(const IntTuple& coordinate) const;
  /// One leaf of the values, as an integer layout of the same shape.
  Layout component(std::size_t leaf) const;
  /// Least and greatest value in each leaf of the codomain, nested as it is.
  IntTuple min() const;
  IntTuple max() const;

  /// The layout whose strides are the numbers of this one's strides: what rearranges modes works on it.
  const Layout& order() const { return order_; }
  CoordinateLayout rearranged(const Layout& order) const;

  /// Equal as functions: every component is.
  friend bool operator==(const CoordinateLayout& a, const CoordinateLayout& b);

 private:
  CoordinateLayout(Layout order, IntTuple codomain, std::vector<Stride> strides)
      : order_(std::move(order)), codomain_(std::move(codomain)), strides_(std::move(strides)) {}
  Layout order_;  ///< the shape; a leaf's stride is its number in strides_
  IntTuple codomain_;
  std::vector<Stride> strides_;  ///< number 0 is the zero stride
};

/// Flat, without modes of size 1, and no mode continuing the one before it, as of integer layouts.
CoordinateLayout coalesce(const CoordinateLayout& layout);
/// Mode k.
CoordinateLayout mode(const CoordinateLayout& layout, std::size_t k);
/// The layouts as modes; of one codomain.
Result<CoordinateLayout> concat(std::span<const CoordinateLayout> modes);

/// A o B for coordinate-valued B: every leaf n@p of B goes through the sub-mode p of A, (4,4):(4,1) o (4,4):(1@1,1@0) =
/// (4,4):(1,4). Leaves that go through one sub-mode are composed with it together, so that a carry is noticed. A stride
/// of more than one basis element is refused.
Result<Layout> compose(const Layout& a, const CoordinateLayout& b);
/// A o B for coordinate-valued A.
Result<CoordinateLayout> compose(const CoordinateLayout& a, const Layout& b);
Result<CoordinateLayout> compose(const CoordinateLayout& a, const Tiler& b);

}  // namespace reckon::layout
