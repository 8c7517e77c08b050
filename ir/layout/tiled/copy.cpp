#include "ir/layout/tiled/copy.h"

#include "ir/layout/coalesce.h"
#include "ir/layout/compose.h"
#include "ir/layout/divide.h"
#include "ir/layout/inverse.h"
#include "ir/layout/product.h"
#include "ir/layout/structure.h"
#include "ir/layout/tiled/cover.h"

namespace reckon::layout {
namespace {

std::string quoted(std::int64_t value) { return "`" + std::to_string(value) + "`"; }

Layout nested(std::vector<Layout> modes) { return *concat(modes); }

Layout extent(std::int64_t size) { return *Layout::make(size, 1); }

/// "32 threads of the atom do not divide the 48 there are".
std::optional<Problem> undivided(const char* what, const CopyAtom& atom, std::int64_t of_atom, std::int64_t given) {
  if (given % of_atom == 0) return std::nullopt;
  return Problem{Problem::Kind::not_divisible, "`" + atom.name + "` takes " + quoted(of_atom) + " " + what +
                                                   " at a time, and there are " + quoted(given)};
}

}  // namespace

Result<TiledCopy> TiledCopy::make(CopyAtom atom, const Layout& threads, const Layout& values) {
  // (M,N) to thread + threads * value, inverted; "raked" so that a thread's values lie side by side.
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

Result<Layout> TiledCopy::side(const Layout& of_atom) const {
  // The atom's threads and values among all: ((thread,value) of the atom, (rest,rest)).
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

Result<Layout> TiledCopy::source() const { return side(atom_.source); }
Result<Layout> TiledCopy::target() const { return side(atom_.target); }

Result<Sliced> TiledCopy::partition(const Result<Layout>& side, const Layout& tensor, std::int64_t thread) const {
  if (!side) return side.problem();
  if (thread < 0 || thread >= side->mode(0).size()) {
    return Problem{Problem::Kind::out_of_range,
                   "there is no thread " + quoted(thread) + ": there are " + quoted(side->mode(0).size())};
  }
  if (tensor.rank() != tile_.rank()) {
    return Problem{Problem::Kind::rank, "`" + tensor.text() + "` has not the modes of the tile `" + tile_.text() + "`"};
  }
  std::vector<Tiler> tilers;
  for (std::size_t k = 0; k < tile_.rank(); ++k) {
    const std::int64_t step = *product(tile_.is_int() ? tile_ : tile_.elements()[k]), size = tensor.mode(k).size();
    if (size % step != 0) {
      return Problem{Problem::Kind::not_divisible, "mode " + std::to_string(k) + " of `" + tensor.text() + "` has " +
                                                       quoted(size) + " elements, no multiple of the tile's " +
                                                       quoted(step)};
    }
    tilers.emplace_back(extent(step));
  }
  const auto tiles = zipped_divide(tensor, tilers);
  if (!tiles) return tiles.problem();
  const auto own = compose(tiles->mode(0), *side);
  if (!own) return own.problem();
  std::vector<Layout> modes{own->mode(1)};
  for (std::size_t k = 0; k < tile_.rank(); ++k) modes.push_back(tiles->mode(1).mode(k));
  return Sliced{nested(modes), *own->mode(0)(thread)};
}

Result<Sliced> TiledCopy::partition_source(const Layout& tensor, std::int64_t thread) const {
  return partition(source(), tensor, thread);
}
Result<Sliced> TiledCopy::partition_target(const Layout& tensor, std::int64_t thread) const {
  return partition(target(), tensor, thread);
}

}  // namespace reckon::layout
