// Fixes some coordinates of a layout, or keeps only the modes of these (docs/layouts.md, "All functions").
#pragma once

#include <string>
#include <vector>

#include "layout/coordinate_layout.h"
#include "layout/layout.h"

namespace reckon::layout {

/// A coordinate with holes: `((2,_),(_,3,_))`.
class Holed {
 public:
  static Holed hole() { return Holed(); }
  Holed(std::int64_t index) : kind_(Kind::index), index_(index) {}
  Holed(std::vector<Holed> elements) : kind_(Kind::tuple), elements_(std::move(elements)) {}
  explicit Holed(const IntTuple& coordinate);

  bool is_hole() const { return kind_ == Kind::hole; }
  bool is_index() const { return kind_ == Kind::index; }
  bool is_tuple() const { return kind_ == Kind::tuple; }
  std::int64_t index() const { return index_; }
  const std::vector<Holed>& elements() const { return elements_; }
  std::string text() const;
  /// The coordinate with every hole 0.
  IntTuple filled() const;

 private:
  Holed() = default;
  enum class Kind { hole, index, tuple } kind_ = Kind::hole;
  std::int64_t index_ = 0;
  std::vector<Holed> elements_;
};

/// What is left of a layout, and where it starts: L(c with x in its holes) = offset + layout(x).
struct Sliced {
  Layout layout;
  std::int64_t offset = 0;
};
/// The modes and sub-modes under the holes, in order, as modes of the result: a hole for the whole layout gives the
/// layout itself, no hole at all is refused (it is an evaluation).
Result<Sliced> slice(const Layout& layout, const Holed& coordinate);
/// The complementary choice: the modes that the coordinate fixes.
Result<Layout> dice(const Layout& layout, const Holed& coordinate);

struct SlicedCoordinates {
  CoordinateLayout layout;
  IntTuple offset;
};
Result<SlicedCoordinates> slice(const CoordinateLayout& layout, const Holed& coordinate);

}  // namespace reckon::layout
