// A copy instruction spread over threads and values (CUTLASS's TiledCopy; layouts.md, 2.14).
#pragma once

#include "ir/layout/atoms/copy_atom.h"
#include "ir/layout/layout.h"
#include "ir/layout/slice.h"
#include "ir/layout/tiled/mma.h"

namespace reckon::layout {

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
  Result<Layout> source() const;
  Result<Layout> target() const;
  /// What one thread reads (writes) of a tensor with as many modes as the tile has: (values, rest modes..), and where
  /// it starts. Refuses a tensor that the tile does not divide.
  Result<Sliced> partition_source(const Layout& tensor, std::int64_t thread) const;
  Result<Sliced> partition_target(const Layout& tensor, std::int64_t thread) const;

 private:
  TiledCopy(CopyAtom atom, Layout thread_value, IntTuple tile)
      : atom_(std::move(atom)), thread_value_(std::move(thread_value)), tile_(std::move(tile)) {}
  Result<Layout> side(const Layout& of_atom) const;
  Result<Sliced> partition(const Result<Layout>& side, const Layout& tensor, std::int64_t thread) const;
  CopyAtom atom_;
  Layout thread_value_;
  IntTuple tile_;
};

}  // namespace reckon::layout
