// Whether circuits have a value for every input, seen by signs: a sum of exponentials is above 0, and may divide.
#pragma once

#include "frontend/elaborate.h"

namespace reckon::check {

/// True if every operation of both circuits that is not defined for all reals has operands for which it is: divisors,
/// logarithms and roots of what is above 0 (or not below) by its form or by the check's ranges, inverse functions of
/// what stays within their domain. False says nothing.
bool are_total(const ir::Module& module, const frontend::ElaboratedItem& item);

}  // namespace reckon::check
