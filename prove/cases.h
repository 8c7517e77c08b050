// Proofs by cases.
#pragma once

#include "prove/terms.h"

namespace reckon::ir::normal {

/// Equality in every case of the order of two forms, where the forms differ as they stand. `depth`: how many orders are
/// considered one within the other.
bool equal_by_cases(Terms& t, PolynomialId a, PolynomialId b, int depth);

}  // namespace reckon::ir::normal
