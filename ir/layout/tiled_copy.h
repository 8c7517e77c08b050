// A copy instruction spread over threads and values (CUTLASS's TiledCopy; layouts.md, 2.14), and the checks that every
// thread-value layout should pass.
#pragma once

#include <optional>

#include "ir/layout/atoms/copy_atom.h"
#include "ir/layout/layout.h"
#include "ir/layout/tiled_mma.h"

namespace reckon::layout {

class TiledCopy {
 public:
  /// Threads and values as layouts of the same two (or more) modes: thread (i,j) takes the block (i,j) of values.
  static Result<TiledCopy> make(CopyAtom atom, const Layout& threads, const Layout& values);
  /// Thread and value to the column-major index of a tile of these extents. Refuses what does not cover the tile.
  static Result<TiledCopy> make(CopyAtom atom, const Layout& thread_value, const IntTuple& tile);
  /// For an operand of a tiled matrix instruction: each thread gets (or gives) what the instruction wants of it.
  static Result<TiledCopy> make(CopyAtom atom, const TiledMma& mma, Operand operand);

  const CopyAtom& atom() const { return atom_; }
  const Layout& thread_value() const { return thread_value_; }
  const IntTuple& tile() const { return tile_; }
  /// (thread, (value of the atom, rest)) to the index in the tile, of the side that is read and that is written.
  Result<Layout> source() const;
  Result<Layout> target() const;
  /// What one thread reads (writes) of a tensor of as many modes as the tile: (value, rest modes), and its offset.
  Result<TiledMma::Part> partition_source(const Layout& tensor, std::int64_t thread) const;
  Result<TiledMma::Part> partition_target(const Layout& tensor, std::int64_t thread) const;

 private:
  TiledCopy(CopyAtom atom, Layout thread_value, IntTuple tile);
  CopyAtom atom_;
  Layout thread_value_;
  IntTuple tile_;
};

/// Nothing, or why a thread-value layout is no partition of 0..size-1: an element that no thread owns, an element that
/// two threads own (both named), an index past the end. Modes of stride 0 (copies) do not count.
std::optional<Problem> partition_problem(const Layout& thread_value, std::int64_t size);

}  // namespace reckon::layout
