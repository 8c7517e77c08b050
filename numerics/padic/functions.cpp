#include "numerics/padic/functions.h"

#include <algorithm>

#include "numerics/padic/arithmetic.h"
#include "numerics/padic/order.h"
#include "numerics/padic/tables.h"

namespace reckon::numerics::padic {

namespace {

constexpr std::uint64_t half_p2 = (p2 + 1) / 2;             // 1/2 modulo p^2
constexpr std::uint64_t sixth = small_inverse(6, p);        // 1/6 modulo p
constexpr std::uint64_t third = small_inverse(3, p);

std::uint8_t one_more(const Value& x) { return static_cast<std::uint8_t>(std::min(x.digits + 1, 4)); }

/// The exponential of a unit: a^(numerator/denominator), of a = zeta^w (1 + x).
struct Exponent {
  std::uint64_t first;   ///< s = numerator/denominator modulo p^4, in Montgomery's form
  std::uint64_t second;  ///< s (s - 1) / 2 modulo p^2
  std::uint64_t third;   ///< s (s - 1) (s - 2) / 6 modulo p
  std::uint64_t index;   ///< s modulo q
};
constexpr Exponent exponent(std::int64_t numerator, std::int64_t denominator) {
  const auto modulo = [&](std::uint64_t m, std::uint64_t group) {
    const auto inverse = [&](std::uint64_t x) {  // x^(group - 1) modulo m
      std::uint64_t out = 1;
      for (std::uint64_t e = group - 1; e > 0; e >>= 1) {
        if (e & 1) out = static_cast<std::uint64_t>(Word128{out} * x % m);
        x = static_cast<std::uint64_t>(Word128{x} * x % m);
      }
      return out;
    };
    const std::uint64_t top = numerator < 0 ? m - static_cast<std::uint64_t>(-numerator) : static_cast<std::uint64_t>(numerator);
    return static_cast<std::uint64_t>(Word128{top} * inverse(static_cast<std::uint64_t>(denominator)) % m);
  };
  Exponent out{};
  out.first = static_cast<std::uint64_t>(Word128{modulo(p4, p3 * (p - 1))} * one_form % p4);
  const std::uint64_t s2 = modulo(p2, p * (p - 1)), s1 = s2 % p;
  out.second = s2 * ((s2 + p2 - 1) % p2) % p2 * half_p2 % p2;
  out.third = s1 * ((s1 + p - 1) % p) % p * ((s1 + p - 2) % p) % p * sixth % p;
  out.index = modulo(q, q - 1);
  return out;
}

/// zeta^w (1 + x) with x = p v, as plain numbers, of what lies in H; w is none otherwise.
struct Split {
  std::uint16_t w = Tables::none;
  std::uint64_t x = 0;
};
Split split(const Tables& t, std::uint64_t a) {
  const std::uint16_t w = t.index[plain(a) % p];
  if (w == Tables::none) return {};
  const std::uint64_t rest = plain(multiply(a, t.zeta(w == 0 ? 0 : q - w)));
  return {w, rest - 1};
}

std::uint64_t raised(const Tables& t, const Split& s, const Exponent& e) {
  const std::uint64_t first = plain(multiply(e.first, form(s.x)));
  const std::uint64_t sum = series(first == p4 - 1 ? 0 : first + 1, s.x / p, e.second, e.third);
  return multiply(form(sum), t.zeta(s.w * e.index % q));
}

}  // namespace

Value exp(const Value& x) {
  if (is_undefined(x)) return x;
  if (is_infinite(x)) return Value{};
  if (x.b == unknown_b) return undefined(Cause::exp);
  const Tables& t = tables();
  const std::uint64_t v = plain(x.a) % p3;
  const std::uint64_t unit = series(1 + p * v, v, half_p2, sixth);
  // With a power of ln 2, and without what a logarithm brought along, nothing is known of the other parts.
  const Exponential& e = x.exponential;
  const bool known = e.ln2_power == 0;
  return {multiply(form(unit), t.zeta(x.b)), known && e.b != 0 ? e.b : unknown_b, known && e.c != 0 ? e.c : unknown_c,
          one_more(x), {}};
}

Value log(const Value& x) {
  if (is_undefined(x)) return x;
  if (is_infinite(x)) return undefined(Cause::infinity);
  if (x.digits == 1) return undefined(Cause::logarithm);
  const Tables& t = tables();
  const Split s = split(t, x.a);
  if (s.w == Tables::none) return undefined(Cause::logarithm);
  // log(1 + p v) / p = v - p v^2/2 + p^2 v^3/3 modulo p^3.
  const std::uint64_t v = s.x / p, v2 = v % p2, v1 = v % p;
  const std::uint64_t square = v2 * v2 % p2 * half_p2 % p2, cube = v1 * v1 % p * v1 % p * third % p;
  const std::uint64_t logarithm = (v + (p3 - p * square) + p2 * cube) % p3;
  // exp(log x) is positive, so its b is a square: otherwise sqrt(y y) = y would fail for it.
  const bool carries = x.b != unknown_b && t.root_q[x.b] != Tables::none;
  const Exponential carried{carries ? x.b : std::uint16_t{0}, x.c == unknown_c ? std::uint8_t{0} : x.c, 0};
  return {form(logarithm), s.w, unknown_c, static_cast<std::uint8_t>(x.digits - 1), carried};
}

namespace {

/// x^(1/2) and x^(-1/2).
Value root(const Value& x, const Exponent& e, bool inverted) {
  if (is_undefined(x)) return x;
  if (is_infinite(x)) return undefined(Cause::infinity);
  const Tables& t = tables();
  const Split s = split(t, x.a);
  if (s.w == Tables::none) return undefined(Cause::root);
  std::uint16_t b = x.b == unknown_b ? unknown_b : t.root_q[x.b];
  static_assert(unknown_b == Tables::none);
  if (inverted && b != unknown_b) b = b == 0 ? unknown_b : t.inverse_q[b];
  // 2 is no square modulo r, so no root modulo r is that of positive numbers.
  return {raised(t, s, e), b, unknown_c, x.digits,
          is_clean(x) && x.exponential.ln2_power == 0 ? Exponential{} : nothing_known};
}

}  // namespace

Value sqrt(const Value& x) {
  if (is_zero(x)) return x;
  static constexpr Exponent e = exponent(1, 2);
  return root(x, e, false);
}

Value rsqrt(const Value& x) {
  static constexpr Exponent e = exponent(-1, 2);
  return is_zero(x) ? undefined(Cause::division) : root(x, e, true);
}

Value cbrt(const Value& x) {
  if (is_undefined(x) || is_zero(x)) return x;
  if (is_infinite(x) || x.a % p == 0) return undefined(is_infinite(x) ? Cause::infinity : Cause::root);
  static constexpr Exponent e = exponent(1, 3);
  const Tables& t = tables();
  Split s = split(t, x.a);
  const bool negative = s.w == Tables::none;
  if (negative) s = split(t, p4 - x.a);
  const std::uint64_t a = raised(t, s, e);
  constexpr std::uint64_t third_of_group = (2 * (q - 1) + 1) / 3;  // 1/3 modulo q - 1
  static_assert(third_of_group * 3 % (q - 1) == 1);
  return {negative ? p4 - a : a, x.b == unknown_b ? unknown_b : static_cast<std::uint16_t>(small_power(x.b, third_of_group, q)),
          unknown_c, x.digits, is_clean(x) && x.exponential.ln2_power == 0 ? Exponential{} : nothing_known};
}

namespace {

/// cos and sin; their other parts are 1 and 0, for which the addition theorems hold, too.
Point on_circle(const Value& x) {
  const std::uint64_t v = plain(x.a) % p3;
  // cos(p v) = 1 - p^2 v^2/2, sin(p v) = p v - p^3 v^3/6.
  const Point fine{form(series(1, v, p2 - half_p2, 0)), form(series(p * v, v, 0, p - sixth))};
  return multiply(fine, tables().circle[x.c]);
}

template <class Function>
Value circular(const Value& x, Function&& function) {
  if (is_undefined(x)) return x;
  if (is_infinite(x)) return undefined(Cause::infinity);
  return x.c == unknown_c ? undefined(Cause::sine) : function(on_circle(x), one_more(x));
}
Value sin_of(const Point& point, std::uint8_t digits) { return {point.sin, 0, 0, digits, {}}; }
Value cos_of(const Point& point, std::uint8_t digits) { return {point.cos, 1, 1, digits, {}}; }

}  // namespace

Value sin(const Value& x) { return circular(x, sin_of); }
Value cos(const Value& x) { return circular(x, cos_of); }
Value tan(const Value& x) {
  return circular(x, [](const Point& point, std::uint8_t digits) { return div(sin_of(point, digits), cos_of(point, digits)); });
}

namespace {
const Value& ln2() {
  static const Value made = [] {
    Value out = log(from_integer(2));
    out.exponential = {1, 1, 1};
    return out;
  }();
  return made;
}
const Value& log2e() {
  static const Value made = div(from_integer(1), ln2());
  return made;
}
Value halved(const Value& x) {
  static const Value half = div(from_integer(1), from_integer(2));
  return mul(x, half);
}
Value one() { return from_integer(1); }
}  // namespace

Value constant_e() { return exp(one()); }
Value constant_ln2() { return ln2(); }
Value constant_log2e() { return log2e(); }
Value constant_pi() {
  // A square in every part.
  const Value root{form(3141592653589793238 % p4), 14159, 26, 4, {}};
  return mul(root, root);
}

Value exp2(const Value& x) { return exp(mul(x, ln2())); }
Value expm1(const Value& x) { return sub(exp(x), one()); }
Value log2(const Value& x) { return mul(log(x), log2e()); }
Value log1p(const Value& x) { return log(add(one(), x)); }
Value sinh(const Value& x) { return halved(sub(exp(x), exp(neg(x)))); }
Value cosh(const Value& x) { return halved(add(exp(x), exp(neg(x)))); }
Value tanh(const Value& x) { return div(sinh(x), cosh(x)); }
Value asinh(const Value& x) { return log(add(x, sqrt(add(mul(x, x), one())))); }
Value acosh(const Value& x) { return log(add(x, sqrt(sub(mul(x, x), one())))); }
Value atanh(const Value& x) { return halved(log(div(add(one(), x), sub(one(), x)))); }
Value hypot(const Value& x, const Value& y) { return sqrt(add(mul(x, x), mul(y, y))); }

Value pow(const Value& x, const Value& y) {
  if (is_undefined(x)) return x;
  if (const HalfInteger n = half_integer(y); n.known) {
    return n.twice % 2 == 0 ? integer_power(x, n.twice / 2) : integer_power(sqrt(x), n.twice);
  }
  return exp(mul(y, log(x)));
}

}  // namespace reckon::numerics::padic
