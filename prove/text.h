// Forms as text, for people: tests, debugging.
#pragma once

#include <string>

#include "prove/store.h"

namespace reckon::ir::normal {

/// `2*x0[0] + e^(x1[])*sum[%0<n](x0[%0])`: parameters and bound variables by number; `?` marks a range that may be
/// empty.
std::string text(const Module& module, const TermStore& terms, PolynomialId id);

}  // namespace reckon::ir::normal
