// Algebraic laws. A semantics declares the laws that it has, and a rewrite names those that it needs. A rewrite applies
// only under semantics that have them all: associativity never applies under `float`.
#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>

namespace reckon::ir {

enum class Law : std::uint8_t {
  add_commutes,    ///< a + b = b + a
  mul_commutes,    ///< a * b = b * a
  add_associates,  ///< (a + b) + c = a + (b + c)
  mul_associates,
  mul_distributes,     ///< a * (b + c) = a * b + a * c
  add_zero,            ///< a + 0 = a (not under float: -0 + 0 is +0)
  sub_zero,            ///< a - 0 = a
  mul_one,             ///< a * 1 = a
  div_one,             ///< a / 1 = a
  double_negation,     ///< -(-a) = a
  sub_self,            ///< a - a = 0
  mul_zero,            ///< a * 0 = 0
  min_max_idempotent,  ///< min(a, a) = a, max(a, a) = a
  select_same,         ///< select(c, a, a) = a
  literals_exact,      ///< + - * / of rational literals are those of the rational numbers
  literals_round,      ///< a literal is its value rounded once to its format, to nearest even, and + - * / fma and
                       ///< conversions between formats are rounded so too (float rounding to nearest, not flushing)
  literals_ordered,    ///< < <= == != min max abs of rational literals are those of the rational numbers
  conversions_exact,   ///< a conversion between number types changes no value (exact, interval, padic)
  sums_exactly,        ///< addition is that of the reals (or encloses it): accumulators are plain sums
  min_max_commute,     ///< min(a, b) = min(b, a), max(a, b) = max(b, a)
  min_max_any_order,   ///< min and max of several values are the same in every order
  any_order_encloses,  ///< a sum, product, min or max in any order encloses the one real result (interval, bound(any))
  uses_agree,          ///< every use of a node is the same real, of which a value is an enclosure: x * x is not
                       ///< negative, and x - x is 0 (interval, bound; not where each use may round in its own way)
};

class Laws {
 public:
  constexpr Laws() = default;
  constexpr Laws(std::initializer_list<Law> laws) {
    for (Law law : laws) bits_ |= bit(law);
  }
  constexpr bool has(Law law) const { return (bits_ & bit(law)) != 0; }
  constexpr Laws without(Law law) const {
    Laws out = *this;
    out.bits_ &= ~bit(law);
    return out;
  }
  constexpr bool has_all(Laws needed) const { return (needed.bits_ & ~bits_) == 0; }
  friend constexpr auto operator<=>(const Laws&, const Laws&) = default;

 private:
  static constexpr std::uint32_t bit(Law law) { return std::uint32_t{1} << static_cast<int>(law); }
  std::uint32_t bits_ = 0;
};

/// The laws of intervals, which interpreted and compiled intervals share. Associativity and distributivity are missing:
/// they hold for the reals that an interval encloses, but not for its endpoints.
constexpr Laws laws_of_intervals() {
  using enum Law;
  return {add_commutes,    mul_commutes,       add_zero,    sub_zero,       mul_one,      div_one,
          double_negation, min_max_idempotent, select_same, literals_exact, sums_exactly, any_order_encloses,
          uses_agree};
}

}  // namespace reckon::ir
