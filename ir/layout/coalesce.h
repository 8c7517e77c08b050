// The canonical form of a layout (layouts.md, 2.1).
#pragma once

#include "ir/layout/layout.h"

namespace reckon::layout {

/// Flat, without modes of size 1, and no mode continuing the one before it; 1:0 if nothing is left. The same function,
/// and the only layout of this form that is: two layouts are equal as functions iff their canonical forms are
/// identical. (The length of the first mode is the longest run f(i) = i * f(1) from 0; the rest follows from f at its
/// multiples.)
Layout coalesce(const Layout& layout);

/// Mode by mode as the profile goes: an integer coalesces that mode, a tuple goes on inside, and modes past its end
/// stay as they are.
Result<Layout> coalesce(const Layout& layout, const IntTuple& profile);

}  // namespace reckon::layout
