// + - * / of the ring. An undefined operand spreads; -inf takes part in sums, and in products with positive values.
#pragma once

#include "numerics/padic/field_rules.h"

namespace reckon::numerics::padic {

// rules::AddAny and rules::MulAny, for values that are not plain.
Value add_any(const Value& x, const Value& y);
Value mul_any(const Value& x, const Value& y);

// The rules' Add and Mul are repeated here: over a Value's parts g++ 12 makes them twice as fast as over its words.
inline std::uint32_t add_part(std::uint32_t x, std::uint32_t y, std::uint32_t modulus, std::uint32_t unknown) {
  const std::uint32_t sum = x + y;
  const std::uint32_t reduced = sum >= modulus ? sum - modulus : sum;
  return ((x == unknown) | (y == unknown)) ? unknown : reduced;
}
inline std::uint32_t mul_part(std::uint32_t x, std::uint32_t y, std::uint32_t modulus, std::uint32_t unknown) {
  return ((x == unknown) | (y == unknown)) ? unknown : x * y % modulus;
}
inline Value add(const Value& x, const Value& y) {
  if (!is_plain(x) || !is_plain(y)) [[unlikely]] return add_any(x, y);
  return {add_modulo(x.a, y.a), static_cast<std::uint16_t>(add_part(x.b, y.b, q, unknown_b)),
          static_cast<std::uint8_t>(add_part(x.c, y.c, r, unknown_c)), 4, {}};
}
inline Value mul(const Value& x, const Value& y) {
  if (!is_plain(x) || !is_plain(y)) [[unlikely]] return mul_any(x, y);
  const std::uint64_t a = multiply(x.a, y.a);
  if (a == 0) [[unlikely]] return mul_any(x, y);
  return {a, static_cast<std::uint16_t>(mul_part(x.b, y.b, q, unknown_b)),
          static_cast<std::uint8_t>(mul_part(x.c, y.c, r, unknown_c)), 4, {}};
}
Value neg(const Value& x);
inline Value sub(const Value& x, const Value& y) { return add(x, neg(y)); }
/// There is no rounding to avoid, so this is the sum of the product and z.
inline Value fma(const Value& x, const Value& y, const Value& z) { return add(mul(x, y), z); }
Value div(const Value& x, const Value& y);

/// 1/x modulo p^4, in Montgomery's form; x is a unit.
std::uint64_t inverse(std::uint64_t x);

/// An integer, n/2^k and n/m, exactly, in every part. If the denominator is a multiple of p, the value is undefined;
/// if it is a multiple of q or of r, b or c is unknown.
Value from_integer(std::int64_t n);

/// Twice the value, if the value is n or n + 1/2 with |n| at most 2^11, in every part; otherwise nothing.
/// (No other number of interest looks like one.)
struct HalfInteger {
  bool known = false;
  std::int32_t twice = 0;
};
HalfInteger half_integer(const Value& x);

/// x^n for n of either sign; only by multiplications if n >= 0.
Value integer_power(const Value& x, std::int32_t n);

}  // namespace reckon::numerics::padic
