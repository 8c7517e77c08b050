#include "layout/slice.h"

#include <algorithm>

#include "layout/structure.h"

namespace reckon::layout {
namespace {

using Kind = Problem::Kind;

/// The modes under the holes (or, for `dice`, under the indices), in order.
template <bool Holes>
std::optional<Problem> collect(const Layout& layout, const Holed& coordinate, std::vector<Layout>& out) {
  if (coordinate.is_tuple()) {
    if (layout.shape().is_int() || layout.rank() != coordinate.elements().size()) {
      return Problem{Kind::bad_coordinate, std::string(Holes ? "slice" : "dice") + ": the coordinate `" +
                                               coordinate.text() + "` does not fit the shape `" +
                                               layout.shape().text() + "`"};
    }
    for (std::size_t k = 0; k < layout.rank(); ++k) {
      if (auto problem = collect<Holes>(layout.mode(k), coordinate.elements()[k], out)) return problem;
    }
  } else if (coordinate.is_hole() == Holes) {
    out.push_back(layout);
  }
  return std::nullopt;
}

template <bool Holes>
Result<Layout> kept(const Layout& layout, const Holed& coordinate) {
  if (!coordinate.is_tuple() && coordinate.is_hole() == Holes) return layout;
  std::vector<Layout> modes;
  if (auto problem = collect<Holes>(layout, coordinate, modes)) return *problem;
  if (modes.empty()) {
    return Problem{Kind::empty,
                   std::string(Holes ? "slice" : "dice") + ": the coordinate `" + coordinate.text() +
                       "` keeps no mode of `" + layout.text() + "`",
                   Holes ? "without holes it is an evaluation: call the layout with it"
                         : "a coordinate of holes only fixes nothing"};
  }
  return concat(modes);
}

}  // namespace

Holed::Holed(const IntTuple& coordinate) : kind_(coordinate.is_int() ? Kind::index : Kind::tuple) {
  if (coordinate.is_int()) index_ = coordinate.value();
  else
    for (const auto& element : coordinate.elements()) elements_.emplace_back(element);
}

std::string Holed::text() const {
  if (is_hole()) return "_";
  if (is_index()) return std::to_string(index_);
  std::string out;
  for (const Holed& element : elements_) out += (out.empty() ? "" : ",") + element.text();
  return "(" + out + ")";
}

IntTuple Holed::filled() const {
  if (is_hole()) return 0;
  if (is_index()) return index_;
  std::vector<IntTuple> out;
  for (const Holed& element : elements_) out.push_back(element.filled());
  return out;
}

Result<Sliced> slice(const Layout& layout, const Holed& coordinate) {
  const auto modes = kept<true>(layout, coordinate);
  if (!modes) return modes.problem();
  const auto offset = layout(coordinate.filled());
  if (!offset) return offset.problem();
  return Sliced{*modes, *offset};
}

Result<Layout> dice(const Layout& layout, const Holed& coordinate) { return kept<false>(layout, coordinate); }

Result<SlicedCoordinates> slice(const CoordinateLayout& layout, const Holed& coordinate) {
  const auto modes = kept<true>(layout.order(), coordinate);
  if (!modes) return modes.problem();
  const auto offset = layout(coordinate.filled());
  if (!offset) return offset.problem();
  return SlicedCoordinates{layout.rearranged(*modes), *offset};
}

}  // namespace reckon::layout
