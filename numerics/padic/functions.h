// exp, log, roots, sine and cosine of the ring, and the functions defined by them (docs/algebra.md).
#pragma once

#include "numerics/padic/value.h"

namespace reckon::numerics::padic {

/// exp(a, b) = exp(p a) zeta^b, with the p-adic exponential series: a homomorphism from sums to products. One digit
/// more is known of the result than of the operand.
Value exp(const Value& x);
/// The inverse of exp on H: one digit less is known of it.
Value log(const Value& x);
/// The root in H of an operand in H; the root of 0 is 0. Its c is not known, so it has no sine.
Value sqrt(const Value& x);
Value rsqrt(const Value& x);
/// Defined for every unit: 3 divides neither p - 1 nor q - 1. (It divides r - 1, so c is not known.)
Value cbrt(const Value& x);
/// The two parts of exp(p a i) eta^c in Z/p^4[i].
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
/// x^n by multiplications for y = n, sqrt(x)^n for y = n/2, |n| <= 4096; otherwise exp(y log x).
Value pow(const Value& x, const Value& y);

/// exp(1), log(2), and its inverse. `pi` is an arbitrary unit (it is positive, but sin(pi) is not 0).
Value constant_e();
Value constant_ln2();
Value constant_log2e();
Value constant_pi();

}  // namespace reckon::numerics::padic
