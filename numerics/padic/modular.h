// Arithmetic modulo p^4 in Montgomery's form (P. Montgomery, "Modular multiplication without trial division", Math.
// Comp. 44, 1985): x is stored as x * 2^64, and a product costs three multiplications of words. Measured against
// Barrett's reduction: 2.0 ns against 2.9 ns.
#pragma once

#include "numerics/padic/words.h"

namespace reckon::numerics::padic {

/// x * y / 2^64 modulo p^4. For two numbers in Montgomery's form this is the product in that form; for a plain number
/// and one in the form it is the plain product.
template <class W>
constexpr W multiply(const W& x, const std::type_identity_t<W>& y) {
  constexpr std::uint64_t inverse = [] {  // the inverse of p^4 modulo 2^64, by Newton's iteration
    std::uint64_t z = 1;
    for (int i = 0; i < 6; ++i) z *= 2 - p4 * z;
    return z;
  }();
  const W multiple = x * y * inverse;
  const W out = high_product(x, y) - high_product(multiple, p4);
  return select(is_negative(out), out + p4, out);
}

inline constexpr std::uint64_t one_form = static_cast<std::uint64_t>((Word128{1} << 64) % p4);
inline constexpr std::uint64_t form_of_form = static_cast<std::uint64_t>(Word128{one_form} * one_form % p4);

/// Conversions into Montgomery's form and out of it; plain numbers are below p^4.
template <class W>
constexpr W form(const W& plain) {
  return multiply(plain, form_of_form);
}
template <class W>
constexpr W plain(const W& x) {
  return multiply(x, 1);
}

template <class W>
constexpr W add_modulo(const W& x, const std::type_identity_t<W>& y) {
  const W sum = x + y;
  return select(sum < p4, sum, sum - p4);
}
template <class W>
constexpr W subtract_modulo(const W& x, const std::type_identity_t<W>& y) {
  return select(x < y, x + (p4 - y), x - y);
}
template <class W>
constexpr W negate_modulo(const W& x) {
  return select(x == 0, x, p4 - x);
}

constexpr std::uint64_t power(std::uint64_t x, std::uint64_t exponent) {
  std::uint64_t out = one_form;
  for (; exponent > 0; exponent >>= 1, x = multiply(x, x)) {
    if (exponent & 1) out = multiply(out, x);
  }
  return out;
}

/// x^exponent modulo a prime below 2^16.
template <class W>
constexpr W small_power(const W& x, const std::type_identity_t<W>& exponent, std::uint32_t prime) {
  struct State {
    W out, power, rest;
    constexpr auto fields() { return std::tie(out, power, rest); }
  };
  return loop<W>(
             State{1, x, exponent}, [](const State& s) { return !(s.rest == 0); },
             [prime](const State& s) {
               const W out = select((s.rest & 1) == 0, s.out, small_remainder(s.out * s.power, prime));
               return State{out, small_remainder(s.power * s.power, prime), s.rest >> 1};
             })
      .out;
}
/// 1/x modulo an odd prime; x is not a multiple of it.
constexpr std::uint64_t small_inverse(std::uint64_t x, std::uint32_t prime) { return small_power(x, prime - 2, prime); }

/// Elements 1 + x that are 1 modulo p, as plain numbers, by the power series in x = p * v, which has three terms left:
/// 1 + x + second * v^2 * p^2 + third * v^3 * p^3. `first` is 1 + x as a plain number modulo p^4.
template <class W>
constexpr W series(const W& first, const W& v, std::uint64_t second, std::uint64_t third) {
  const W v2 = v % p2, v1 = v % p;
  const W square = v2 * v2 % p2 * second % p2;
  const W cube = small_remainder(small_remainder(small_remainder(v1 * v1, p) * v1, p) * third, p);
  const W sum = first + square * p2;  // below 2 p^4
  return add_modulo(select(sum < p4, sum, sum - p4), cube * p3);
}

}  // namespace reckon::numerics::padic
