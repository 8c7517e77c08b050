// exp, log, roots, sine and cosine of the ring, and the functions defined by them (docs/algebra.md).
#pragma once

#include "numerics/padic/value.h"

namespace reckon::numerics::padic {

// The elementary functions, by their names.
//   exp(a, b) = exp(p a) zeta^b, with the p-adic exponential series: a homomorphism from sums to products. One digit
//   more
//     is known of the result than of the operand.
//   log is the inverse of exp on H: one digit less is known of it.
//   sqrt is the root in H of an operand in H; the root of 0 is 0. Its c is not known, so it has no sine.
//   cbrt is defined for every unit: 3 divides neither p - 1 nor q - 1. (It divides r - 1, so c is not known.)
//   sin and cos are the two parts of exp(p a i) eta^c in Z/p^4[i].
//   rootn(x, n) is pow(x, 1/n), and -pow(-x, 1/n) of a negative x for an odd n, |n| <= 2048.
//   pow is x^n by multiplications for y = n, sqrt(x)^n for y = n/2, |n| <= 4096; otherwise exp(y log x).
#define RECKON_FUNCTION(name) Value name(const Value& x);
#define RECKON_FUNCTION_OF_TWO(name) Value name(const Value& x, const Value& y);
#include "numerics/functions.def"
Value sqrt(const Value& x);

/// exp(1), log(2), and its inverse. `pi` is an arbitrary unit (it is positive, but sin(pi) is not 0).
Value constant_e();
Value constant_ln2();
Value constant_log2e();
Value constant_pi();

}  // namespace reckon::numerics::padic
