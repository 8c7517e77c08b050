// What intervals do, for endpoints of any format: the field operations, order, rounding to integers and comparisons.
// interval_functions.h has the elementary functions; the rules in words are at the top of interval.cpp.
//
// `Endpoints` is the arithmetic of the endpoints (interval_endpoints.h, interval_wide_endpoints.h): `End`, and
// operations that give the nearest number of the format on the side that is asked for.
#pragma once

#include <algorithm>

#include "diagnostics/codes/undefined_result.h"
#include "interp/semantics/array_semantics.h"
#include "interp/semantics/interval_endpoints.h"

namespace reckon::interp {

template <class End>
struct IntervalOf {
  End low = 0, high = 0;
  friend bool operator==(const IntervalOf& a, const IntervalOf& b) { return a.low == b.low && a.high == b.high; }
};

namespace interval_faults {
inline constexpr FaultText by_zero{code::undefined_result, "division by an interval that holds only 0 has no value",
                                   "keep the divisor from being 0"};
inline constexpr FaultText no_integer{code::undefined_result, "the exponent of `ldexp` holds no integer",
                                      "round the exponent first: `ldexp(x, floor(k))`"};
inline constexpr FaultText outside_domain{code::undefined_result,
                                          "no value of this interval lies in the operation's domain", ""};
}  // namespace interval_faults

template <class Endpoints>
struct IntervalRules {
  using End = typename Endpoints::End;
  using Value = IntervalOf<End>;
  using V = Value;
  static constexpr Toward below = Toward::below, above = Toward::above;

  [[no_unique_address]] Endpoints endpoints;

  V add(const V& a, const V& b) const {
    return {endpoints.add(below, a.low, b.low), endpoints.add(above, a.high, b.high)};
  }
  V sub(const V& a, const V& b) const {
    return {endpoints.add(below, a.low, -b.high), endpoints.add(above, a.high, -b.low)};
  }
  V neg(const V& a) const { return {-a.high, -a.low}; }

  V mul(const V& a, const V& b) const {
    // Two corners do if one factor keeps its sign.
    if (a.low >= 0) {
      return {endpoints.mul(below, b.low >= 0 ? a.low : a.high, b.low),
              endpoints.mul(above, b.high >= 0 ? a.high : a.low, b.high)};
    }
    if (a.high <= 0) return neg(mul(neg(a), b));
    if (b.low >= 0 || b.high <= 0) return mul(b, a);
    return {std::min(endpoints.mul(below, a.low, b.high), endpoints.mul(below, a.high, b.low)),
            std::max(endpoints.mul(above, a.low, b.low), endpoints.mul(above, a.high, b.high))};
  }

  V fma(const V& a, const V& b, const V& c) const {
    const auto corner = [&](Toward side, const End& x, const End& y, const End& z) {
      return endpoints.fma(side, x, y, z);
    };
    return {std::min({corner(below, a.low, b.low, c.low), corner(below, a.low, b.high, c.low),
                      corner(below, a.high, b.low, c.low), corner(below, a.high, b.high, c.low)}),
            std::max({corner(above, a.low, b.low, c.high), corner(above, a.low, b.high, c.high),
                      corner(above, a.high, b.low, c.high), corner(above, a.high, b.high, c.high)})};
  }

  const FaultText* div(V& out, const V& a, const V& b) const {
    if (b.low == 0 && b.high == 0) return &interval_faults::by_zero;
    if (a.low == 0 && a.high == 0) {
      out = {0, 0};  // wherever it is defined
    } else if (b.low < 0 && b.high > 0) {
      out = everything();
    } else if (b.low == 0 || b.high == 0) {
      // One-sided: the quotient by the far end bounds it on one side, if a keeps one sign.
      const V n = b.low == 0 ? a : neg(a);
      const End far = b.low == 0 ? b.high : -b.low;
      if (n.low >= 0) out = {endpoints.div(below, n.low, far), infinity()};
      else if (n.high <= 0) out = {-infinity(), endpoints.div(above, n.high, far)};
      else out = everything();
    } else if (b.high < 0) {
      return div(out, neg(a), neg(b));
    } else {
      out = {endpoints.div(below, a.low, a.low >= 0 ? b.high : b.low),
             endpoints.div(above, a.high, a.high >= 0 ? b.low : b.high)};
    }
    return nullptr;
  }

  /// x - y * trunc(x / y): the sign is x's, that of y does not matter.
  const FaultText* rem(V& out, const V& a, const V& b) const {
    const V modulus = abs(b);
    if (modulus.high == 0) return &interval_faults::by_zero;
    if (a.low >= 0) {
      out = remainder(a, modulus);
    } else if (a.high <= 0) {
      out = neg(remainder(neg(a), modulus));
    } else {
      out = {-remainder({0, -a.low}, modulus).high, remainder({0, a.high}, modulus).high};
    }
    return nullptr;
  }

  V abs(const V& a) const {
    if (a.low >= 0) return a;
    if (a.high <= 0) return neg(a);
    return {0, std::max<End>(-a.low, a.high)};
  }
  V min(const V& a, const V& b) const { return {std::min(a.low, b.low), std::min(a.high, b.high)}; }
  V max(const V& a, const V& b) const { return {std::max(a.low, b.low), std::max(a.high, b.high)}; }
  V minnum(const V& a, const V& b) const { return min(a, b); }
  V maxnum(const V& a, const V& b) const { return max(a, b); }
  V clamp(const V& a, const V& low, const V& high) const { return min(max(a, low), high); }
  V sign(const V& a) const {
    return {End(a.low > 0 ? 1 : (a.low == 0 ? 0 : -1)), End(a.high < 0 ? -1 : (a.high == 0 ? 0 : 1))};
  }
  V copysign(const V& a, const V& b) const {
    const V magnitude = abs(a);
    if (b.low >= 0) return magnitude;
    return b.high < 0 ? neg(magnitude) : V{-magnitude.high, magnitude.high};
  }
  /// By 2 to the integers that the exponent holds.
  const FaultText* ldexp(V& out, const V& a, const V& k) const {
    const End least = endpoints.ceil(k.low), most = endpoints.floor(k.high);
    if (most < least) return &interval_faults::no_integer;
    out = {std::min(endpoints.scaled(below, a.low, least), endpoints.scaled(below, a.low, most)),
           std::max(endpoints.scaled(above, a.high, least), endpoints.scaled(above, a.high, most))};
    return nullptr;
  }
  V floor(const V& a) const { return {endpoints.floor(a.low), endpoints.floor(a.high)}; }
  V ceil(const V& a) const { return {endpoints.ceil(a.low), endpoints.ceil(a.high)}; }
  V trunc(const V& a) const { return {endpoints.trunc(a.low), endpoints.trunc(a.high)}; }
  V round(const V& a) const { return {endpoints.round(a.low), endpoints.round(a.high)}; }

  Truth less(const V& a, const V& b) const { return decided(a.high < b.low, a.low >= b.high); }
  Truth less_equal(const V& a, const V& b) const { return decided(a.high <= b.low, a.low > b.high); }
  Truth equal(const V& a, const V& b) const {
    return decided(a.low == a.high && a == b, a.high < b.low || b.high < a.low);
  }
  Truth not_equal(const V& a, const V& b) const {
    return decided(a.high < b.low || b.high < a.low, a.low == a.high && a == b);
  }

  V hull(const V& a, const V& b) const { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

  static End infinity() { return End(std::numeric_limits<float>::infinity()); }
  static V everything() { return {-infinity(), infinity()}; }

 private:
  static Truth decided(bool yes, bool no) { return yes ? Truth::yes : (no ? Truth::no : Truth::unknown); }

  /// a.low >= 0, modulus >= 0 and not only 0.
  V remainder(const V& a, const V& modulus) const {
    if (a.high < modulus.low) return a;
    if (modulus.low == modulus.high && a.low == a.high && endpoints.is_finite(a.low)) {
      const End exact = endpoints.remainder(a.low, modulus.low);
      return {exact, exact};
    }
    const V all{0, std::min(a.high, modulus.high)};
    if (modulus.low == 0) return all;
    // Where the whole box has one quotient n, the remainder is x - n y. Below `all_integers_below` rounding a
    // quotient down cannot change its floor.
    const End least = endpoints.floor(endpoints.div(below, a.low, modulus.high));
    const End most = endpoints.floor(endpoints.div(below, a.high, modulus.low));
    if (!(least == most) || !(most < endpoints.all_integers_below())) return all;
    return {std::max<End>(endpoints.fma(below, -least, modulus.high, a.low), 0),
            std::min<End>(endpoints.fma(above, -least, modulus.low, a.high), all.high)};
  }
};

}  // namespace reckon::interp
