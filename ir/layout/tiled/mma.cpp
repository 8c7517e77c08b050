#include "ir/layout/tiled/mma.h"

#include "ir/layout/compose.h"
#include "ir/layout/coordinates.h"
#include "ir/layout/divide.h"
#include "ir/layout/inverse.h"
#include "ir/layout/product.h"
#include "ir/layout/structure.h"
#include "ir/layout/tiled/cover.h"

namespace reckon::layout {
namespace {

constexpr const char* mode_names[] = {"M", "N", "K"};

/// Which of M, N, K an operand's two modes are, and which it does not have.
struct Modes {
  std::size_t x, y, missing;
};
Modes modes_of(Operand operand) {
  if (operand == Operand::a) return {0, 2, 1};
  return operand == Operand::b ? Modes{1, 2, 0} : Modes{0, 1, 2};
}

std::string quoted(std::int64_t value) { return "`" + std::to_string(value) + "`"; }

Layout nested(std::vector<Layout> modes) { return *concat(modes); }

/// The extents of the atom.
std::int64_t extent(const MmaAtom& atom, std::size_t mode) { return mode == 0 ? atom.m : mode == 1 ? atom.n : atom.k; }

const Layout& fragment(const MmaAtom& atom, Operand operand) {
  return operand == Operand::a ? atom.a : operand == Operand::b ? atom.b : atom.c;
}

/// The mode of the tile, checked.
Result<Layout> tile_mode(const MmaAtom& atom, std::size_t mode, std::int64_t atoms,
                         const std::optional<Layout>& given) {
  const std::int64_t core = extent(atom, mode) * atoms;
  if (!given) return Layout::make(core, 1);
  const std::string where = std::string("the tile's mode ") + mode_names[mode] + ", `" + given->text() + "`, ";
  if (given->size() % core != 0) {
    return Problem{Problem::Kind::not_divisible, where + "has " + quoted(given->size()) + " elements, no multiple of " +
                                                     quoted(core) + ": " + quoted(atoms) + " atoms of " +
                                                     quoted(extent(atom, mode))};
  }
  if (const auto whole = inverse(*given); !whole) {
    Problem problem = whole.problem();
    problem.message = where + "is no permutation: " + problem.message;
    return problem;
  }
  return *given;
}

std::optional<Problem> undivided(const Layout& tensor, const IntTuple& tile) {
  if (tensor.shape().is_int() || tensor.rank() != 2) {
    return Problem{Problem::Kind::rank, "`" + tensor.text() + "` has not the two modes of an operand"};
  }
  for (std::size_t k = 0; k < 2; ++k) {
    const std::int64_t size = tensor.mode(k).size(), step = tile.elements()[k].value();
    if (size % step == 0) continue;
    return Problem{Problem::Kind::not_divisible, "mode " + std::to_string(k) + " of `" + tensor.text() + "` has " +
                                                     quoted(size) + " elements, no multiple of the tile's " +
                                                     quoted(step)};
  }
  return std::nullopt;
}

}  // namespace

Result<TiledMma> TiledMma::make(MmaAtom atom, const Layout& atoms, std::array<std::optional<Layout>, 3> tile) {
  if (atoms.rank() > 3) {
    return Problem{Problem::Kind::rank, "`" + atoms.text() + "` has " + std::to_string(atoms.rank()) +
                                            " modes, and atoms are laid out along M, N and K"};
  }
  const auto padded = append_to_rank(atoms, 3, *Layout::make(1, 0));
  if (!padded) return padded.problem();
  if (const auto whole = inverse(atoms); !whole) {
    Problem problem = whole.problem();
    problem.message = "atoms laid out as `" + atoms.text() + "` do not have " + quoted(atoms.size()) +
                      " numbers from 0 on, each its own: " + problem.message;
    return problem;
  }
  std::vector<Layout> modes;
  for (std::size_t k = 0; k < 3; ++k) {
    auto mode = tile_mode(atom, k, padded->mode(k).size(), tile[k]);
    if (!mode) return mode.problem();
    modes.push_back(*mode);
  }
  const auto threads = tiled_product(atom.threads, *padded);
  if (!threads) return threads.problem();
  const auto back = right_inverse(*threads);
  if (!back) return back.problem();
  if (back->size() != threads->size()) {
    return Problem{Problem::Kind::gap,
                   "the threads of " + quoted(atoms.size()) + " atoms of `" + atom.threads.text() + "`, `" +
                       threads->text() + "`, are not `0` to " + quoted(threads->size() - 1),
                   "as many atoms as make whole warps"};
  }
  return TiledMma(std::move(atom), *threads, *back, {modes[0], modes[1], modes[2]});
}

std::int64_t TiledMma::threads() const { return thr_vmnk_.size(); }

IntTuple TiledMma::tile_mnk() const { return std::vector<IntTuple>{tile_[0].size(), tile_[1].size(), tile_[2].size()}; }

IntTuple TiledMma::tile(Operand operand) const {
  const Modes modes = modes_of(operand);
  return std::vector<IntTuple>{tile_[modes.x].size(), tile_[modes.y].size()};
}

Result<Layout> TiledMma::thrfrg(Operand operand, const Layout& tensor) const {
  if (auto problem = undivided(tensor, tile(operand))) return *problem;
  const Modes modes = modes_of(operand);
  // ((permuted tile, rest), (permuted tile, rest)), then ((atom, atom), (rest, rest)).
  const auto permuted = logical_divide(tensor, std::vector<Tiler>{tile_[modes.x], tile_[modes.y]});
  if (!permuted) return permuted;
  const Layout x = *Layout::make(extent(atom_, modes.x), 1), y = *Layout::make(extent(atom_, modes.y), 1);
  const auto by_atoms = zipped_divide(*permuted, std::vector<Tiler>{x, y});
  if (!by_atoms) return by_atoms;
  const auto values = compose(by_atoms->mode(0), fragment(atom_, operand));
  if (!values) return values;
  // Of the atoms along each mode, the first ones go to different threads.
  std::vector<Layout> threads, rest;
  for (std::size_t k = 0; k < 2; ++k) {
    const std::int64_t count = thr_vmnk_.mode(1 + (k == 0 ? modes.x : modes.y)).size();
    const auto split = logical_divide(by_atoms->mode(1).mode(k), *Layout::make(count, 1));
    if (!split) return split;
    threads.push_back(split->mode(0));
    rest.push_back(split->mode(1));
  }
  return nested({nested({values->mode(0), nested(threads)}), nested({values->mode(1), nested(rest)})});
}

Result<Layout> TiledMma::thread_value(Operand operand) const {
  const auto tensor = Layout::compact_left(tile(operand));
  if (!tensor) return tensor;
  const auto parts = thrfrg(operand, *tensor);
  if (!parts) return parts;
  const Modes modes = modes_of(operand);
  const Layout lanes = parts->mode(0).mode(0), others = parts->mode(0).mode(1);
  // (V,M,N,K) to the operand: threads that differ along the mode that it has not see the same.
  std::vector<Layout> all(4, *Layout::make(thr_vmnk_.mode(1 + modes.missing).size(), 0));
  all[0] = lanes;
  all[1 + modes.x] = others.mode(0);
  all[1 + modes.y] = others.mode(1);
  const auto threads = compose(nested(all), vmnk_of_thread_);
  if (!threads) return threads;
  return nested({*threads, parts->mode(1)});
}

Result<Sliced> TiledMma::partition(Operand operand, const Layout& tensor, std::int64_t thread) const {
  if (thread < 0 || thread >= threads()) {
    return Problem{Problem::Kind::out_of_range,
                   "there is no thread " + quoted(thread) + ": there are " + quoted(threads())};
  }
  const auto parts = thrfrg(operand, tensor);
  if (!parts) return parts.problem();
  const Modes modes = modes_of(operand);
  const auto coordinate = split(*vmnk_of_thread_(thread), thr_vmnk_.shape());
  const auto at = [&](std::size_t mode) { return *join(coordinate->elements()[mode], thr_vmnk_.mode(mode).shape()); };
  const Layout own = parts->mode(0), rest = parts->mode(1).mode(1);
  const std::int64_t offset =
      *own.mode(0)(at(0)) + *own.mode(1).mode(0)(at(1 + modes.x)) + *own.mode(1).mode(1)(at(1 + modes.y));
  return Sliced{nested({parts->mode(1).mode(0), rest.mode(0), rest.mode(1)}), offset};
}

}  // namespace reckon::layout
