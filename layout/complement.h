// Layouts that complete another one to a tiling of an interval (docs/layouts.md, "Complements and inverses").
#pragma once

#include "layout/layout.h"
#include "layout/problem.h"

namespace reckon::layout {

/// The layout R, increasing, such that every offset 0 .. |F| |R| - 1 is F(j) + R(i) in exactly one way, where F =
/// filter(a), and |F| |R| is at least the size of `target`. A tuple as target is divided mode by mode, as CuTe does:
/// 3:1 has the complement 8:3 in 24, and 12:3 in (4,6). Where that falls short of the size, the size is divided
/// instead: 36:1 in (16,32) has 15:36, not CuTe's 11:36.
///
/// Refused where there is none: `negative_stride`; `overlap` (a mode starts below the end of those under it); `gap` (a
/// stride is not a multiple of what is under it). These are the only cases: an interval is a direct sum only of sets
/// of mixed-radix digits (de Bruijn, On number systems, 1956).
Result<Layout> complement(const Layout& a, const IntTuple& target);
/// The complement within a's own offsets: the target is cosize(filter(a)).
Result<Layout> complement(const Layout& a);

/// CuTe's complement. Where `complement` finds a gap, it rounds strides down, so that the sums F(j) + R(i) are still
/// distinct, but leave offsets out, and may end before the target. Refused for `negative_stride` and `overlap`.
Result<Layout> complement_loose(const Layout& a, const IntTuple& target);
Result<Layout> complement_loose(const Layout& a);

}  // namespace reckon::layout
