// -inf under `exact`: one element below all reals, so that masks and seeds of maxima can be written (as in `padic`).
//
// exp(-inf) = 0, max(-inf, x) = x, -inf + x = -inf. Its product with a positive number, and its quotient by one, is
// -inf. It is less than every real. All other operations on it are undefined: nothing here is a limit from above.
#pragma once

#include <optional>

#include "interp/semantics.h"
#include "numerics/reals/real.h"

namespace reckon::interp {

/// The value of an operation of which at least one operand is -inf; nothing if it has none. Signs are computed with at
/// most `limit` bits.
std::optional<numerics::Real> with_below_all(ir::Op op, const numerics::Real* operands, numerics::Limit limit);

/// The same for a comparison.
bool compares_below_all(ir::Op op, const numerics::Real& a, const numerics::Real& b);

Fault no_value_of_below_all(ir::Op op);

}  // namespace reckon::interp
