// The values of `padic`: elements of Z/p^4 x Z/q x Z/r, each part with a purpose (docs/algebra.md has the mathematics).
//
//   a, modulo p^4: the value. Results are compared on it alone.
//   b, modulo q = (p - 1) / 2: exists only for exp. The image of exp is p^3 values of the form 1 + p * x times the q
//      Teichmueller elements of H; a modulo p^3 determines which of the first, b which of the second.
//   c, modulo r, a prime that divides p + 1: the same for sin and cos.
// p and q are prime and p = 15 modulo 16, so that 2 is a square and -1 is not, modulo p and modulo q. So are 3 and 5,
// and 7 modulo p. None of this holds modulo r. H, the squares among the units modulo p, stands for positive numbers.
#pragma once

#include <bit>
#include <cstdint>

namespace reckon::numerics::padic {

inline constexpr std::uint64_t p = 39119, q = 19559, r = 163;
inline constexpr std::uint64_t p2 = p * p, p3 = p2 * p, p4 = p3 * p;
static_assert(p == 2 * q + 1 && p % 16 == 15 && (p + 1) % r == 0 && p4 < std::uint64_t{1} << 62);

/// Why a value is undefined: the operation that has no value.
enum class Cause : std::uint16_t {
  division,   ///< by a multiple of p
  root,       ///< of what is not in H
  logarithm,  ///< of what is not in H, or of what has one known digit
  exp,        ///< of a value whose b is not known
  sine,       ///< of a value whose c is not known
  order,      ///< two values that only their higher digits tell apart
  step,       ///< floor, erf, ... of a value with one known digit
  infinity,   ///< -inf where only a number will do
  constant,   ///< a rational whose denominator is a multiple of p
};

/// What is known of exp(value) besides its first part: its b and c (0: unknown), 1 for most values. exp(log y) has the
/// b of y, so a logarithm carries it along. `ln2_power` k: the value is ln2^k times one for which both are 1, so
/// that nothing is lost if x is multiplied by log2e and ln2.
struct Exponential {
  std::uint16_t b = 1;
  std::uint8_t c = 1;
  std::int8_t ln2_power = 0;
  friend bool operator==(const Exponential&, const Exponential&) = default;
};

struct Value {
  std::uint64_t a = 0;  ///< the value times 2^64 modulo p^4 (Montgomery's form); known modulo p^digits
  std::uint16_t b = 0;  ///< or unknown_b; for an undefined value: its Cause
  std::uint8_t c = 0;   ///< or unknown_c
  std::uint8_t digits = 4;
  Exponential exponential;
};
static_assert(sizeof(Value) == 16);

inline constexpr std::uint16_t unknown_b = 0xffff;
inline constexpr std::uint8_t unknown_c = 0xff;
inline constexpr std::uint8_t infinite_digits = 15;  ///< the `digits` of -inf
inline constexpr Exponential nothing_known{0, 0, 0};

constexpr Value undefined(Cause cause) {
  return {.a = 0, .b = static_cast<std::uint16_t>(cause), .c = 0, .digits = 0, .exponential = {}};
}
constexpr Value minus_infinity() { return {.a = 0, .b = 0, .c = 0, .digits = infinite_digits, .exponential = {}}; }

constexpr bool is_undefined(const Value& x) { return x.digits == 0; }
constexpr bool is_infinite(const Value& x) { return x.digits == infinite_digits; }
constexpr bool is_finite(const Value& x) { return x.digits - 1u < 4u; }
constexpr Cause cause(const Value& x) { return static_cast<Cause>(x.b); }
/// Whether exp(x) has b = c = 1.
constexpr bool is_clean(const Value& x) { return x.exponential.b == 1 && x.exponential.c == 1; }
/// Whether x is finite, clean, without ln2, and all of its digits are known, as of nearly all values.
constexpr bool is_plain(const Value& x) {
  return x.digits == 4 && std::bit_cast<std::uint32_t>(x.exponential) == std::bit_cast<std::uint32_t>(Exponential{});
}
/// Whether x is 0 itself. A random number is a multiple of p^4 and of q as rarely as two random numbers are equal.
constexpr bool is_zero(const Value& x) { return x.digits == 4 && x.a == 0 && x.b == 0; }

}  // namespace reckon::numerics::padic
