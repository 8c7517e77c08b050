// Conditions as the numbers 0 and 1, and `select`.
#pragma once

#include "prove/terms.h"

namespace reckon::ir::normal {

/// 1 if a > 0, else 0.
PolynomialId positive(Terms& t, PolynomialId a);
/// 1 if a = 0, else 0.
PolynomialId is_zero(Terms& t, PolynomialId a);
PolynomialId select(Terms& t, PolynomialId condition, PolynomialId a, PolynomialId b);

/// Whether the form is a polynomial in integer expressions with integer coefficients.
bool is_integral(const TermStore& t, PolynomialId id);

}  // namespace reckon::ir::normal
