#include "layout/tiled/mma.h"

#include "layout/inverse.h"
#include "layout/product.h"
#include "layout/valued.h"

namespace reckon::layout {

using valued::divided;
using valued::mode_of;
using valued::nested;

namespace {

constexpr const char* mode_names[] = {"M", "N", "K"};

/// Which of M, N, K an operand's two modes are, and which it does not have.
struct OperandModes {
  std::size_t x, y, missing;
};
OperandModes modes_of(Operand operand) {
  if (operand == Operand::a) return {0, 2, 1};
  return operand == Operand::b ? OperandModes{1, 2, 0} : OperandModes{0, 1, 2};
}

/// The extents of the atom.
std::int64_t extent(const MmaAtom& atom, std::size_t mode) { return mode == 0 ? atom.m : mode == 1 ? atom.n : atom.k; }

const Layout& fragment(const MmaAtom& atom, Operand operand) {
  return operand == Operand::a ? atom.a : operand == Operand::b ? atom.b : atom.c;
}

/// The given mode of the tile, checked; by default all atoms side by side.
Result<Layout> tile_mode(const MmaAtom& atom, std::size_t mode, std::int64_t atoms,
                         const std::optional<Layout>& given) {
  const std::int64_t core = extent(atom, mode) * atoms;
  if (!given) return Layout::make(core, 1);
  const std::string where = std::string("the tile's mode ") + mode_names[mode] + ", `" + given->text() + "`, ";
  if (given->size() % core != 0) {
    return Problem{Problem::Kind::not_divisible,
                   where + "has " + in_backticks(given->size()) + " elements, no multiple of " + in_backticks(core) +
                       ": " + in_backticks(atoms) + " atoms of " + in_backticks(extent(atom, mode))};
  }
  if (const auto whole = inverse(*given); !whole) {
    return prefixed(where + "is no permutation: ", whole.problem());
  }
  return *given;
}

template <class Valued>
std::optional<Problem> undivided(const Valued& tensor, const IntTuple& tile) {
  if (tensor.shape().is_int() || tensor.rank() != 2) {
    return Problem{Problem::Kind::rank, "`" + tensor.text() + "` has not the two modes of an operand"};
  }
  for (std::size_t k = 0; k < 2; ++k) {
    const std::int64_t size = mode_of(tensor, k).size(), step = tile.elements()[k].value();
    if (size % step == 0) continue;
    return Problem{Problem::Kind::not_divisible,
                   "mode " + std::to_string(k) + " of `" + tensor.text() + "` has " + in_backticks(size) +
                       " elements, no multiple of the tile's " + in_backticks(step),
                   "cut it into whole tiles first: `local_tile(L, tile, c)`, whose bounds are shared out alike"};
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
    return prefixed("atoms laid out as `" + atoms.text() + "` do not have " + in_backticks(atoms.size()) +
                        " numbers from 0 on, each its own: ",
                    whole.problem());
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
                   "the threads of " + in_backticks(atoms.size()) + " atoms of `" + atom.threads.text() + "`, `" +
                       threads->text() + "`, are not `0` to " + in_backticks(threads->size() - 1),
                   "as many atoms as make whole warps"};
  }
  return TiledMma(std::move(atom), *threads, *back, {modes[0], modes[1], modes[2]});
}

std::int64_t TiledMma::threads() const { return thr_vmnk_.size(); }

IntTuple TiledMma::tile_mnk() const { return std::vector<IntTuple>{tile_[0].size(), tile_[1].size(), tile_[2].size()}; }

IntTuple TiledMma::tile(Operand operand) const {
  const OperandModes modes = modes_of(operand);
  return std::vector<IntTuple>{tile_[modes.x].size(), tile_[modes.y].size()};
}

template <class Valued>
Result<Valued> TiledMma::cut(Operand operand, const Valued& tensor) const {
  if (auto problem = undivided(tensor, tile(operand))) return *problem;
  const OperandModes modes = modes_of(operand);
  // ((permuted tile, rest), (permuted tile, rest)), then ((atom, atom), (rest, rest)).
  const auto permuted = divided(DivideForm::logical, tensor, std::vector<Tiler>{tile_[modes.x], tile_[modes.y]});
  if (!permuted) return permuted;
  const Layout x = *Layout::make(extent(atom_, modes.x), 1), y = *Layout::make(extent(atom_, modes.y), 1);
  const auto by_atoms = divided(DivideForm::zipped, *permuted, std::vector<Tiler>{x, y});
  if (!by_atoms) return by_atoms;
  const auto values = compose(mode_of(*by_atoms, 0), fragment(atom_, operand));
  if (!values) return values;
  // Along each mode, the first atoms go to different threads; the same threads have the others as well.
  std::vector<Valued> threads, rest;
  for (std::size_t k = 0; k < 2; ++k) {
    const std::int64_t count = thr_vmnk_.mode(1 + (k == 0 ? modes.x : modes.y)).size();
    const auto split = divided(DivideForm::logical, mode_of(mode_of(*by_atoms, 1), k), Tiler(*Layout::make(count, 1)));
    if (!split) return split;
    threads.push_back(mode_of(*split, 0));
    rest.push_back(mode_of(*split, 1));
  }
  return nested(std::vector<Valued>{nested(std::vector<Valued>{mode_of(*values, 0), nested(threads)}),
                                    nested(std::vector<Valued>{mode_of(*values, 1), nested(rest)})});
}

template <class Valued>
Result<Shares<Valued>> TiledMma::shared_out(Operand operand, const Valued& tensor) const {
  const auto parts = cut(operand, tensor);
  if (!parts) return parts.problem();
  const OperandModes modes = modes_of(operand);
  const Valued own = mode_of(*parts, 0), fragments = mode_of(*parts, 1);
  const Valued others = mode_of(own, 1), rest = mode_of(fragments, 1);
  // (V,M,N,K) to the operand: threads that differ only along the mode that the operand lacks have the same elements.
  std::vector<Valued> all(4, valued::still(tensor, thr_vmnk_.mode(1 + modes.missing).size()));
  all[0] = mode_of(own, 0);
  all[1 + modes.x] = mode_of(others, 0);
  all[1 + modes.y] = mode_of(others, 1);
  const auto starts = compose(nested(all), vmnk_of_thread_);
  if (!starts) return starts.problem();
  return Shares<Valued>{*starts,
                        nested(std::vector<Valued>{mode_of(fragments, 0), mode_of(rest, 0), mode_of(rest, 1)})};
}

Result<Layout> TiledMma::thrfrg(Operand operand, const Layout& tensor) const { return cut(operand, tensor); }
Result<CoordinateLayout> TiledMma::thrfrg(Operand operand, const CoordinateLayout& tensor) const {
  return cut(operand, tensor);
}
Result<Shares<Layout>> TiledMma::shares(Operand operand, const Layout& tensor) const {
  return shared_out(operand, tensor);
}
Result<Shares<CoordinateLayout>> TiledMma::shares(Operand operand, const CoordinateLayout& tensor) const {
  return shared_out(operand, tensor);
}

Result<Sliced> TiledMma::partition(Operand operand, const Layout& tensor, std::int64_t thread) const {
  const auto all = shares(operand, tensor);
  if (!all) return all.problem();
  return share_of(*all, thread);
}

Result<Layout> TiledMma::thread_value(Operand operand) const {
  const auto tensor = Layout::compact_left(tile(operand));
  if (!tensor) return tensor;
  const auto all = shares(operand, *tensor);
  if (!all) return all.problem();
  const Layout& part = all->part;
  return nested({all->starts, nested({part.mode(0), nested({part.mode(1), part.mode(2)})})});
}

std::string TiledMma::text() const {
  std::string tile;
  for (const Layout& mode : tile_) {
    const bool plain = mode.shape().is_int() && mode.stride().value() == 1;
    tile += (tile.empty() ? "" : ",") + (plain ? std::to_string(mode.size()) : mode.text());
  }
  return atom_.name + " by " + thr_vmnk_.text() + ", tile (" + tile + ")";
}

bool operator==(const TiledMma& a, const TiledMma& b) {
  return a.atom_.name == b.atom_.name && a.thr_vmnk_ == b.thr_vmnk_ && a.tile_ == b.tile_;
}

}  // namespace reckon::layout
