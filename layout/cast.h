// Layouts of larger or smaller elements over the same memory (docs/layouts.md, "All functions").
#pragma once

#include "layout/layout.h"

namespace reckon::layout {

/// Offsets in units of n old elements. Leaf s:d becomes s:d/n where n divides d, and (s*d/n):1 where d divides n and
/// the new elements come out whole. Refused: neither divides the other; a leaf that ends inside of a new element; old
/// elements that neither fill the new ones nor sit alone at their starts; strides of both signs below n.
Result<Layout> upcast(const Layout& layout, std::int64_t n);
/// CuTe's: only the divisibility of the strides is demanded, sizes are rounded up.
Result<Layout> upcast_loose(const Layout& layout, std::int64_t n);
/// Offsets in n-th parts of an old element: the leaf of stride 1 becomes (s*n):1, all others s:d*n. Refused: no leaf,
/// or more than one, whose stride is 1 or -1; that stride -1.
Result<Layout> downcast(const Layout& layout, std::int64_t n);
/// From elements of old_bits to elements of new_bits: downcast<m>(upcast<n>) for new/old = n/m in lowest terms.
Result<Layout> recast(const Layout& layout, std::int64_t old_bits, std::int64_t new_bits);

}  // namespace reckon::layout
