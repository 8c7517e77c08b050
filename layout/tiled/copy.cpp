#include "layout/tiled/copy.h"

#include "layout/coalesce.h"
#include "layout/inverse.h"
#include "layout/product.h"
#include "layout/tiled/cover.h"
#include "layout/valued.h"

namespace reckon::layout {

using valued::divided;
using valued::mode_of;
using valued::nested;

namespace {

Layout extent(std::int64_t size) { return *Layout::make(size, 1); }

/// "32 threads of the atom do not divide the 48 there are".
std::optional<Problem> undivided(const char* what, const CopyAtom& atom, std::int64_t of_atom, std::int64_t given) {
  if (given % of_atom == 0) return std::nullopt;
  return Problem{Problem::Kind::not_divisible, "`" + atom.name + "` takes " + in_backticks(of_atom) + " " + what +
                                                   " at a time, and there are " + in_backticks(given)};
}

}  // namespace

Result<TiledCopy> TiledCopy::make(CopyAtom atom, const Layout& threads, const Layout& values) {
  // The inverse of (M,N) to thread + threads * value; "raked" puts a thread's values side by side.
  const auto order = raked_product(threads, values);
  if (!order) return order.problem();
  const auto back = inverse(*order);
  if (!back) {
    Problem problem = back.problem();
    problem.message = "threads `" + threads.text() + "` with values `" + values.text() +
                      "` do not share a tile out, each element to one: " + problem.message;
    return problem;
  }
  const auto thread_value = with_shape(*back, std::vector<IntTuple>{threads.size(), values.size()});
  if (!thread_value) return thread_value.problem();
  std::vector<IntTuple> tile;
  for (std::size_t k = 0; k < order->rank(); ++k) tile.emplace_back(order->mode(k).size());
  return make(std::move(atom), *thread_value, tile);
}

Result<TiledCopy> TiledCopy::make(CopyAtom atom, const Layout& thread_value, const IntTuple& tile) {
  if (thread_value.shape().is_int() || thread_value.rank() != 2) {
    return Problem{Problem::Kind::rank, "`" + thread_value.text() + "` has not the two modes (thread, value)"};
  }
  const auto size = product(tile);
  if (!size) return Problem{Problem::Kind::too_large, "the tile `" + tile.text() + "` has more than 2^63 elements"};
  if (auto problem = partition_problem(thread_value, *size)) return *problem;
  const Layout& reference = atom.reference;
  if (auto problem = undivided("threads", atom, reference.mode(0).size(), thread_value.mode(0).size())) return *problem;
  if (auto problem = undivided("values", atom, reference.mode(1).size(), thread_value.mode(1).size())) return *problem;
  return TiledCopy(std::move(atom), thread_value, tile);
}

Result<TiledCopy> TiledCopy::make(CopyAtom atom, const TiledMma& mma, Operand operand) {
  const auto thread_value = mma.thread_value(operand);
  if (!thread_value) return thread_value.problem();
  return make(std::move(atom), *thread_value, mma.tile(operand));
}

Result<Layout> TiledCopy::side(Side side) const {
  const Layout& of_atom = side == Side::source ? atom_.source : atom_.target;
  // Splits threads and values by the atom: ((thread,value) of the atom, (rest,rest)).
  const Layout threads = extent(atom_.reference.mode(0).size()), values = extent(atom_.reference.mode(1).size());
  const auto by_atoms = zipped_divide(thread_value_, std::vector<Tiler>{threads, values});
  if (!by_atoms) return by_atoms;
  const auto back = right_inverse(atom_.reference);
  if (!back) return back;
  const auto in_reference = compose(*back, of_atom);
  if (!in_reference) return in_reference;
  const auto one = compose(by_atoms->mode(0), *in_reference);
  if (!one) return one;
  const Layout rest = by_atoms->mode(1);
  return nested(
      {coalesce(nested({one->mode(0), rest.mode(0)})), nested({coalesce(one->mode(1)), coalesce(rest.mode(1))})});
}

template <class Valued>
Result<Valued> TiledCopy::cut(Side of, const Valued& tensor) const {
  const auto own = side(of);
  if (!own) return own.problem();
  if (tensor.rank() != tile_.rank()) {
    return Problem{Problem::Kind::rank, "`" + tensor.text() + "` has not the modes of the tile `" + tile_.text() + "`"};
  }
  std::vector<Tiler> tilers;
  for (std::size_t k = 0; k < tile_.rank(); ++k) {
    const std::int64_t step = *product(tile_.is_int() ? tile_ : tile_.elements()[k]), size = mode_of(tensor, k).size();
    if (size % step != 0) {
      return Problem{Problem::Kind::not_divisible,
                     "mode " + std::to_string(k) + " of `" + tensor.text() + "` has " + in_backticks(size) +
                         " elements, no multiple of the tile's " + in_backticks(step),
                     "cut it into whole tiles first: `local_tile(L, tile, c)`, whose bounds are shared out alike"};
    }
    tilers.emplace_back(extent(step));
  }
  const auto tiles = divided(DivideForm::zipped, tensor, Tiler(std::move(tilers)));
  if (!tiles) return tiles;
  const auto parts = compose(mode_of(*tiles, 0), *own);
  if (!parts) return parts;
  return nested(std::vector<Valued>{mode_of(*parts, 0), mode_of(*parts, 1), mode_of(*tiles, 1)});
}

namespace {

template <class Valued>
Result<Shares<Valued>> shared_out(const Result<Valued>& cut) {
  if (!cut) return cut.problem();
  std::vector<Valued> modes{mode_of(*cut, 1)};
  const Valued rest = mode_of(*cut, 2);
  for (std::size_t k = 0; k < rest.rank(); ++k) modes.push_back(mode_of(rest, k));
  return Shares<Valued>{mode_of(*cut, 0), nested(modes)};
}

}  // namespace

Result<Layout> TiledCopy::tidfrg(Side side, const Layout& tensor) const { return cut(side, tensor); }
Result<CoordinateLayout> TiledCopy::tidfrg(Side side, const CoordinateLayout& tensor) const {
  return cut(side, tensor);
}
Result<Shares<Layout>> TiledCopy::shares(Side side, const Layout& tensor) const {
  return shared_out(cut(side, tensor));
}
Result<Shares<CoordinateLayout>> TiledCopy::shares(Side side, const CoordinateLayout& tensor) const {
  return shared_out(cut(side, tensor));
}

Result<Sliced> TiledCopy::partition(Side side, const Layout& tensor, std::int64_t thread) const {
  const auto all = shares(side, tensor);
  if (!all) return all.problem();
  return share_of(*all, thread);
}

std::string TiledCopy::text() const {
  return atom_.name + " of " + std::to_string(atom_.element_bits) + " bits by " + thread_value_.text() + ", tile " +
         tile_.text();
}

bool operator==(const TiledCopy& a, const TiledCopy& b) {
  return a.atom_.name == b.atom_.name && a.atom_.element_bits == b.atom_.element_bits &&
         a.thread_value_ == b.thread_value_ && a.tile_ == b.tile_;
}

}  // namespace reckon::layout
