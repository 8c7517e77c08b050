// A matrix instruction spread over several warps and over a larger tile (CUTLASS's TiledMMA; layouts.md, 2.14).
#pragma once

#include <array>
#include <optional>

#include "ir/layout/atoms/mma_atom.h"
#include "ir/layout/layout.h"

namespace reckon::layout {

enum class Operand { a, b, c };

class TiledMma {
 public:
  /// `atoms`: (m,n,k) to the number of an atom; a missing mode is 1:0. `tile`: for M, N, K the permutation of that
  /// mode, n:1 for a size alone; nothing: as large as the atoms. Refuses a tile mode that the atoms do not divide, and
  /// atoms that overlap.
  static Result<TiledMma> make(MmaAtom atom, const Layout& atoms, std::array<std::optional<Layout>, 3> tile = {});

  const MmaAtom& atom() const { return atom_; }
  /// (V,M,N,K) to thread.
  const Layout& thr_vmnk() const { return thr_vmnk_; }
  std::int64_t threads() const;
  /// Sizes of the tile.
  IntTuple tile_mnk() const;
  /// (thread, value) to the column-major index of the operand's tile: (M,K), (N,K), (M,N).
  Result<Layout> thread_value(Operand operand) const;

  /// ((ThrV,(ThrX,ThrY)),(FrgV,(RestX,RestY))) of a layout of rank 2, by tiles: CUTLASS's thrfrg_A, _B, _C.
  Result<Layout> thrfrg(Operand operand, const Layout& tensor) const;
  /// (FrgV,RestX,RestY) of one thread.
  struct Part {
    Layout layout;
    std::int64_t offset;
  };
  Result<Part> partition(Operand operand, const Layout& tensor, std::int64_t thread) const;

 private:
  TiledMma(MmaAtom atom, Layout thr_vmnk, std::array<Layout, 3> tile);
  MmaAtom atom_;
  Layout thr_vmnk_;
  std::array<Layout, 3> tile_;
};

}  // namespace reckon::layout
