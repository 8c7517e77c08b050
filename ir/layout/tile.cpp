#include "ir/layout/tile.h"

#include "ir/layout/coordinates.h"
#include "ir/layout/divide.h"
#include "ir/layout/inverse.h"
#include "ir/layout/tuples.h"

namespace reckon::layout {
namespace {

using Kind = Problem::Kind;

Holed holes(std::size_t rank) { return std::vector<Holed>(rank, Holed::hole()); }

/// As many holes as the mode has modes: they become modes of the part.
Holed holes_for(const IntTuple& mode) { return mode.is_int() ? Holed::hole() : holes(mode.rank()); }

Result<Part> part(const Division& zipped, const Holed& tile, const Holed& rest) {
  const Holed coordinate(std::vector<Holed>{tile, rest});
  const auto layout = slice(zipped.layout, coordinate);
  if (!layout) return layout.problem();
  const auto bounds = zipped.bounds.sliced(coordinate);
  if (!bounds) return bounds.problem();
  return Part{layout->layout, layout->offset, *bounds};
}

Problem refused(const char* operation, const Layout& layout, Problem problem) {
  problem.message = std::string(operation) + " of `" + layout.text() + "`: " + problem.message;
  return problem;
}

template <class T>
std::vector<T> chosen(const std::vector<T>& all, const std::vector<bool>& wanted) {
  std::vector<T> out;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (wanted[k]) out.push_back(all[k]);
  }
  return out;
}

std::optional<Problem> cannot_choose(std::size_t rank, const std::vector<bool>& wanted) {
  if (rank != wanted.size()) {
    return Problem{Kind::rank, "a projection of `" + std::to_string(wanted.size()) + "` modes for `" +
                                   std::to_string(rank) + "`"};
  }
  for (const bool one : wanted) {
    if (one) return std::nullopt;
  }
  return Problem{Kind::empty, "the projection keeps no mode"};
}

/// The coordinate of the thread, an index for each mode.
Result<IntTuple> thread_coordinate(const Layout& threads, std::int64_t thread) {
  const auto where = inverse(threads);
  if (!where) {
    return Problem{where.problem().kind, "the threads `" + threads.text() +
                                             "` are no bijection onto `0` to `size - 1`: " + where.problem().message,
                   where.problem().hint};
  }
  if (thread < 0 || thread >= threads.size()) {
    return Problem{Kind::out_of_range, "thread `" + std::to_string(thread) + "` is none of the `" +
                                           std::to_string(threads.size()) + "` of `" + threads.text() + "`"};
  }
  const auto index = (*where)(thread);
  const auto extents = product_each(threads.shape());
  if (!index) return index.problem();
  if (!extents) return extents.problem();
  return split(*index, *extents);
}

}  // namespace

Result<Part> local_tile(const Layout& layout, const Tiler& tiler, const Holed& coordinate) {
  const auto zipped = divide(DivideForm::zipped, layout, tiler);
  if (!zipped) return refused("local_tile", layout, zipped.problem());
  const IntTuple& shape = zipped->layout.shape();
  const IntTuple &tile = shape.elements()[0], &rest = shape.elements()[1];
  Holed at = coordinate;
  if (at.is_tuple() && !rest.is_int() && at.elements().size() < rest.rank()) {
    auto elements = at.elements();
    elements.resize(rest.rank(), Holed::hole());
    at = Holed(std::move(elements));
  }
  const auto out = part(*zipped, tiler.is_tuple() ? holes(tile.rank()) : Holed::hole(), at);
  if (!out) return refused("local_tile", layout, out.problem());
  return out;
}

Result<Part> local_tile(const Layout& layout, const Tiler& tiler, const Holed& coordinate,
                        const std::vector<bool>& wanted) {
  if (!tiler.is_tuple() || !coordinate.is_tuple()) {
    return refused("local_tile", layout, {Kind::rank, "a projection needs a tiler and a coordinate of several modes"});
  }
  for (const std::size_t rank : {tiler.rank(), coordinate.elements().size()}) {
    if (auto problem = cannot_choose(rank, wanted)) return refused("local_tile", layout, *problem);
  }
  return local_tile(layout, Tiler(chosen(tiler.modes(), wanted)), Holed(chosen(coordinate.elements(), wanted)));
}

Result<Part> local_partition(const Layout& layout, const Layout& threads, std::int64_t thread) {
  return local_partition(layout, threads, thread, std::vector<bool>(threads.rank(), true));
}

Result<Part> local_partition(const Layout& layout, const Layout& threads, std::int64_t thread,
                             const std::vector<bool>& wanted) {
  if (auto problem = cannot_choose(threads.rank(), wanted)) return refused("local_partition", layout, *problem);
  const auto at = thread_coordinate(threads, thread);
  if (!at) return refused("local_partition", layout, at.problem());
  IntTuple sizes = *product_each(threads.shape()), coordinate = *at;
  if (!sizes.is_int()) {
    sizes = chosen(sizes.elements(), wanted);
    coordinate = chosen(coordinate.elements(), wanted);
  }
  const auto tiler = Tiler::of(sizes);
  if (!tiler) return refused("local_partition", layout, tiler.problem());
  const auto zipped = divide(DivideForm::zipped, layout, *tiler);
  if (!zipped) return refused("local_partition", layout, zipped.problem());
  const auto out = part(*zipped, Holed(coordinate), holes_for(zipped->layout.shape().elements()[1]));
  if (!out) return refused("local_partition", layout, out.problem());
  return out;
}

}  // namespace reckon::layout
