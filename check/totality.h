// Whether circuits have a value for every input, as far as the signs of their operands show it: a sum of exponentials
// is positive, and so may be a divisor.
#pragma once

#include "frontend/elaborate.h"

namespace reckon::check {

/// True if every operation of both circuits that is not defined for all reals has operands in its domain: divisors and
/// operands of logarithms and roots that are positive (or not negative) by their form or by the check's ranges, and
/// operands of inverse functions that stay within their domain. False means that this is not known.
bool are_total(const ir::Module& module, const frontend::ElaboratedItem& item);

}  // namespace reckon::check
