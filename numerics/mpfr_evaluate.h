// The elementary functions under MPFR's own names. Private to this folder.
#pragma once

#include <mpfr.h>

#include "numerics/elementary.h"

namespace reckon::numerics {

/// f(x) rounded once to the precision of `result`. Returns MPFR's ternary value: the sign of (result - exact).
int mpfr_evaluate(Function function, mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding);
int mpfr_evaluate(BinaryFunction function, mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t rounding);
/// The constant, on the side that the rounding gives, to the precision of `result`.
void mpfr_evaluate(RealConstant constant, mpfr_ptr result, mpfr_rnd_t rounding);

}  // namespace reckon::numerics
