// Broadcast modes, those of stride 0: removing them, and what they alone do (docs/layouts.md, "All functions").
#pragma once

#include "layout/layout.h"
#include "layout/problem.h"

namespace reckon::layout {

/// Leaves of stride 0 get extent 1; nested as before.
Layout filter_zeros(const Layout& layout);
/// Leaves get extent 1 where `profile`, weakly congruent to the layout's shape, has a 0.
Result<Layout> filter_zeros(const Layout& layout, const IntTuple& profile);

/// The same image without the broadcasts: coalesce(filter_zeros(layout)).
Layout filter(const Layout& layout);
/// The same mode by mode, as coalesce(layout, profile).
Result<Layout> filter(const Layout& layout, const IntTuple& profile);

/// The indices made of broadcast digits alone: layout(nullspace(i)) = 0, of size layout.size() /
/// filter_zeros(layout).size(). Canonical.
Layout nullspace(const Layout& layout);

}  // namespace reckon::layout
