// The elementary functions of f32 and narrower formats, correctly rounded, one source for every evaluator.
//
// Without branches and tables. Those that programs use most are plain f64: exp, exp2, expm1, log, log2, log1p,
// sin, cos, sinh, cosh, tanh and erf. Their errors, 2^-43 to 2^-51, change no result: the coefficients are such that
// every argument comes out right. The others compute in f64 and pairs of f64s (pair.h) with a relative error below some
// 2^-56, and round to odd, so that only the final rounding into the format matters. What is proven, and what is tested:
// the error is estimated, not proven, in each file; that no argument lies on the wrong side of a rounding boundary is
// tested on all 2^32 f32 arguments (of exp10, log10 and lgamma so far one of 16; of sinpi, cospi, tanpi, erfc and gamma
// one of 4001, in three directions) and all 2^16 of f16 and of bf16 (bench/exhaustive.cpp), which decides for these
// formats; functions of two operands have their own argument (two_operands.h). 8-bit formats and tf32 are among them:
// their arguments are f32 values.
#pragma once

#include "numerics/elementary.h"
#include "numerics/functions/error_function.h"
#include "numerics/functions/exponential.h"
#include "numerics/functions/gamma.h"
#include "numerics/functions/half_turns.h"
#include "numerics/functions/inverse_trigonometric.h"
#include "numerics/functions/logarithm.h"
#include "numerics/functions/root.h"
#include "numerics/functions/rootn.h"
#include "numerics/functions/trigonometric.h"
#include "numerics/functions/two_operands.h"

namespace reckon::numerics {

/// f(x) as an f64 that gives the correctly rounded f(x) if it is rounded once into f32 or a narrower format; x is a
/// value of such a format. A NaN, and an operand without a real answer, gives a NaN.
template <Function function, ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 elementary(B& b, typename B::F64 x) {
#define RECKON_FUNCTION(name) \
  if constexpr (function == Function::name) return name##_wide(b, x);
#include "numerics/functions.def"
  if constexpr (function == Function::sqrt) return b.sqrt(x);
}

/// The same for functions of two operands: atan2(y, x), pow(x, y), rootn(x, n).
template <BinaryFunction function, ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 elementary(B& b, typename B::F64 x, typename B::F64 y) {
#define RECKON_FUNCTION_OF_TWO(name) \
  if constexpr (function == BinaryFunction::name) return name##_wide(b, x, y);
#include "numerics/functions.def"
}

/// The same for a function that is chosen at run time.
template <ArithmeticBuilder B>
typename B::F64 elementary(B& b, Function function, typename B::F64 x) {
  switch (function) {
#define RECKON_FUNCTION(name) \
  case Function::name: return elementary<Function::name>(b, x);
#include "numerics/functions.def"
    case Function::sqrt: return elementary<Function::sqrt>(b, x);
  }
  return x;
}
template <ArithmeticBuilder B>
typename B::F64 elementary(B& b, BinaryFunction function, typename B::F64 x, typename B::F64 y) {
  switch (function) {
#define RECKON_FUNCTION_OF_TWO(name) \
  case BinaryFunction::name: return elementary<BinaryFunction::name>(b, x, y);
#include "numerics/functions.def"
  }
  return x;
}

/// Calls use(bounds, within) for a function that has bounds, where within(b, x) is `elementary` for x within them, or a
/// NaN; the result is false for another.
template <class Use>
bool with_bounds(Function function, Use&& use) {
  switch (function) {
#define RECKON_BOUNDED(name) \
  case Function::name: use(name##_bounds, [](auto& b, auto x) { return name##_within(b, x); }); return true;
    RECKON_BOUNDED(exp)
    RECKON_BOUNDED(expm1)
    RECKON_BOUNDED(sinh)
    RECKON_BOUNDED(cosh)
    RECKON_BOUNDED(tanh)
    RECKON_BOUNDED(erf)
#undef RECKON_BOUNDED
    default: return false;
  }
}

}  // namespace reckon::numerics
