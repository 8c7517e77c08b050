// Compact layouts in orders other than left and right (docs/layouts.md, "Coordinates and offsets").
#pragma once

#include "layout/layout.h"

namespace reckon::layout {

/// A compact layout in which the leaf (or sub-shape) of the least order comes first. An integer of the order covers a
/// whole sub-shape, which is laid out from left to right. Two equal order values would give overlapping strides, and
/// are refused. Leaves of size 1 have stride 0.
Result<Layout> make_ordered_layout(const IntTuple& shape, const IntTuple& order);
/// Compact, in the order of the strides of another layout (by absolute value; equal ones from left to right); strides 0
/// stay 0.
Result<Layout> make_layout_like(const Layout& layout);
/// Registers for a thread's part of a layout: mode 0 compact from the left first, the other modes after it in the order
/// of their strides; strides 0 stay 0.
Result<Layout> make_fragment_like(const Layout& layout);

/// A layout of n coordinates of the shape, taken greedily from the left: domain_distribute((15,14), 6) = (3,2):(1,15).
/// Refused if n does not come out.
Result<Layout> domain_distribute(const IntTuple& shape, std::int64_t n);

}  // namespace reckon::layout
