// t + t^3/3 + t^5/5 + ... = atanh t, or with alternating signs atan t, to about 2^-100. Functions of two operands use
// it, because their results cannot all be tried.
#pragma once

#include "numerics/functions/pair.h"

namespace reckon::numerics {

/// For |t| <= 0.2.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> odd_series(B& b, const Pair<B>& t, bool alternating) {
  constexpr double leading[10][2] = {
      {0x1.5555555555555p-2, 0x1.5555555555555p-56},
      {0x1.999999999999ap-3, -0x1.999999999999ap-57},
      {0x1.2492492492492p-3, 0x1.2492492492492p-57},
      {0x1.c71c71c71c71cp-4, 0x1.c71c71c71c71cp-58},
      {0x1.745d1745d1746p-4, -0x1.745d1745d1746p-59},
      {0x1.3b13b13b13b14p-4, -0x1.3b13b13b13b14p-58},
      {0x1.1111111111111p-4, 0x1.1111111111111p-60},
      {0x1.e1e1e1e1e1e1ep-5, 0x1.e1e1e1e1e1e1ep-61},
      {0x1.af286bca1af28p-5, 0x1.af286bca1af28p-59},
      {0x1.8618618618618p-5, 0x1.8618618618618p-59}};
  const Pair<B> square = product(b, t, t);
  const Pair<B> z = alternating ? negated(b, square) : square;
  const auto tail =
      polynomial(b, z.high, {1.0 / 23, 1.0 / 25, 1.0 / 27, 1.0 / 29, 1.0 / 31, 1.0 / 33, 1.0 / 35, 1.0 / 37, 1.0 / 39,
                             1.0 / 41, 1.0 / 43, 1.0 / 45});
  const Pair<B> rest = product(b, product(b, t, z), polynomial(b, z, leading, tail));
  const Pair<B> high = fast_two_sum(b, t.high, rest.high);
  return fast_two_sum(b, high.high, b.add(high.low, b.add(t.low, rest.low)));
}

}  // namespace reckon::numerics
