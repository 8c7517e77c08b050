// What two layouts have in common, and how far one is contiguous: what vectors a copy can use (docs/layouts.md).
#pragma once

#include "layout/composed.h"
#include "layout/layout.h"

namespace reckon::layout {

/// The layout R with a(R(i)) = b(R(i)) = i for all i < size(R): the coordinates of elements that are contiguous, in the
/// same order, in both. As many as divide the contiguous runs of both. A swizzle on a side limits R to 2^base, which
/// its runs keep; with an offset inside, or any other composed layout, R is 1:0.
Layout max_common_layout(const AnyLayout& a, const AnyLayout& b);
/// Its size.
std::int64_t max_common_vector(const AnyLayout& a, const AnyLayout& b);

/// The width of vectors from the contiguous run that all other strides keep aligned.
std::int64_t max_alignment(const Layout& layout);

}  // namespace reckon::layout
