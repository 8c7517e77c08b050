// Compositions that the digit rule refuses: decided by evaluation, and the refusal in words.
#pragma once

#include "layout/digits.h"
#include "layout/problem.h"

namespace reckon::layout {

/// A composition that some offset leaves 64 bits of.
Problem overflowing(const Layout& a, const Layout& b);

/// The layout that a(b(c)) is after all, or the refusal that `compose` documents.
Result<Layout> fit_composition(const Layout& a, const Layout& b, const Modes& digits, const Carry& carry);

}  // namespace reckon::layout
