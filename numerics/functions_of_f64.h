// The elementary functions of f64 over arrays, correctly rounded to nearest even, for the interpreter.
//
// functions64/quick.h computes a value in two doubles, whose error is estimated to be below 2^-75 or so of it. Such a
// value is the result only if every error up to 2^-65 leaves the rounding as it is; otherwise, once in 2^11 random
// arguments, and where a result is 0 or subnormal, MPFR computes it (numerics/elementary.h), as it does on machines
// without AVX2.
#pragma once

#include <cstddef>

#include "numerics/elementary.h"

namespace reckon::numerics {

/// f of each element; `result` may be `x`. NaNs as mpfr_unary has them.
void nearest_f64(Function function, const double* x, double* result, std::size_t count);
/// The same for two operands; `result` may be one of them.
void nearest_f64(BinaryFunction function, const double* x, const double* y, double* result, std::size_t count);

}  // namespace reckon::numerics
