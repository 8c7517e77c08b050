// Substitution of index expressions for variables. The result is a form like any other: it may have other terms than
// the original (a sum over 0..2 of written-out elements, x[0] - x[i] at i = 0).
#pragma once

#include "prove/terms.h"

namespace reckon::ir::normal {

PolynomialId substitute(Terms& t, PolynomialId id, const Replacements& replacements);
PolynomialId substitute(Terms& t, MonomialId id, const Replacements& replacements);
PolynomialId substitute(Terms& t, AtomId id, const Replacements& replacements);
IndexId substitute(Terms& t, IndexId id, const Replacements& replacements);

/// Makes all parts again: by what is assumed, and with the common parts of angles.
PolynomialId revisit(Terms& t, PolynomialId id);

}  // namespace reckon::ir::normal
