// + - * / of the ring. Undefined is contagious; -inf takes part in sums, and in products with what counts as positive.
#pragma once

#include "numerics/padic/modular.h"

namespace reckon::numerics::padic {

// Everything that is not plain: unknown digits, logarithms, -inf, undefined.
Value add_any(const Value& x, const Value& y);
Value mul_any(const Value& x, const Value& y);

inline std::uint16_t add_b(std::uint32_t x, std::uint32_t y) {
  const std::uint32_t sum = x + y;
  const std::uint32_t reduced = sum >= q ? sum - q : sum;
  return static_cast<std::uint16_t>((x == unknown_b) | (y == unknown_b) ? unknown_b : reduced);
}
inline std::uint8_t add_c(std::uint32_t x, std::uint32_t y) {
  const std::uint32_t sum = x + y;
  const std::uint32_t reduced = sum >= r ? sum - r : sum;
  return static_cast<std::uint8_t>((x == unknown_c) | (y == unknown_c) ? unknown_c : reduced);
}
inline std::uint16_t mul_b(std::uint32_t x, std::uint32_t y) {
  return static_cast<std::uint16_t>((x == unknown_b) | (y == unknown_b) ? unknown_b : x * y % std::uint32_t{q});
}
inline std::uint8_t mul_c(std::uint32_t x, std::uint32_t y) {
  return static_cast<std::uint8_t>((x == unknown_c) | (y == unknown_c) ? unknown_c : x * y % std::uint32_t{r});
}

inline Value add(const Value& x, const Value& y) {
  if (!is_plain(x) || !is_plain(y)) [[unlikely]] return add_any(x, y);
  return {add_modulo(x.a, y.a), add_b(x.b, y.b), add_c(x.c, y.c), 4, {}};
}
inline Value mul(const Value& x, const Value& y) {
  if (!is_plain(x) || !is_plain(y)) [[unlikely]] return mul_any(x, y);
  const std::uint64_t a = multiply(x.a, y.a);
  if (a == 0) [[unlikely]] return mul_any(x, y);  // 0 itself makes unknown parts known
  return {a, mul_b(x.b, y.b), mul_c(x.c, y.c), 4, {}};
}
Value neg(const Value& x);
inline Value sub(const Value& x, const Value& y) { return add(x, neg(y)); }
/// No rounding to save: the sum of the product.
inline Value fma(const Value& x, const Value& y, const Value& z) { return add(mul(x, y), z); }
Value div(const Value& x, const Value& y);

/// 1/x modulo p^4, in Montgomery's form, of a unit.
std::uint64_t inverse(std::uint64_t x);

/// An integer, and n/2^k, n/m: exactly, in every part. A multiple of p in the denominator is undefined, of q or of r
/// makes b or c unknown.
Value from_integer(std::int64_t n);

/// Twice the value, where it is n or n + 1/2 with |n| at most 2^11, in every part; otherwise nothing.
/// (No other number of interest looks like one.)
struct HalfInteger {
  bool known = false;
  std::int32_t twice = 0;
};
HalfInteger half_integer(const Value& x);

/// x^n for n of any sign; by multiplications alone where n >= 0.
Value integer_power(const Value& x, std::int32_t n);

}  // namespace reckon::numerics::padic
