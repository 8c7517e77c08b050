#include "numerics/padic/arithmetic.h"

#include <algorithm>

#include "numerics/padic/order.h"
#include "numerics/padic/tables.h"

namespace reckon::numerics::padic {

namespace {

using E = Exponential;

// What is known of exp(x + y), exp(-x), exp(x * y), exp(x / y) follows from what is known of exp(x) and exp(y).
E of_sum(const Value& x, const Value& y) {
  if (is_zero(x)) return y.exponential;
  if (is_zero(y)) return x.exponential;
  const E &s = x.exponential, &t = y.exponential;
  if (s.ln2_power != t.ln2_power) return nothing_known;
  // 0, unknown, absorbs; with a power of ln 2 both are 1.
  return {static_cast<std::uint16_t>(s.b * std::uint32_t{t.b} % q), static_cast<std::uint8_t>(s.c * std::uint32_t{t.c} % r),
          s.ln2_power};
}

E inverted(E s) {
  return {tables().inverse_q[s.b], tables().inverse_r[s.c], s.ln2_power};
}

/// exp(n/2 * x) = exp(x)^(n/2), and a root of b is the one that is a square, as sqrt takes it.
E multiplied(E s, std::int32_t twice) {
  if (s == E{}) return s;
  if (s.ln2_power != 0) return nothing_known;
  std::uint32_t b = s.b, c = s.c;
  if (twice % 2 != 0) {
    b = tables().root_q[b] == Tables::none ? 0 : tables().root_q[b];
    c = 0;
  } else {
    twice /= 2;
  }
  const auto times = static_cast<std::uint64_t>(std::abs(twice));
  s = {static_cast<std::uint16_t>(b == 0 ? 0 : small_power(b, times, q)),
       static_cast<std::uint8_t>(c == 0 ? 0 : small_power(c, times, r)), 0};
  return twice < 0 ? inverted(s) : s;
}

E of_product(const Value& x, const Value& y, int direction) {
  const E &s = x.exponential, &t = y.exponential;
  if (is_clean(x) && is_clean(y)) {
    const int power = s.ln2_power + direction * t.ln2_power;
    return power < -100 || power > 100 ? nothing_known : E{1, 1, static_cast<std::int8_t>(power)};
  }
  if (direction > 0) {
    if (const HalfInteger n = half_integer(x); n.known) return multiplied(t, n.twice);
    if (const HalfInteger n = half_integer(y); n.known) return multiplied(s, n.twice);
  } else if (const HalfInteger n = half_integer(y); n.known && n.twice != 0 && 4 % n.twice == 0) {
    // x / 2 is x * 1/2, x / (1/2) is x * 2.
    return multiplied(s, 4 / n.twice);
  }
  return nothing_known;
}

const Value& first_undefined(const Value& x, const Value& y) { return is_undefined(x) ? x : y; }

}  // namespace

Value add_any(const Value& x, const Value& y) {
  if (is_undefined(x) || is_undefined(y)) return first_undefined(x, y);
  if (is_infinite(x) || is_infinite(y)) return minus_infinity();
  return {add_modulo(x.a, y.a), add_b(x.b, y.b), add_c(x.c, y.c), std::min(x.digits, y.digits), of_sum(x, y)};
}

Value neg(const Value& x) {
  if (!is_finite(x)) return is_infinite(x) ? undefined(Cause::infinity) : x;
  return {x.a == 0 ? 0 : p4 - x.a, static_cast<std::uint16_t>(x.b == unknown_b || x.b == 0 ? x.b : q - x.b),
          static_cast<std::uint8_t>(x.c == unknown_c || x.c == 0 ? x.c : r - x.c), x.digits,
          x.exponential == E{} ? x.exponential : inverted(x.exponential)};
}

Value mul_any(const Value& x, const Value& y) {
  if (is_undefined(x) || is_undefined(y)) return first_undefined(x, y);
  if (is_infinite(x) || is_infinite(y)) {
    const Value& other = is_infinite(x) ? y : x;
    const auto sign = is_infinite(other) ? std::nullopt : padic::sign(other);
    return sign == 1 ? minus_infinity() : undefined(Cause::infinity);
  }
  if (is_zero(x) || is_zero(y)) return Value{};
  return {multiply(x.a, y.a), mul_b(x.b, y.b), mul_c(x.c, y.c), std::min(x.digits, y.digits), of_product(x, y, 1)};
}

std::uint64_t inverse(std::uint64_t x) {
  // Newton's iteration doubles the digits: 1, 2, 4.
  const std::uint64_t known = plain(x), known2 = known % p2;
  const std::uint64_t one_digit = tables().inverse[known % p];
  const std::uint64_t two_digits = one_digit * ((2 + p2 - one_digit * known2 % p2) % p2) % p2;
  const std::uint64_t start = form(two_digits), two = 2 * one_form % p4;
  return multiply(start, subtract_modulo(two, multiply(start, x)));
}

Value div(const Value& x, const Value& y) {
  if (is_undefined(x) || is_undefined(y)) return first_undefined(x, y);
  if (is_infinite(y)) return undefined(Cause::infinity);
  if (y.a % p == 0) return undefined(Cause::division);
  if (is_infinite(x)) return padic::sign(y) == 1 ? x : undefined(Cause::infinity);
  if (is_zero(x)) return x;
  const std::uint16_t b = y.b == 0 || y.b == unknown_b ? unknown_b : tables().inverse_q[y.b];
  const std::uint8_t c = y.c == 0 || y.c == unknown_c ? unknown_c : tables().inverse_r[y.c];
  return {multiply(x.a, inverse(y.a)), mul_b(x.b, b), mul_c(x.c, c), std::min(x.digits, y.digits),
          is_plain(x) && is_plain(y) ? E{} : of_product(x, y, -1)};
}

Value from_integer(std::int64_t n) {
  const auto modulo = [n](std::int64_t m) { return static_cast<std::uint64_t>((n % m + m) % m); };
  return {form(modulo(static_cast<std::int64_t>(p4))), static_cast<std::uint16_t>(modulo(q)),
          static_cast<std::uint8_t>(modulo(r)), 4, {}};
}

HalfInteger half_integer(const Value& x) {
  constexpr std::int64_t most = 1 << 12;
  if (!is_plain(x) || x.b == unknown_b || x.c == unknown_c) return {};
  const std::uint64_t twice = plain(add_modulo(x.a, x.a));
  std::int64_t n = 0;
  if (twice <= most) n = static_cast<std::int64_t>(twice);
  else if (p4 - twice <= most) n = -static_cast<std::int64_t>(p4 - twice);
  else return {};
  const Value whole = from_integer(n);
  if (add_b(x.b, x.b) != whole.b || add_c(x.c, x.c) != whole.c) return {};
  return {true, static_cast<std::int32_t>(n)};
}

Value integer_power(const Value& x, std::int32_t n) {
  if (is_undefined(x)) return x;
  if (is_infinite(x)) return n == 1 ? x : undefined(Cause::infinity);
  Value out = from_integer(1), square = x;
  for (std::uint32_t rest = static_cast<std::uint32_t>(std::abs(n)); rest > 0; rest >>= 1) {
    if (rest & 1) out = mul(out, square);
    if (rest > 1) square = mul(square, square);
  }
  return n < 0 ? div(from_integer(1), out) : out;
}

}  // namespace reckon::numerics::padic
