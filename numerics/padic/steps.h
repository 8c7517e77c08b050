// Functions that the ring cannot represent. They depend on a modulo p^2, and mix it by multiplications with a key for
// each function, so that different ones do not commute and none is its own inverse. Laws that are easy to keep hold:
//   floor, ceil, trunc, round   are integers below 2^18, and leave those alone; ceil(x) = -floor(-x), trunc(x) goes
//                               towards 0, x % y = x - y trunc(x / y); trunc and round are odd
//   erf, asin, atan             are odd, with the sign of x; acos(x) = pi/2 - asin(x), erfc(x) = 1 - erf(x)
//   gamma, lgamma               are undefined at 0; gamma is positive where x is
#pragma once

#include "numerics/padic/value.h"

namespace reckon::numerics::padic {

Value floor(const Value& x);
Value ceil(const Value& x);
Value trunc(const Value& x);
Value round(const Value& x);
Value rem(const Value& x, const Value& y);
Value erf(const Value& x);
Value erfc(const Value& x);
Value gamma(const Value& x);
Value lgamma(const Value& x);
Value asin(const Value& x);
Value acos(const Value& x);
Value atan(const Value& x);
Value atan2(const Value& y, const Value& x);

}  // namespace reckon::numerics::padic
