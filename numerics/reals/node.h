// The nodes that a Real points to; only for the files of this folder.
#pragma once

#include <atomic>
#include <new>

#include "numerics/reals/real.h"

namespace reckon::numerics {

/// The signs that a value may have, as its operations tell: 1 negative, 2 zero, 4 positive. A sum of exponentials is
/// known to be positive without computing it.
using Signs = std::uint8_t;
inline constexpr Signs negative = 1, zero = 2, positive = 4, any_sign = 7;
Signs signs_of(const Real& a);
constexpr Signs signs_of(int sign) { return sign < 0 ? negative : sign > 0 ? positive : zero; }

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

/// The most bits of one number, because GMP ends the program at a somewhat larger size. shift() throws std::bad_alloc.
inline constexpr std::int64_t longest_shift = std::int64_t{1} << 34;  // 2 GiB of bits
inline mp_bitcnt_t shift(std::int64_t by) {
  if (by > longest_shift) throw std::bad_alloc();
  return static_cast<mp_bitcnt_t>(by);
}

struct RealNode {
  enum class Kind : std::uint8_t { dyadic, rational, expression };
  explicit RealNode(Kind which) : kind(which) {}
  mutable std::atomic<std::uint32_t> references{1};
  const Kind kind;
};

struct DyadicNode : RealNode {
  DyadicNode(mpz_class value, std::int64_t power)
      : RealNode(Kind::dyadic), mantissa(std::move(value)), exponent(power) {}
  mpz_class mantissa;      ///< odd, longer than 64 bits, or with an exponent beyond 32
  std::int64_t exponent;
};

struct RationalNode : RealNode {
  explicit RationalNode(mpq_class number) : RealNode(Kind::rational), value(std::move(number)) {}
  mpq_class value;         ///< in lowest terms; the denominator is not a power of two
};

struct Expression : RealNode {
  Expression(RealFunction what, Real x, Real y, Signs possible);
  const RealFunction function;
  mutable std::atomic<Signs> signs;
  const std::uint64_t hash;    ///< the same for identical expressions
  Real a, b;                   ///< a constant's factor, or the operands
  // This is guarded by refine.cpp's lock.
  mutable Ball ball;
  mutable long precision = 0;  ///< the precision of `ball`; 0: it was not computed
  Expression* next_dying = nullptr;
};

inline const DyadicNode* as_dyadic(const Real& a) {
  return a.node() && a.node()->kind == RealNode::Kind::dyadic ? static_cast<const DyadicNode*>(a.node()) : nullptr;
}
inline const Expression* as_expression(const Real& a) {
  return a.node() && a.node()->kind == RealNode::Kind::expression ? static_cast<const Expression*>(a.node()) : nullptr;
}
/// The expression, if its function is this one.
inline const Expression* as_function(const Real& a, RealFunction function) {
  const Expression* expression = as_expression(a);
  return expression && expression->function == function ? expression : nullptr;
}
/// k, if the value is 2^k.
std::optional<std::int64_t> power_of_two(const Real& a);
/// The value, if it is an integer below 2^62 in magnitude.
std::optional<std::int64_t> small_integer(const Real& a);

Real make(RealFunction function, const Real& a, const Real& b, Signs possible);
inline Real make(RealFunction function, const Real& a, Signs possible) { return make(function, a, Real(), possible); }

std::uint64_t hash_of(const Real& a);

/// A ball of an expression times 10^shift, as low and high times 2^exponent.
struct BallEndpoints {
  mpz_class low, high;
  long exponent = 0;
};
std::optional<BallEndpoints> ball_ends(const Real& a, long shift, long bits);

}  // namespace reckon::numerics
