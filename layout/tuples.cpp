#include "layout/tuples.h"

#include <algorithm>
#include <numeric>

#include "layout/coordinates.h"
#include "layout/layout.h"

namespace reckon::layout {
namespace {

using Kind = Problem::Kind;

std::int64_t ceiling(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0); }

enum class TupleDivision { ceil, exact };

Problem refused(TupleDivision division, const IntTuple& shape, const IntTuple& tiler, const std::string& why) {
  const std::string name = division == TupleDivision::ceil ? "ceil_div" : "shape_div";
  return {Kind::not_divisible, name + " of `" + shape.text() + "` by `" + tiler.text() + "`: " + why};
}

/// Whether so many tiles of a size have at least the elements of the shape.
bool covers(const IntTuple& count, std::int64_t tile, const IntTuple& shape) {
  const auto tiles = product(count), size = product(shape);
  std::int64_t all;
  return size && tiles && (__builtin_mul_overflow(*tiles, tile, &all) || all >= *size);
}

Result<IntTuple> divided(TupleDivision division, const IntTuple& shape, const IntTuple& tiler) {
  if (!tiler.is_int() && !shape.is_int()) {
    if (tiler.rank() > shape.rank()) return refused(division, shape, tiler, "the divisor has more modes");
    std::vector<IntTuple> out;
    for (std::size_t k = 0; k < shape.rank(); ++k) {
      const IntTuple& mode = shape.elements()[k];
      const auto part = k < tiler.rank() ? divided(division, mode, tiler.elements()[k]) : Result<IntTuple>(mode);
      if (!part) return part;
      out.push_back(*part);
    }
    return IntTuple(std::move(out));
  }
  const auto by = product(tiler);
  if (!by || *by < 1) return refused(division, shape, tiler, "a divisor is at least 1, and fits in 64 bits");
  if (!shape.is_int()) {
    std::int64_t rest = *by;
    std::vector<IntTuple> out;
    for (const IntTuple& mode : shape.elements()) {
      const auto part = divided(division, mode, rest);
      const auto size = product(mode);
      if (!part) return part;
      if (!size || *size < 1) return refused(division, shape, tiler, "a mode is of size 1 or more, in 64 bits");
      const auto left = divided(division, rest, *size);
      if (!left) return left;
      out.push_back(*part);
      rest = left->value();
    }
    IntTuple quotient = std::move(out);
    if (!covers(quotient, *by, shape)) {
      return refused(division, shape, tiler,
                     "used up from the left it comes out as `" + quotient.text() + "`, which does not cover the shape");
    }
    return quotient;
  }
  const std::int64_t value = shape.value();
  if (value < 1) return refused(division, shape, tiler, "an extent is at least 1");
  if (division == TupleDivision::exact && value % *by != 0 && *by % value != 0) {
    return refused(division, shape, tiler,
                   "neither of `" + std::to_string(value) + "` and `" + std::to_string(*by) + "` divides the other");
  }
  return IntTuple(ceiling(value, *by));
}

}  // namespace

bool weakly_congruent(const IntTuple& a, const IntTuple& b) {
  if (a.is_int()) return true;
  if (b.is_int()) return false;
  return std::equal(a.elements().begin(), a.elements().end(), b.elements().begin(), b.elements().end(),
                    weakly_congruent);
}

bool compatible(const IntTuple& a, const IntTuple& b) {
  if (a.is_int()) return product(b) == a.value();
  if (b.is_int()) return false;
  return std::equal(a.elements().begin(), a.elements().end(), b.elements().begin(), b.elements().end(), compatible);
}

bool evenly_divides(const IntTuple& shape, const IntTuple& tiler) {
  if (!tiler.is_int() && !shape.is_int()) {
    if (tiler.rank() > shape.rank()) return false;
    return std::equal(tiler.elements().begin(), tiler.elements().end(), shape.elements().begin(),
                      [](const IntTuple& by, const IntTuple& mode) { return evenly_divides(mode, by); });
  }
  const auto size = product(shape), by = product(tiler);
  const auto rest = ceil_div(shape, tiler);
  if (!rest || !size || !by) return false;
  const auto count = product(*rest);
  std::int64_t covered;
  return count && !__builtin_mul_overflow(*count, *by, &covered) && covered == *size;
}

Result<IntTuple> ceil_div(const IntTuple& shape, const IntTuple& tiler) {
  return divided(TupleDivision::ceil, shape, tiler);
}
Result<IntTuple> shape_div(const IntTuple& shape, const IntTuple& tiler) {
  return divided(TupleDivision::exact, shape, tiler);
}

Result<IntTuple> idx2crd(const IntTuple& index, const IntTuple& shape) {
  if (index.is_int()) return split(index.value(), shape);
  if (shape.is_int() || shape.rank() != index.rank()) {
    return Problem{Kind::bad_coordinate,
                   "idx2crd: the coordinate `" + index.text() + "` does not fit the shape `" + shape.text() + "`"};
  }
  std::vector<IntTuple> out;
  for (std::size_t k = 0; k < shape.rank(); ++k) {
    const auto part = idx2crd(index.elements()[k], shape.elements()[k]);
    if (!part) return part;
    out.push_back(*part);
  }
  return IntTuple(std::move(out));
}

Result<IntTuple> idx2crd_extended(std::int64_t index, const IntTuple& shape) {
  if (index < 0) {
    return Problem{Kind::out_of_range, "idx2crd_extended: the index `" + std::to_string(index) + "` is negative"};
  }
  std::vector<std::int64_t> digits = shape.leaves();
  for (std::size_t k = 0; k < digits.size(); ++k) {
    const std::int64_t extent = digits[k];
    if (extent < 1) {
      return Problem{Kind::not_positive, "idx2crd_extended: the shape `" + shape.text() + "` has the extent `" +
                                             std::to_string(extent) + "`, and extents are at least 1"};
    }
    const bool last = k + 1 == digits.size();
    digits[k] = last ? index : index % extent;
    index /= extent;
  }
  return with_leaves(shape, digits);
}

Result<IntTuple> idx2crd(std::int64_t index, const IntTuple& shape, const IntTuple& stride) {
  const auto layout = Layout::make(shape, stride);
  if (!layout) return layout.problem();
  const auto extents = shape.leaves(), strides = stride.leaves();
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    if (extents[k] > 1) order.push_back(k);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return strides[a] < strides[b]; });
  std::int64_t next = 1;
  for (const std::size_t k : order) {
    if (strides[k] != next) {
      return Problem{Kind::not_divisible,
                     "idx2crd with strides: `" + layout->text() +
                         "` is not compact, so that (index div stride) mod extent is no "
                         "coordinate of the index",
                     "`left_inverse` of it gives indices back"};
    }
    next *= extents[k];
  }
  if (index < 0 || index >= next) {
    return Problem{Kind::out_of_range,
                   "idx2crd: index `" + std::to_string(index) + "` is outside of the shape `" + shape.text() + "`"};
  }
  std::vector<std::int64_t> digits(extents.size(), 0);
  for (const std::size_t k : order) digits[k] = index / strides[k] % extents[k];
  return with_leaves(shape, digits);
}

Result<std::int64_t> crd2idx(const IntTuple& coordinate, const IntTuple& shape) { return join(coordinate, shape); }

Result<std::int64_t> crd2idx(const IntTuple& coordinate, const IntTuple& shape, const IntTuple& stride) {
  const auto layout = Layout::make(shape, stride);
  if (!layout) return layout.problem();
  return (*layout)(coordinate);
}

Result<IntTuple> crd2crd(const IntTuple& coordinate, const IntTuple& from, const IntTuple& to) {
  if (product(from) != product(to)) {
    return Problem{Kind::not_congruent,
                   "crd2crd: the shapes `" + from.text() + "` and `" + to.text() + "` are of different sizes"};
  }
  const auto index = join(coordinate, from);
  if (!index) return index.problem();
  return split(*index, to);
}

}  // namespace reckon::layout
