// exp, log, roots and the circle functions of the ring, and what is defined through them (docs/algebra.md).
#pragma once

#include "numerics/padic/value.h"

namespace reckon::numerics::padic {

/// exp(a, b) = exp(p a) zeta^b, with the p-adic exponential series: a homomorphism from sums to products. A digit more
/// is known of it than of its operand.
Value exp(const Value& x);
/// Its inverse on H: a digit less is known.
Value log(const Value& x);
/// The root that lies in H, of what lies in H; of 0 it is 0. Its c is not known, so no sine of it is.
Value sqrt(const Value& x);
Value rsqrt(const Value& x);
/// Of every unit: 3 divides neither p - 1 nor q - 1. (It divides r - 1: c is not known.)
Value cbrt(const Value& x);
/// The parts of exp(p a i) eta^c in Z/p^4[i].
Value sin(const Value& x);
Value cos(const Value& x);

Value tan(const Value& x);
Value exp2(const Value& x);
Value expm1(const Value& x);
Value log2(const Value& x);
Value log1p(const Value& x);
Value sinh(const Value& x);
Value cosh(const Value& x);
Value tanh(const Value& x);
Value asinh(const Value& x);
Value acosh(const Value& x);
Value atanh(const Value& x);
Value hypot(const Value& x, const Value& y);
/// x^n by multiplications, sqrt(x)^n for y = n/2, |n| <= 4096; otherwise exp(y log x).
Value pow(const Value& x, const Value& y);

/// exp(1), log(2), and its inverse. `pi` is a unit without a meaning (it is positive; sin(pi) is not 0).
Value constant_e();
Value constant_ln2();
Value constant_log2e();
Value constant_pi();

}  // namespace reckon::numerics::padic
