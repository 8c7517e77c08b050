// The elementary functions of f32 and narrower formats, correctly rounded, one source for every evaluator.
//
// Each computes in f64 and pairs of f64s (pair.h) with a relative error below some 2^-56, without branches and tables, and
// rounds to odd, so that one more rounding into the format is the only one that counts. What is proven and what is tested:
// the error is estimated, not proven, in each file; that no argument lies closer to a rounding boundary is tested on all
// 2^32 f32 arguments and all 2^16 of f16 and of bf16 (bench/exhaustive.cpp), which decides for these formats; functions of two
// operands have their own argument (two_operands.h). 8-bit formats
// and tf32 are among them: their arguments are f32 values.
#pragma once

#include "numerics/elementary.h"
#include "numerics/functions/error_function.h"
#include "numerics/functions/exponential.h"
#include "numerics/functions/inverse_trigonometric.h"
#include "numerics/functions/logarithm.h"
#include "numerics/functions/root.h"
#include "numerics/functions/trigonometric.h"
#include "numerics/functions/two_operands.h"

namespace reckon::numerics {

/// f(x) as an f64 that, rounded once into f32 or a narrower format, is the correctly rounded f(x); x is a value of such a
/// format. A NaN, and what has no real answer, gives a NaN.
template <Function function, ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 elementary(B& b, typename B::F64 x) {
  if constexpr (function == Function::exp) return exp_odd(b, x);
  if constexpr (function == Function::exp2) return exp2_odd(b, x);
  if constexpr (function == Function::expm1) return expm1_odd(b, x);
  if constexpr (function == Function::log) return log_odd(b, x);
  if constexpr (function == Function::log2) return log2_odd(b, x);
  if constexpr (function == Function::log1p) return log1p_odd(b, x);
  if constexpr (function == Function::sin) return sin_odd(b, x);
  if constexpr (function == Function::cos) return cos_odd(b, x);
  if constexpr (function == Function::tan) return tan_odd(b, x);
  if constexpr (function == Function::asin) return asin_odd(b, x);
  if constexpr (function == Function::acos) return acos_odd(b, x);
  if constexpr (function == Function::atan) return atan_odd(b, x);
  if constexpr (function == Function::sinh) return sinh_odd(b, x);
  if constexpr (function == Function::cosh) return cosh_odd(b, x);
  if constexpr (function == Function::tanh) return tanh_odd(b, x);
  if constexpr (function == Function::asinh) return asinh_odd(b, x);
  if constexpr (function == Function::acosh) return acosh_odd(b, x);
  if constexpr (function == Function::atanh) return atanh_odd(b, x);
  if constexpr (function == Function::erf) return erf_odd(b, x);
  if constexpr (function == Function::cbrt) return cbrt_odd(b, x);
  if constexpr (function == Function::sqrt) return b.sqrt(x);
  if constexpr (function == Function::rsqrt) return rsqrt_wide(b, x);
}

/// The same, chosen at run time.
template <ArithmeticBuilder B>
typename B::F64 elementary(B& b, Function function, typename B::F64 x) {
  switch (function) {
    case Function::exp: return elementary<Function::exp>(b, x);
    case Function::exp2: return elementary<Function::exp2>(b, x);
    case Function::expm1: return elementary<Function::expm1>(b, x);
    case Function::log: return elementary<Function::log>(b, x);
    case Function::log2: return elementary<Function::log2>(b, x);
    case Function::log1p: return elementary<Function::log1p>(b, x);
    case Function::sin: return elementary<Function::sin>(b, x);
    case Function::cos: return elementary<Function::cos>(b, x);
    case Function::tan: return elementary<Function::tan>(b, x);
    case Function::asin: return elementary<Function::asin>(b, x);
    case Function::acos: return elementary<Function::acos>(b, x);
    case Function::atan: return elementary<Function::atan>(b, x);
    case Function::sinh: return elementary<Function::sinh>(b, x);
    case Function::cosh: return elementary<Function::cosh>(b, x);
    case Function::tanh: return elementary<Function::tanh>(b, x);
    case Function::asinh: return elementary<Function::asinh>(b, x);
    case Function::acosh: return elementary<Function::acosh>(b, x);
    case Function::atanh: return elementary<Function::atanh>(b, x);
    case Function::erf: return elementary<Function::erf>(b, x);
    case Function::cbrt: return elementary<Function::cbrt>(b, x);
    case Function::sqrt: return elementary<Function::sqrt>(b, x);
    case Function::rsqrt: return elementary<Function::rsqrt>(b, x);
  }
  return x;
}

/// Functions of two operands; atan2(y, x), pow(x, y).
template <BinaryFunction function, ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 elementary(B& b, typename B::F64 x, typename B::F64 y) {
  if constexpr (function == BinaryFunction::atan2) return atan2_wide(b, x, y);
  if constexpr (function == BinaryFunction::pow) return pow_wide(b, x, y);
  if constexpr (function == BinaryFunction::hypot) return hypot_wide(b, x, y);
}

template <ArithmeticBuilder B>
typename B::F64 elementary(B& b, BinaryFunction function, typename B::F64 x, typename B::F64 y) {
  switch (function) {
    case BinaryFunction::atan2: return elementary<BinaryFunction::atan2>(b, x, y);
    case BinaryFunction::pow: return elementary<BinaryFunction::pow>(b, x, y);
    case BinaryFunction::hypot: return elementary<BinaryFunction::hypot>(b, x, y);
  }
  return x;
}

}  // namespace reckon::numerics
