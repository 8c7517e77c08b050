// The elementary functions of f64, correctly rounded to nearest even, one source for every evaluator.
//
// Each function computes a Triple (triple.h) without branches, with a relative error below 2^-122 or so, and rounds it
// once, also to a subnormal number. What is proven, what is estimated, and what is tested:
//   * The errors are estimated, not proven, in the comment of each file. Measured against MPFR with 400 bits, on
//     some 10^4 to 10^5 arguments of each function, the largest one is 2^-128, and 2^-105 for hypot, which needs no
//     more (root64.h).
//   * No f64 has a value closer to a midpoint of two f64s than about 2^-118 of it, exact cases apart. This is not
//     proven here. It rests on exhaustive searches by others for functions of one operand (Lefevre and Muller, "Worst
//     cases for correct rounding of the elementary functions in double precision", ARITH 15, 2001, and their later
//     lists; the CORE-MATH project), and where these do not cover a function's whole domain, on statistics: 2^63
//     arguments whose values are scattered like random bits come as close as 2^-117. Errors of 2^-128 are then on the
//     wrong side of a midpoint somewhere with a probability of 2^-10 for each function. The tests try published hard
//     cases (tests/data/f64_hard_cases.txt).
//   * Values that are midpoints are treated exactly: powers of exp10 and pow are recognised, hypot has an exact
//     remainder, and atan2's Triple keeps what decides a tie of subnormal numbers. All other functions have no midpoint
//     as a value, by the theorem of Lindemann and Weierstrass, or because a root has more bits when it is raised (of
//     erf this is not proven); sinpi, cospi and tanpi have no rational values but 0, 1 and -1 (half_turns.h).
//   * pow, rootn and atan2: that no pair of operands has a result closer to a midpoint than the error is not proven,
//   only very
//     unlikely (power64.h, rootn64.h).
#pragma once

#include "numerics/elementary.h"
#include "numerics/functions64/error_function64.h"
#include "numerics/functions64/exponential64.h"
#include "numerics/functions64/gamma64.h"
#include "numerics/functions64/half_turns64.h"
#include "numerics/functions64/inverse_trigonometric64.h"
#include "numerics/functions64/logarithm64.h"
#include "numerics/functions64/power64.h"
#include "numerics/functions64/root64.h"
#include "numerics/functions64/rootn64.h"
#include "numerics/functions64/trigonometric64.h"

namespace reckon::numerics {

/// f(x) rounded to the nearest f64, ties to even. A NaN, and an operand without a real answer, gives the canonical NaN.
template <Function function, ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 elementary_f64(B& b, typename B::F64 x) {
#define RECKON_FUNCTION(name) \
  if constexpr (function == Function::name) return name##_f64(b, x);
#include "numerics/functions.def"
  if constexpr (function == Function::sqrt) return sqrt_f64(b, x);
}

/// The same for functions of two operands: atan2(y, x), pow(x, y), rootn(x, n).
template <BinaryFunction function, ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 elementary_f64(B& b, typename B::F64 x, typename B::F64 y) {
#define RECKON_FUNCTION_OF_TWO(name) \
  if constexpr (function == BinaryFunction::name) return name##_f64(b, x, y);
#include "numerics/functions.def"
}

}  // namespace reckon::numerics
