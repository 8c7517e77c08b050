// The parts of which the rules of + - * / are made, over words (words.h): numbers and their parts, what is known of
// exponentials, and signs.
#pragma once

#include "numerics/padic/tables.h"

namespace reckon::numerics::padic::rules {

// --- Numbers ---

template <class W>
FlagOf<W> is_undefined(const Number<W>& x) {
  return x.digits() == 0;
}
template <class W>
FlagOf<W> is_infinite(const Number<W>& x) {
  return x.digits() == infinite_digits;
}
template <class W>
FlagOf<W> is_finite(const Number<W>& x) {
  return x.digits() - 1 < 4;
}
template <class W>
FlagOf<W> is_plain(const Number<W>& x) {
  return x.rest >> 24 == plain_rest >> 24;
}
template <class W>
FlagOf<W> are_plain(const Number<W>& x, const Number<W>& y) {
  return ((x.rest ^ plain_rest) | (y.rest ^ plain_rest)) >> 24 == 0;
}
template <class W>
FlagOf<W> is_clean(const Number<W>& x) {
  return (x.exponential() & 0xffffff) == clean;
}
template <class W>
FlagOf<W> is_zero(const Number<W>& x) {
  return (x.digits() == 4) & (x.a == 0) & (x.b() == 0);
}
template <class W>
Number<W> undefined(Cause cause) {
  return opened<W>(padic::undefined(cause));
}
template <class W>
Number<W> minus_infinity() {
  return opened<W>(padic::minus_infinity());
}
/// The same number with another b.
template <class W>
Number<W> with_b(const Number<W>& x, const W& b) {
  return {x.a, (x.rest & ~std::uint64_t{0xffff}) | b};
}
/// Makes a finite number whose digits are all known, clean and without ln2.
template <class W>
Number<W> plain_number(const W& a, const W& b, const W& c) {
  return {a, b | c << 16 | plain_rest};
}
template <class W>
W smaller(const W& x, const W& y) {
  return select(x < y, x, y);
}
template <class W>
Number<W> first_undefined(const Number<W>& x, const Number<W>& y) {
  return branch(
      is_undefined(x), [&] { return x; }, [&] { return y; });
}

// --- Their parts ---

template <class W>
W add_part(const W& x, const W& y, std::uint32_t modulus, std::uint32_t unknown) {
  const W sum = x + y;
  return select((x == unknown) | (y == unknown), unknown, select(sum < modulus, sum, sum - modulus));
}
template <class W>
W mul_part(const W& x, const W& y, std::uint32_t modulus, std::uint32_t unknown) {
  return select((x == unknown) | (y == unknown), unknown, small_remainder(x * y, modulus));
}
template <class W>
W negate_part(const W& x, std::uint32_t modulus, std::uint32_t unknown) {
  return select((x == unknown) | (x == 0), x, modulus - x);
}
// clang-format off
template <class W> W add_b(const W& x, const W& y) { return add_part(x, y, q, unknown_b); }
template <class W> W add_c(const W& x, const W& y) { return add_part(x, y, r, unknown_c); }
template <class W> W mul_b(const W& x, const W& y) { return mul_part(x, y, q, unknown_b); }
template <class W> W mul_c(const W& x, const W& y) { return mul_part(x, y, r, unknown_c); }
// clang-format on

/// `n` is a signed word.
template <class W>
Number<W> from_integer(const W& n) {
  const auto negative = is_negative(n);
  const W magnitude = select(negative, 0 - n, n);
  const auto modulo = [&](std::uint64_t m) {
    const W rest = magnitude % m;
    return select(negative & !(rest == 0), m - rest, rest);
  };
  return {form(modulo(p4)), modulo(q), modulo(r), 4, clean};
}

// --- What is known of exp(x + y), exp(-x), exp(x * y), exp(x / y) follows from what is known of exp(x) and exp(y) ---

template <class W>
struct Known {
  W b, c, ln2_power;
  explicit Known(const W& e) : b(e & 0xffff), c((e >> 16) & 0xff), ln2_power(e >> 24) {}
};
template <class W>
W joined_parts(const W& b, const W& c, const W& ln2_power) {
  return b | c << 16 | ln2_power << 24;
}

template <class W>
W of_sum(const Number<W>& x, const Number<W>& y) {
  const Known s(x.exponential()), t(y.exponential());
  // 0 means unknown and absorbs the other factor; with a power of ln 2 both parts are 1.
  const W both = joined_parts<W>(small_remainder(s.b * t.b, q), small_remainder(s.c * t.c, r), s.ln2_power);
  return select(is_zero(x), y.exponential(),
                select(is_zero(y), x.exponential(), select(s.ln2_power == t.ln2_power, both, 0)));
}

template <class W>
W inverted(const W& e) {
  const auto& t = tables_for(e);
  const Known s(e);
  return joined_parts<W>(t.inverse_q[s.b], t.inverse_r[s.c], s.ln2_power);
}

/// Twice the value, where it is n or n + 1/2 with |n| at most 2^11, in every part. (No other number of interest looks
/// like one.)
template <class W>
struct Halves {
  FlagOf<W> known, negative;
  W twice;  ///< without its sign
};
template <class W>
Halves<W> half_integer(const Number<W>& x) {
  constexpr std::uint64_t most = 1 << 12;
  const W twice = plain(add_modulo(x.a, x.a));
  const auto positive = twice < most + 1;
  const W n = select(positive, twice, p4 - twice);
  const W c = n % r;
  const auto same = (n < most + 1) & (add_b(x.b(), x.b()) == select(positive | (n == 0), n, q - n)) &
                    (add_c(x.c(), x.c()) == select(positive | (c == 0), c, r - c));
  return {FlagOf<W>(is_plain(x) & !(x.b() == unknown_b) & !(x.c() == unknown_c) & same), !positive, n};
}

/// exp(n/2 * x) = exp(x)^(n/2); the root of b is the one that is a square, as sqrt takes it.
template <class W>
W multiplied(const W& e, const W& twice, const FlagOf<W>& negative) {
  const Known s(e);
  return branch(
      e == clean, [&] { return e; },  //
      !(s.ln2_power == 0), [&] { return W(0); },
      [&] {
        const auto& t = tables_for(e);
        const auto odd = !((twice & 1) == 0);
        const W root = t.root_q[s.b];
        const W b = select(odd, select(root == Tables::none, 0, root), s.b), c = select(odd, 0, s.c);
        const W times = select(odd, twice, twice >> 1);
        const W raised = joined_parts<W>(select(b == 0, 0, small_power(b, times, q)),
                                         select(c == 0, 0, small_power(c, times, r)), 0);
        return select(negative, inverted(raised), raised);
      });
}

template <class W>
W of_product(const Number<W>& x, const Number<W>& y) {
  const Halves<W> m = half_integer(x), n = half_integer(y);
  return branch(
      m.known, [&] { return multiplied(y.exponential(), m.twice, m.negative); },  //
      n.known, [&] { return multiplied(x.exponential(), n.twice, n.negative); }, [] { return W(0); });
}
template <class W>
W of_quotient(const Number<W>& x, const Number<W>& y) {
  // x / 2 is x * 1/2, and x / (1/2) is x * 2.
  const Halves<W> n = half_integer(y);
  return branch(
      n.known & ((n.twice == 1) | (n.twice == 2) | (n.twice == 4)),
      [&] { return multiplied(x.exponential(), select(n.twice == 1, 4, select(n.twice == 2, 2, 1)), n.negative); },
      [] { return W(0); });
}
/// If x and y are known up to powers of ln 2, the powers add or subtract; otherwise the result is that of `rest`.
template <class W, class Rest>
W by_powers(const Number<W>& x, const Number<W>& y, bool product, Rest&& rest) {
  return branch(
      is_clean(x) & is_clean(y),
      [&] {
        const auto power = [](const W& e) { return (e >> 24 ^ 0x80) - 0x80; };
        const W s = power(x.exponential()), t = power(y.exponential());
        const W sum = product ? s + t : s - t;
        return select(sum + 100 < 201, (sum & 0xff) << 24 | clean, 0);
      },
      rest);
}

// --- The order's sign: 0 unknown, 1 negative, 2 zero, 3 positive ---

/// The two lowest digits, or only one if no more is known.
template <class W>
struct Low {
  W first, second;
};
template <class W>
Low<W> low_digits(const Number<W>& x) {
  const W two = plain(x.a) % p2;
  return {two % p, select(x.digits() == 1, 0, two / p)};
}
template <class W>
W sign_of(const Number<W>& x, const Low<W>& low) {
  const W digit = select(low.first == 0, low.second, low.first);
  return branch(
      !(digit == 0), [&] { return select(W(tables_for(x.a).index[digit]) == Tables::none, 1, 3); },
      [&] {  // 0 if every known digit is 0 and at least two are known
        const auto zero = ((x.digits() == 2) & (x.a % p2 == 0)) | ((x.digits() == 3) & (x.a % p3 == 0)) |
                          ((x.digits() == 4) & (x.a == 0));
        return select(zero, W(2), 0);
      });
}
template <class W>
W sign(const Number<W>& x) {
  return branch(
      is_undefined(x), [] { return W(0); },  //
      is_infinite(x), [] { return W(1); }, [&] { return sign_of(x, low_digits(x)); });
}

}  // namespace reckon::numerics::padic::rules
