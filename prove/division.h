// Division: 1/p for a p of several terms is a power of a group, an atom that stands for p (Terms::inverse).
#pragma once

#include "prove/terms.h"

namespace reckon::ir::normal {

/// Divides by groups, until no term over a group is a multiple of the group's leading monomial.
void reduce(Terms& t, Accumulator& terms);

/// The polynomial times all its denominators: where it is defined, it is 0 if and only if the result is.
PolynomialId cleared(Terms& t, PolynomialId a);
bool same_where_defined(Terms& t, PolynomialId a, PolynomialId b);

}  // namespace reckon::ir::normal
