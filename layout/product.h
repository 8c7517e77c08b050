// A layout repeated at the positions of another one (docs/layouts.md, "Tiles"): (A, A* o B), A* a complement of A.
#pragma once

#include "layout/layout.h"
#include "layout/tiler.h"

namespace reckon::layout {

/// (A, A* o B): the copy j of A starts at A*(B(j)), and copies for different B(j) do not meet. Unlike CuTe, A* is never
/// shorter than the range of B, which would make copies overlap: (2,2):(3,8) x 2:3 is ((2,2),2):((3,8),16), not 3.
/// A tuple of tilers works mode by mode, each on its own mode's strides only. Refused: negative strides in B; an A
/// without complement; A* o B being no layout; by mode, copies in one mode that meet elements of another (looked for
/// as `injective` does).
Result<Layout> logical_product(const Layout& a, const Tiler& b);
/// ((A0,A1),(B0,B1)); ((A0,A1),B0,B1); (A0,A1,B0,B1).
Result<Layout> zipped_product(const Layout& a, const Tiler& b);
Result<Layout> tiled_product(const Layout& a, const Tiler& b);
Result<Layout> flat_product(const Layout& a, const Tiler& b);

/// Mode i is (A_i, B_i): blocks of A side by side. Both get modes 1:0 up to the greater rank.
Result<Layout> blocked_product(const Layout& a, const Layout& b);
/// Mode i is (B_i, A_i): A's elements spread, copies interleaved.
Result<Layout> raked_product(const Layout& a, const Layout& b);

/// Copies of the block that fill a shape, mode by mode, laid out in the order given (of modes, the least first; from
/// left to right without one). Refused: more modes in the block than in the shape; a block that does not divide it.
Result<Layout> tile_to_shape(const Layout& block, const IntTuple& shape);
Result<Layout> tile_to_shape(const Layout& block, const IntTuple& shape, const IntTuple& order);

}  // namespace reckon::layout
