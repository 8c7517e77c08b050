// Forms that bind variables, and lookups. The binders' variables are temporaries, each in the scope of those before it.
#pragma once

#include <vector>

#include "prove/terms.h"

namespace reckon::ir::normal {

PolynomialId sum(Terms& t, const std::vector<Binder>& binders, PolynomialId body);
PolynomialId product(Terms& t, const std::vector<Binder>& binders, PolynomialId body);
/// The largest value.
PolynomialId supremum(Terms& t, const std::vector<Binder>& binders, PolynomialId body);

/// The element of a written-out tensor; the atom is a lookup.
PolynomialId lookup(Terms& t, Atom atom);
/// Whether a written-out tensor is indexed by the variable.
bool looks_up(const TermStore& t, PolynomialId id, VariableId variable);

}  // namespace reckon::ir::normal
