// Random elements of the ring, which are the inputs of a check.
#pragma once

#include "numerics/padic/value.h"

namespace reckon::numerics::padic {

enum class Sign : std::uint8_t { any, positive, negative };

/// A bijection of words: the output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
template <class W>
requires(sizeof(W) >= 8)
constexpr W mix(W z) {
  z = z + 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}
constexpr std::uint64_t mix(std::uint64_t z) { return mix<std::uint64_t>(z); }

/// The element of a seed. Its a is uniform modulo p^4 (to 2^-60), or among the positive or the negative units; b is
/// uniform among those that have the sign of a, so that sqrt(x^2) = |x| holds in b, too; c is uniform.
Value random_value(std::uint64_t seed, Sign sign);

}  // namespace reckon::numerics::padic
