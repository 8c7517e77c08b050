// A copy instruction spread over threads and values (CUTLASS's TiledCopy; docs/layouts.md, "Threads and values").
#pragma once

#include "layout/atoms/copy_atom.h"
#include "layout/layout.h"
#include "layout/tiled/mma.h"

namespace reckon::layout {

enum class Side { source, target };

class TiledCopy {
 public:
  /// Threads and values as layouts of the same modes, bijections: thread (i,j) takes block (i,j) of values. The atom is
  /// in elements already (in_elements).
  static Result<TiledCopy> make(CopyAtom atom, const Layout& threads, const Layout& values);
  /// (thread, value) to the column-major index in a tile of these extents. Refuses what is no partition of the tile
  /// (cover.h), and threads or values that are no multiple of the atom's.
  static Result<TiledCopy> make(CopyAtom atom, const Layout& thread_value, const IntTuple& tile);
  /// For an operand of a tiled matrix instruction: each thread gets (or gives) what the instruction wants of it.
  static Result<TiledCopy> make(CopyAtom atom, const TiledMma& mma, Operand operand);

  const CopyAtom& atom() const { return atom_; }
  const Layout& thread_value() const { return thread_value_; }
  const IntTuple& tile() const { return tile_; }
  std::int64_t threads() const { return thread_value_.mode(0).size(); }
  /// (thread, (value of the atom, rest)) to the index in the tile, of what is read and of what is written; each mode
  /// coalesced.
  Result<Layout> side(Side side) const;
  Result<Layout> source() const { return side(Side::source); }
  Result<Layout> target() const { return side(Side::target); }
  /// (thread,values,(rest modes..)) to the values of a tensor with as many modes as the tile has: CUTLASS's tidfrg_S
  /// and _D. Refuses a tensor that the tile does not divide.
  Result<Layout> tidfrg(Side side, const Layout& tensor) const;
  Result<CoordinateLayout> tidfrg(Side side, const CoordinateLayout& tensor) const;
  /// What each thread reads (writes), (values, rest modes..), and where it starts: CUTLASS's partition_S and _D.
  Result<Shares<Layout>> shares(Side side, const Layout& tensor) const;
  Result<Shares<CoordinateLayout>> shares(Side side, const CoordinateLayout& tensor) const;
  Result<Sliced> partition(Side side, const Layout& tensor, std::int64_t thread) const;

  /// `u128 of 16 bits by ((8,16),8):((128,1),16), tile (16,64)`
  std::string text() const;
  /// Whether they are equal in everything that partitions depend on.
  friend bool operator==(const TiledCopy& a, const TiledCopy& b);

 private:
  TiledCopy(CopyAtom atom, Layout thread_value, IntTuple tile)
      : atom_(std::move(atom)), thread_value_(std::move(thread_value)), tile_(std::move(tile)) {}
  template <class Valued>
  Result<Valued> cut(Side side, const Valued& tensor) const;
  CopyAtom atom_;
  Layout thread_value_;
  IntTuple tile_;
};

}  // namespace reckon::layout
