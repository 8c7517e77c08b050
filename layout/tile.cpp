#include "layout/tile.h"

#include <functional>

#include "layout/coordinates.h"
#include "layout/inverse.h"
#include "layout/tuples.h"
#include "layout/valued.h"

namespace reckon::layout {
namespace {

using Kind = Problem::Kind;

Holed holes(std::size_t rank) { return std::vector<Holed>(rank, Holed::hole()); }

/// As many holes as the mode has modes, so that these become modes of the part.
Holed holes_for(const IntTuple& mode) { return mode.is_int() ? Holed::hole() : holes(mode.rank()); }

/// Gives the coordinate of the wanted part, from the shape of the zipped division.
using Place = std::function<Holed(const IntTuple& zipped)>;

Result<Part> taken(const Layout& layout, const Tiler& tiler, const Place& place) {
  const auto zipped = divide(DivideForm::zipped, layout, tiler);
  if (!zipped) return zipped.problem();
  const Holed coordinate = place(zipped->layout.shape());
  const auto part = slice(zipped->layout, coordinate);
  if (!part) return part.problem();
  const auto bounds = zipped->bounds.sliced(coordinate);
  if (!bounds) return bounds.problem();
  return Part{part->layout, part->offset, *bounds};
}

Result<SlicedCoordinates> taken(const CoordinateLayout& layout, const Tiler& tiler, const Place& place) {
  const auto zipped = divide(DivideForm::zipped, layout, tiler);
  if (!zipped) return zipped.problem();
  return slice(*zipped, place(zipped->shape()));
}

template <class Valued>
Problem refused(const char* operation, const Valued& layout, Problem problem) {
  return prefixed(std::string(operation) + " of `" + layout.text() + "`: ", std::move(problem));
}

template <class T>
std::vector<T> chosen(const std::vector<T>& all, const std::vector<bool>& wanted) {
  std::vector<T> out;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (wanted[k]) out.push_back(all[k]);
  }
  return out;
}

std::optional<Problem> cannot_choose(const char* what, std::size_t rank, const std::vector<bool>& wanted) {
  if (rank != wanted.size()) {
    return Problem{Kind::rank, "a projection of `" + std::to_string(wanted.size()) + "` modes for a " + what + " of `" +
                                   std::to_string(rank) + "`"};
  }
  for (const bool one : wanted) {
    if (one) return std::nullopt;
  }
  return Problem{Kind::empty, "the projection keeps no mode"};
}

/// Maps a thread to its coordinate.
Result<Layout> thread_places(const Layout& threads) {
  auto where = inverse(threads);
  if (where) return where;
  return Problem{where.problem().kind,
                 "the threads `" + threads.text() +
                     "` are no bijection onto `0` to `size - 1`: " + where.problem().message,
                 where.problem().hint};
}

/// The coordinate of the thread, an index for each mode.
Result<IntTuple> thread_coordinate(const Layout& threads, std::int64_t thread) {
  const auto where = thread_places(threads);
  if (!where) return where.problem();
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

template <class Part, class Valued>
Result<Part> tile_of(const Valued& layout, const Tiler& tiler, const Holed& coordinate) {
  const auto out = taken(layout, tiler, [&](const IntTuple& zipped) {
    const IntTuple &tile = zipped.elements()[0], &rest = zipped.elements()[1];
    Holed at = coordinate;
    if (at.is_tuple() && !rest.is_int() && at.elements().size() < rest.rank()) {
      auto elements = at.elements();
      elements.resize(rest.rank(), Holed::hole());
      at = Holed(std::move(elements));
    }
    return Holed(std::vector<Holed>{tiler.is_tuple() ? holes(tile.rank()) : Holed::hole(), at});
  });
  if (!out) return refused("local_tile", layout, out.problem());
  return out;
}

template <class Part, class Valued>
Result<Part> tile_of(const Valued& layout, const Tiler& tiler, const Holed& coordinate,
                     const std::vector<bool>& wanted) {
  if (!tiler.is_tuple() || !coordinate.is_tuple()) {
    return refused("local_tile", layout, {Kind::rank, "a projection needs a tiler and a coordinate of several modes"});
  }
  for (const auto& [what, rank] : {std::pair{"tiler", tiler.rank()}, {"coordinate", coordinate.elements().size()}}) {
    if (auto problem = cannot_choose(what, rank, wanted)) return refused("local_tile", layout, *problem);
  }
  return tile_of<Part>(layout, Tiler(chosen(tiler.modes(), wanted)), Holed(chosen(coordinate.elements(), wanted)));
}

template <class Part, class Valued>
Result<Part> part_of(const Valued& layout, const Layout& threads, std::int64_t thread,
                     const std::vector<bool>& wanted) {
  if (auto problem = cannot_choose("layout of threads", threads.rank(), wanted)) {
    return refused("local_partition", layout, *problem);
  }
  const auto at = thread_coordinate(threads, thread);
  if (!at) return refused("local_partition", layout, at.problem());
  IntTuple sizes = *product_each(threads.shape()), coordinate = *at;
  if (!sizes.is_int()) {
    sizes = chosen(sizes.elements(), wanted);
    coordinate = chosen(coordinate.elements(), wanted);
  }
  const auto tiler = Tiler::of(sizes);
  if (!tiler) return refused("local_partition", layout, tiler.problem());
  const auto out = taken(layout, *tiler, [&](const IntTuple& zipped) {
    return Holed(std::vector<Holed>{Holed(coordinate), holes_for(zipped.elements()[1])});
  });
  if (!out) return refused("local_partition", layout, out.problem());
  return out;
}

template <class Valued>
Result<Shares<Valued>> shared_out(const Valued& layout, const Layout& threads) {
  const auto where = thread_places(threads);
  if (!where) return refused("local_partition", layout, where.problem());
  const auto tiler = Tiler::of(*product_each(threads.shape()));
  if (!tiler) return refused("local_partition", layout, tiler.problem());
  const auto zipped = valued::divided(DivideForm::zipped, layout, *tiler);
  if (!zipped) return refused("local_partition", layout, zipped.problem());
  const auto starts = compose(valued::mode_of(*zipped, 0), *where);
  if (!starts) return refused("local_partition", layout, starts.problem());
  return Shares<Valued>{*starts, valued::mode_of(*zipped, 1)};
}

std::vector<bool> all_of(const Layout& threads) { return std::vector<bool>(threads.rank(), true); }

}  // namespace

Result<Part> local_tile(const Layout& layout, const Tiler& tiler, const Holed& coordinate) {
  return tile_of<Part>(layout, tiler, coordinate);
}
Result<Part> local_tile(const Layout& layout, const Tiler& tiler, const Holed& coordinate,
                        const std::vector<bool>& wanted) {
  return tile_of<Part>(layout, tiler, coordinate, wanted);
}
Result<Part> local_partition(const Layout& layout, const Layout& threads, std::int64_t thread) {
  return part_of<Part>(layout, threads, thread, all_of(threads));
}
Result<Part> local_partition(const Layout& layout, const Layout& threads, std::int64_t thread,
                             const std::vector<bool>& wanted) {
  return part_of<Part>(layout, threads, thread, wanted);
}

Result<SlicedCoordinates> local_tile(const CoordinateLayout& layout, const Tiler& tiler, const Holed& coordinate) {
  return tile_of<SlicedCoordinates>(layout, tiler, coordinate);
}
Result<SlicedCoordinates> local_tile(const CoordinateLayout& layout, const Tiler& tiler, const Holed& coordinate,
                                     const std::vector<bool>& wanted) {
  return tile_of<SlicedCoordinates>(layout, tiler, coordinate, wanted);
}
Result<SlicedCoordinates> local_partition(const CoordinateLayout& layout, const Layout& threads, std::int64_t thread) {
  return part_of<SlicedCoordinates>(layout, threads, thread, all_of(threads));
}
Result<SlicedCoordinates> local_partition(const CoordinateLayout& layout, const Layout& threads, std::int64_t thread,
                                          const std::vector<bool>& wanted) {
  return part_of<SlicedCoordinates>(layout, threads, thread, wanted);
}

Result<Shares<Layout>> local_shares(const Layout& layout, const Layout& threads) { return shared_out(layout, threads); }
Result<Shares<CoordinateLayout>> local_shares(const CoordinateLayout& layout, const Layout& threads) {
  return shared_out(layout, threads);
}

}  // namespace reckon::layout
