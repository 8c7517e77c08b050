#include "numerics/padic/order.h"

#include <algorithm>

#include "numerics/padic/arithmetic.h"
#include "numerics/padic/tables.h"

namespace reckon::numerics::padic {

namespace {

/// The two lowest digits, or as many as are known.
struct Low {
  std::uint64_t first = 0, second = 0;
  bool all_zero = false;  ///< every known digit is, two at least
};
Low low_digits(const Value& x) {
  const std::uint64_t two = plain(x.a) % p2;
  constexpr std::uint64_t moduli[] = {1, p, p2, p3, p4};
  return {two % p, x.digits > 1 ? two / p : 0, x.digits > 1 && x.a % moduli[x.digits] == 0};
}

int character(std::uint64_t digit) { return tables().index[digit] != Tables::none ? 1 : -1; }

std::optional<int> sign_of(const Low& low) {
  if (low.first != 0) return character(low.first);
  if (low.second != 0) return character(low.second);
  if (low.all_zero) return 0;
  return std::nullopt;
}

/// A place in the order; of what has one known digit only the first counts.
std::optional<std::int64_t> key(const Value& x, bool first_only) {
  Low low = low_digits(x);
  const auto known = sign_of(low);
  if (!known) return std::nullopt;
  if (*known < 0) {
    const std::uint64_t two = (p2 - (low.first + p * low.second)) % p2;
    low.first = two % p, low.second = two / p;
  }
  const auto place = static_cast<std::int64_t>(tables().rank[low.first] * p + (first_only ? 0 : low.second));
  return *known * place;
}

bool same_digits(const Value& x, const Value& y, unsigned digits) {
  constexpr std::uint64_t moduli[] = {1, p, p2, p3, p4};
  return subtract_modulo(x.a, y.a) % moduli[digits] == 0;
}

/// Of two values that stand for one number, what either knows.
Value joined(const Value& x, const Value& y) {
  if (is_infinite(x)) return x;
  Value out = x.digits >= y.digits ? x : y;
  if (x.b != y.b) out.b = x.b == unknown_b ? y.b : y.b == unknown_b ? x.b : unknown_b;
  if (x.c != y.c) out.c = x.c == unknown_c ? y.c : y.c == unknown_c ? x.c : unknown_c;
  if (x.exponential != y.exponential) {
    out.exponential = x.exponential == nothing_known   ? y.exponential
                      : y.exponential == nothing_known ? x.exponential
                                                       : nothing_known;
  }
  return out;
}

Value extreme(const Value& x, const Value& y, int which) {
  if (is_undefined(x)) return x;
  if (is_undefined(y)) return y;
  const auto order = compare(x, y);
  if (!order) return undefined(Cause::order);
  if (*order == 0) return joined(x, y);
  return *order == which ? x : y;
}

}  // namespace

std::optional<int> sign(const Value& x) {
  if (is_undefined(x)) return std::nullopt;
  return is_infinite(x) ? -1 : sign_of(low_digits(x));
}

std::optional<int> compare(const Value& x, const Value& y) {
  if (is_undefined(x) || is_undefined(y)) return std::nullopt;
  if (is_infinite(x) || is_infinite(y)) return is_infinite(x) == is_infinite(y) ? 0 : is_infinite(x) ? -1 : 1;
  const unsigned digits = std::min(x.digits, y.digits);
  const auto s = key(x, digits < 2), t = key(y, digits < 2);
  if (!s || !t) return std::nullopt;
  if (*s != *t) return *s < *t ? -1 : 1;
  if (digits < 2 || !same_digits(x, y, digits)) return std::nullopt;
  return 0;
}

bool equal(const Value& x, const Value& y) {
  if (is_finite(x) && is_finite(y)) return same_digits(x, y, std::min(x.digits, y.digits));
  return is_infinite(x) && is_infinite(y);
}

Value max(const Value& x, const Value& y) { return extreme(x, y, 1); }
Value min(const Value& x, const Value& y) { return extreme(x, y, -1); }

Value abs(const Value& x) {
  if (is_undefined(x)) return x;
  if (is_infinite(x)) return undefined(Cause::infinity);
  const auto known = sign(x);
  if (!known) return undefined(Cause::order);
  Value out = *known < 0 ? neg(x) : x;
  // sqrt(x^2) has the root that is a square. Where the signs of a and b do not agree, b is left open.
  if (out.b != unknown_b && tables().root_q[out.b] == Tables::none) out.b = unknown_b;
  return out;
}

Value sign_value(const Value& x) {
  if (is_undefined(x)) return x;
  const auto known = sign(x);
  return known ? from_integer(*known) : undefined(Cause::order);
}

Value copysign(const Value& x, const Value& y) {
  if (is_undefined(y)) return y;
  const auto known = sign(y);
  if (!known) return undefined(Cause::order);
  return *known < 0 ? neg(abs(x)) : abs(x);
}

}  // namespace reckon::numerics::padic
