// Forms as text, for people: tests, debugging.
#pragma once

#include <string>

#include "ir/normal/terms.h"

namespace reckon::ir::normal {

/// `2*x0[i] + e^(x1[])*sum[v0<n](x0[v0])`.
std::string text(const Module& module, const Terms& terms, PolynomialId id);

}  // namespace reckon::ir::normal
