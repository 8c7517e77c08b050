// Composition, a after b (docs/layouts.md): first the digit rule, which is sound, then a fit of what it leaves open.
#pragma once

#include "layout/composed.h"
#include "layout/layout.h"
#include "layout/problem.h"

namespace reckon::layout {

/// The most points of a composition that the digit rule leaves open and that is decided by evaluation.
inline constexpr std::int64_t composed_points = std::int64_t{1} << 20;

/// The layout R with R(c) = a(b(c)) for all coordinates c of b, whose shape refines b's leaf by leaf. `a` is taken past
/// its end as in CuTe (`extended`); `within` says whether that happens. Refused as `carry` or `no_layout` only where
/// there is no such layout (`at` is the index that refutes it), as `out_of_range` where b is negative and `a` has more
/// than one mode, as `too_large`, or as `undecided` where b has more than `composed_points` points.
Result<Layout> compose(const Layout& a, const Layout& b);

/// Never refuses: a layout if there is one, else the composed function with the reason why there is none.
AnyLayout compose_any(const Layout& a, const Layout& b);
AnyLayout compose_any(const AnyLayout& a, const AnyLayout& b);
/// Neighbouring swizzles are joined to one where that is possible.
AnyLayout compose_any(const Swizzle& a, const AnyLayout& b);
/// Sw' o a where a's strides carry the swizzle's bits to the bits of another swizzle; else a o Sw as it stands. Either
/// has a's shape: it is a function of the index, 0 .. size(a) - 1.
AnyLayout compose_any(const AnyLayout& a, const Swizzle& b);

/// The problem that b leaves a's indices 0 .. size - 1, with b's least or greatest value; nothing if it does not.
std::optional<Problem> leaves_domain(const Layout& a, const Layout& b);

}  // namespace reckon::layout
