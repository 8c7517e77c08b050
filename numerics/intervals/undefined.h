// Why an operation of intervals has no value, in words.
#pragma once

namespace reckon::numerics::intervals {

struct Reason {
  const char* message;
  const char* help;
};

inline constexpr Reason by_zero{"division by an interval that holds only 0 has no value",
                                "keep the divisor from being 0"};
inline constexpr Reason no_integer{"the exponent of `ldexp` holds no integer",
                                   "round the exponent first: `ldexp(x, floor(k))`"};
inline constexpr Reason outside_domain{"no value of this interval lies in the operation's domain", ""};

}  // namespace reckon::numerics::intervals
