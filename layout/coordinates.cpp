#include "layout/coordinates.h"

namespace reckon::layout {
namespace {

Problem out_of_range(std::int64_t index, const IntTuple& shape) {
  return {Problem::Kind::out_of_range,
          "index `" + std::to_string(index) + "` is outside of the shape `" + shape.text() + "`"};
}

}  // namespace

Result<IntTuple> split(std::int64_t index, const IntTuple& shape) {
  const auto size = product(shape);
  if (!size || index < 0 || index >= *size) return out_of_range(index, shape);
  std::vector<std::int64_t> digits;
  for (std::int64_t leaf : shape.leaves()) {
    digits.push_back(index % leaf);
    index /= leaf;
  }
  return with_leaves(shape, digits);
}

Result<std::int64_t> join(const IntTuple& coordinate, const IntTuple& shape) {
  if (coordinate.is_int()) {
    const auto size = product(shape);
    if (!size || coordinate.value() < 0 || coordinate.value() >= *size) return out_of_range(coordinate.value(), shape);
    return coordinate.value();
  }
  if (shape.is_int() || shape.rank() != coordinate.rank()) {
    return Problem{Problem::Kind::bad_coordinate,
                   "the coordinate `" + coordinate.text() + "` does not fit the shape `" + shape.text() + "`"};
  }
  std::int64_t out = 0;
  for (std::size_t k = shape.rank(); k-- > 0;) {
    const auto mode = join(coordinate.elements()[k], shape.elements()[k]);
    if (!mode) return mode;
    // The index is below the size of the shape, which fits.
    out = out * *product(shape.elements()[k]) + *mode;
  }
  return out;
}

}  // namespace reckon::layout
