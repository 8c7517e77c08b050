#include "numerics/padic/random.h"

#include "numerics/padic/arithmetic.h"
#include "numerics/padic/order.h"
#include "numerics/padic/tables.h"

namespace reckon::numerics::padic {

Value random_value(std::uint64_t seed, Sign sign) {
  const auto below = [&](std::uint64_t bound) {
    return static_cast<std::uint64_t>((Word128{seed = mix(seed)} * bound) >> 64);
  };
  Value x;
  do {
    x.a = below(p4);  // Montgomery's form of a uniform number is uniform
  } while (sign != Sign::any && x.a % p == 0);
  x.b = static_cast<std::uint16_t>(below(q));
  x.c = static_cast<std::uint8_t>(below(r));
  const int wanted = sign == Sign::negative ? -1 : 1;
  const auto found = padic::sign(x);
  if (sign != Sign::any && found != wanted) x.a = p4 - x.a;
  const bool positive = sign == Sign::any ? found != -1 : wanted > 0;
  if (x.b != 0 && (tables().root_q[x.b] != Tables::none) != positive) x.b = static_cast<std::uint16_t>(q - x.b);
  return x;
}

}  // namespace reckon::numerics::padic
