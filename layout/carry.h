// Compositions that the digit rule refuses: decided by evaluation, and the refusal in words.
#pragma once

#include "layout/digits.h"
#include "layout/problem.h"

namespace reckon::layout {

/// The problem that an offset of the composition does not fit in 64 bits.
Problem overflowing(const Layout& a, const Layout& b);

/// The layout that a(b(c)) is in spite of the digit rule, or the refusal that `compose` documents.
Result<Layout> fit_composition(const Layout& a, const Layout& b, const Modes& digits, const Carry& carry);

}  // namespace reckon::layout
