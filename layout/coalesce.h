// The canonical form of a layout (docs/layouts.md, "Equality").
#pragma once

#include <vector>

#include "layout/layout.h"

namespace reckon::layout {

/// Flat, without modes of size 1, and without a mode that continues the one before it; 1:0 if nothing is left. It is
/// the same function, and the only layout of this form that is: two layouts are equal as functions iff their canonical
/// forms are identical. (The length of the first mode is the longest run f(i) = i * f(1) from 0; the rest follows from
/// f at its multiples.)
Layout coalesce(const Layout& layout);

/// Coalesces mode by mode as the profile says: an integer coalesces its mode, a tuple is applied to the mode's own
/// modes, and modes past the profile's end stay as they are.
Result<Layout> coalesce(const Layout& layout, const IntTuple& profile);

/// One rewrite of two neighbours of a flat layout; each is the same function of the index.
struct Rewrite {
  enum class Rule {
    left_unit,   ///< (1,M):(d,s) is M:s
    right_unit,  ///< (M,1):(d,s) is M:d
    packed,      ///< (M,N):(d,M*d) is M*N:d
  } rule{};
  std::size_t at = 0;  ///< the first of the two modes
  Layout result;       ///< the whole layout after it
};
/// The rewrites that take flatten(layout) to the canonical form, leftmost first: at most one less than the layout has
/// modes, because each removes a mode. (If a single mode of size 1 is left, it also gets stride 0.)
std::vector<Rewrite> coalesce_steps(const Layout& layout);

}  // namespace reckon::layout
