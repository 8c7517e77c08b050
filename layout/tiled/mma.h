// A matrix instruction spread over several warps and over a larger tile (CUTLASS's TiledMMA; docs/layouts.md).
#pragma once

#include <array>
#include <optional>

#include "layout/atoms/mma_atom.h"
#include "layout/coordinate_layout.h"
#include "layout/layout.h"
#include "layout/shares.h"

namespace reckon::layout {

enum class Operand { a, b, c };

class TiledMma {
 public:
  /// `atoms`: (m,n,k) to the number of an atom, a bijection; a missing mode is 1:0. `tile`: for M, N and K which of the
  /// tile's indices the atoms take in order, n:1 for a size alone; nothing: as large as the atoms. Refuses atoms that
  /// share threads, and a tile mode that is no permutation or that the atoms do not divide.
  static Result<TiledMma> make(MmaAtom atom, const Layout& atoms, std::array<std::optional<Layout>, 3> tile = {});

  const MmaAtom& atom() const { return atom_; }
  /// (V,M,N,K) to thread.
  const Layout& thr_vmnk() const { return thr_vmnk_; }
  std::int64_t threads() const;
  /// Sizes of the tile.
  IntTuple tile_mnk() const;
  /// Those of an operand: (M,K), (N,K), (M,N).
  IntTuple tile(Operand operand) const;
  /// (thread, (value of the atom, (rest, rest))) to the column-major index in the operand's tile.
  Result<Layout> thread_value(Operand operand) const;

  /// ((ThrV,(ThrX,ThrY)),(FrgV,(RestX,RestY))) to the values of a tensor of two modes: CUTLASS's thrfrg_A, _B, _C.
  /// Refuses a tensor that the tile does not divide.
  Result<Layout> thrfrg(Operand operand, const Layout& tensor) const;
  Result<CoordinateLayout> thrfrg(Operand operand, const CoordinateLayout& tensor) const;
  /// What each thread has, (FrgV,RestX,RestY), and where it starts: CUTLASS's partition_A, _B, _C. Threads that differ
  /// only along the mode that the operand does not have, have the same.
  Result<Shares<Layout>> shares(Operand operand, const Layout& tensor) const;
  Result<Shares<CoordinateLayout>> shares(Operand operand, const CoordinateLayout& tensor) const;
  Result<Sliced> partition(Operand operand, const Layout& tensor, std::int64_t thread) const;

  /// `SM80_16x8x16_F32F16F16F32_TN by (32,2,2,1):(1,32,64,0), tile (32,16,16)`
  std::string text() const;
  /// Whether they are equal in everything that partitions depend on.
  friend bool operator==(const TiledMma& a, const TiledMma& b);

 private:
  TiledMma(MmaAtom atom, Layout thr_vmnk, Layout vmnk_of_thread, std::array<Layout, 3> tile)
      : atom_(std::move(atom)),
        thr_vmnk_(std::move(thr_vmnk)),
        vmnk_of_thread_(std::move(vmnk_of_thread)),
        tile_(std::move(tile)) {}
  template <class Valued>
  Result<Valued> cut(Operand operand, const Valued& tensor) const;
  template <class Valued>
  Result<Shares<Valued>> shared_out(Operand operand, const Valued& tensor) const;
  MmaAtom atom_;
  Layout thr_vmnk_;
  Layout vmnk_of_thread_;
  std::array<Layout, 3> tile_;
};

}  // namespace reckon::layout
