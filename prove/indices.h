// Integer expressions: simplifying them, and reading them as numbers and conditions.
#pragma once

#include "prove/terms.h"

namespace reckon::ir::normal {

/// The same integer, simplified: quotients of sums, remainders as differences, by the ranges of variables.
IndexId simplified(Terms& t, IndexId id);
PolynomialId number(Terms& t, IndexId id);
/// 0 or 1.
PolynomialId condition(Terms& t, IndexId id);

}  // namespace reckon::ir::normal
