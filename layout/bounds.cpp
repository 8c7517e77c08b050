#include "layout/bounds.h"

namespace reckon::layout {
namespace {

IntTuple sum(const IntTuple& a, const IntTuple& b) {
  auto out = a.leaves();
  const auto more = b.leaves();
  // The sums are coordinates of one tensor, far below the limits of 64 bits: its layouts were checked.
  for (std::size_t k = 0; k < out.size(); ++k) out[k] += more[k];
  return with_leaves(a, out);
}

bool below(const IntTuple& value, const IntTuple& shape) {
  const auto values = value.leaves(), extents = shape.leaves();
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k] >= extents[k]) return false;
  }
  return true;
}

}  // namespace

Bounds::Bounds(CoordinateLayout coordinates, IntTuple shape)
    : coordinates_(std::move(coordinates)), origin_(coordinates_.codomain()), shape_(std::move(shape)) {}

Bounds::Bounds(CoordinateLayout coordinates, IntTuple origin, IntTuple shape)
    : coordinates_(std::move(coordinates)), origin_(std::move(origin)), shape_(std::move(shape)) {}

Result<IntTuple> Bounds::position(const IntTuple& coordinate) const {
  const auto value = coordinates_(coordinate);
  if (!value) return value;
  return sum(origin_, *value);
}

Result<bool> Bounds::inside(const IntTuple& coordinate) const {
  const auto at = position(coordinate);
  if (!at) return at.problem();
  return below(*at, shape_);
}

bool Bounds::everywhere() const { return below(sum(origin_, coordinates_.max()), shape_); }

Result<Bounds> Bounds::sliced(const Holed& coordinate) const {
  auto rest = slice(coordinates_, coordinate);
  if (!rest) return rest.problem();
  return of_part(rest->layout, rest->offset);
}

Bounds Bounds::of_part(CoordinateLayout coordinates, const IntTuple& start) const {
  return Bounds(std::move(coordinates), sum(origin_, start), shape_);
}

Bounds Bounds::rearranged(const Layout& order) const { return Bounds(coordinates_.rearranged(order), origin_, shape_); }

std::string Bounds::text() const {
  const std::string start = origin_ == coordinates_.codomain() ? "" : origin_.text() + " + ";
  return start + coordinates_.text() + " < " + shape_.text();
}

}  // namespace reckon::layout
