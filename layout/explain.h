// Explains operations step by step, as text.
#pragma once

#include <string>

#include "layout/layout.h"

namespace reckon::layout {

/// The rewrites of `coalesce`, one a line, with their rules.
std::string explain_coalesce(const Layout& layout);
/// The digits of the first layout, where each mode of the second lands in them, and what they add up to; the refusal
/// and what is returned instead, if the digit rule refuses.
std::string explain_compose(const Layout& a, const Layout& b);
/// The modes in the order of their strides, and what fills the room between them.
std::string explain_complement(const Layout& a, const IntTuple& target);

}  // namespace reckon::layout
