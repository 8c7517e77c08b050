// The rules of intervals: field operations, order, rounding to integers and comparisons. One source for the
// interpreter, the host and PTX, over a builder of endpoints; functions.h has the elementary functions. The meaning in
// words is in docs/semantics.md, "interval".
//
// `Endpoints` is the builder: the arithmetic of the endpoints, and the selections between them.
//   End                             an endpoint: a double, a float, a WideFloat, or an LLVM value
//   Flag                            the answer of a comparison
//   Words                           the builder (numerics/builder.h) of the words that count quarter turns; its Bool
//                                   is Flag
//   constant(float), neg(x)
//   add, mul, div, fma, sqrt(side, operands...), scaled(side, x, k)
//                                   the nearest endpoint on the given side of the exact result. x / 0 is the infinity
//                                   of x's sign. 0 * inf is 0 or a NaN; fma then gives its addend or a NaN.
//   outermost(side, x, y, other)    the lesser of two products, or the greater; a NaN counts as `other`
//   unless_nan(x, other)            x, and `other` where x is a NaN
//   remainder(x, y)                 x - y trunc(x / y), x >= 0 and y > 0
//   floor, ceil, trunc, round(x)    round is to even
//   plain(x)                        x, and 0 for -0
//   min_of, max_of(x, y)            of operands that are no NaNs
//   all_integers_below()            below it every integer is an endpoint, and rounding changes no number's floor
//   less, less_equal, equal(x, y)   flags; false of NaNs
//   both, either(f, g), negated(f)  of flags
//   pick(flag, x, y)                of two endpoints that are there
// and three selections between the results of two functions without operands, which differ in their cost:
//   choose(flag, f, g)              C++ calls one of the two; LLVM code computes both and selects
//   branch(flag, f, g)              the same, but LLVM code has a jump, because one of the two is long
//   shortcut(flag, f, g)            g() is right for either flag, and f() if the flag holds. C++ chooses; LLVM code
//                                   has only g
// functions.h needs more members.
//
// A lower endpoint is never +inf, an upper one never -inf. The sign of a zero endpoint means nothing. Both endpoints of
// an empty interval are NaNs; the rules do not take empty intervals, except comparisons, which are unknown then.
#pragma once

#include <limits>

#include "numerics/wide_float.h"

namespace reckon::numerics::intervals {

template <class End>
struct Interval {
  End low{}, high{};
  friend bool operator==(const Interval& a, const Interval& b) { return a.low == b.low && a.high == b.high; }
};

/// The answer of a comparison of intervals: whether it holds for every pair of values, or for none; else "unknown".
template <class Flag>
struct Answer {
  Flag yes, no;
};

template <class Endpoints>
struct Rules {
  using End = typename Endpoints::End;
  using Flag = typename Endpoints::Flag;
  using Value = Interval<End>;
  using V = Value;
  static constexpr Toward below = Toward::below, above = Toward::above;

  [[no_unique_address]] Endpoints endpoints;

  constexpr Rules() = default;
  constexpr explicit Rules(Endpoints arithmetic) : endpoints(std::move(arithmetic)) {}

  V add(const V& a, const V& b) const {
    return {endpoints.add(below, a.low, b.low), endpoints.add(above, a.high, b.high)};
  }
  V sub(const V& a, const V& b) const { return add(a, neg(b)); }
  V neg(const V& a) const { return {endpoints.neg(a.high), endpoints.neg(a.low)}; }

  V mul(const V& a, const V& b) const {
    return endpoints.shortcut(
        keeps_sign(a), [&] { return mul_by_one_sign(b, a); },
        [&] {
          return endpoints.shortcut(
              keeps_sign(b), [&] { return mul_by_one_sign(a, b); },
              [&] {
                const V first = corner(a.low, b), second = corner(a.high, b);
                const auto outer = [&](Toward side, const End& of_low, const End& of_high) {
                  const End left = endpoints.mul(side, a.low, of_low), right = endpoints.mul(side, a.high, of_high);
                  return endpoints.outermost(side, left, right, zero());
                };
                return V{outer(below, first.low, second.low), outer(above, first.high, second.high)};
              });
        });
  }

  V fma(const V& a, const V& b, const V& c) const {
    const V first = corner(a.low, b), second = corner(a.high, b);
    const auto outer = [&](Toward side, const End& of_low, const End& of_high, const End& end) {
      const End left = endpoints.fma(side, a.low, of_low, end), right = endpoints.fma(side, a.high, of_high, end);
      return endpoints.outermost(side, left, right, end);
    };
    return {outer(below, first.low, second.low, c.low), outer(above, first.high, second.high, c.high)};
  }

  /// If b <= 0, both signs are changed; then the divisor is positive, or has 0 as its lower endpoint or inside. A
  /// quotient by the endpoint 0 is the infinity that the signs allow.
  V div(const V& a, const V& b) const {
    const Flag open = endpoints.both(endpoints.both(is_negative(b.low), is_positive(b.high)),
                                     endpoints.either(is_negative(a.low), is_positive(a.high)));  // 0 / b is 0
    return choose(
        open, [&] { return everything(); },
        [&] {
          const Flag negative = at_most_zero(b.high);
          const V n = pick(negative, neg(a), a), d = pick(negative, neg(b), b);
          const End least = endpoints.plain(d.low);  // -0 becomes 0
          return V{endpoints.div(below, n.low, endpoints.pick(at_least_zero(n.low), d.high, least)),
                   endpoints.div(above, n.high, endpoints.pick(is_positive(n.high), least, d.high))};
        });
  }
  Flag div_is_undefined(const V&, const V& b) const { return is_only_zero(b); }

  /// The result has the sign of a; the sign of b does not matter.
  V rem(const V& a, const V& b) const {
    const V modulus = abs(b), flipped = neg(a);
    const Flag positive = at_least_zero(a.low), negative = at_most_zero(a.high);
    const V up = remainder(pick(positive, a, pick(negative, flipped, {zero(), a.high})), modulus);
    return choose(
        positive, [&] { return up; },
        [&] {
          return choose(
              negative, [&] { return neg(up); },
              [&] {  // `up` handles only the part above 0 if the operand has both signs
                return V{endpoints.neg(remainder({zero(), flipped.high}, modulus).high), up.high};
              });
        });
  }
  Flag rem_is_undefined(const V&, const V& b) const { return is_only_zero(b); }

  V sqrt(const V& a) const {
    const auto inside = [&](const End& end) { return endpoints.pick(is_positive(end), end, zero()); };
    return {endpoints.sqrt(below, inside(a.low)), endpoints.sqrt(above, inside(a.high))};
  }

  V abs(const V& a) const {
    return {endpoints.max_of(endpoints.max_of(a.low, endpoints.neg(a.high)), zero()),
            endpoints.max_of(endpoints.neg(a.low), a.high)};
  }
  V min(const V& a, const V& b) const { return {endpoints.min_of(a.low, b.low), endpoints.min_of(a.high, b.high)}; }
  V max(const V& a, const V& b) const { return {endpoints.max_of(a.low, b.low), endpoints.max_of(a.high, b.high)}; }
  V minnum(const V& a, const V& b) const { return min(a, b); }
  V maxnum(const V& a, const V& b) const { return max(a, b); }
  V clamp(const V& a, const V& low, const V& high) const { return min(max(a, low), high); }
  V hull(const V& a, const V& b) const { return {endpoints.min_of(a.low, b.low), endpoints.max_of(a.high, b.high)}; }

  V sign(const V& a) const {
    const auto of = [&](const End& end) {
      const End otherwise = endpoints.pick(is_negative(end), number(-1), zero());
      return endpoints.pick(is_positive(end), number(1), otherwise);
    };
    return {of(a.low), of(a.high)};
  }
  V copysign(const V& a, const V& b) const {
    const V magnitude = abs(a), opposite = neg(magnitude);
    return {endpoints.pick(at_least_zero(b.low), magnitude.low, opposite.low),
            endpoints.pick(is_negative(b.high), opposite.high, magnitude.high)};
  }
  /// Multiplies a by 2 to the integers that the exponent holds.
  V ldexp(const V& a, const V& k) const requires requires(const Endpoints& e, const End& x) { e.scaled(below, x, x); }
  {
    const End least = endpoints.ceil(k.low), most = endpoints.floor(k.high);
    const auto by = [&](Toward side, const End& end, const End& power) { return endpoints.scaled(side, end, power); };
    return {endpoints.min_of(by(below, a.low, least), by(below, a.low, most)),
            endpoints.max_of(by(above, a.high, least), by(above, a.high, most))};
  }
  Flag ldexp_is_undefined(const V&, const V& k) const { return endpoints.negated(holds_integer(k)); }

  V floor(const V& a) const { return {endpoints.floor(a.low), endpoints.floor(a.high)}; }
  V ceil(const V& a) const { return {endpoints.ceil(a.low), endpoints.ceil(a.high)}; }
  V trunc(const V& a) const { return {endpoints.trunc(a.low), endpoints.trunc(a.high)}; }
  V round(const V& a) const { return {endpoints.round(a.low), endpoints.round(a.high)}; }

  Answer<Flag> less(const V& a, const V& b) const {
    return {endpoints.less(a.high, b.low), endpoints.less_equal(b.high, a.low)};
  }
  Answer<Flag> less_equal(const V& a, const V& b) const {
    return {endpoints.less_equal(a.high, b.low), endpoints.less(b.high, a.low)};
  }
  Answer<Flag> equal(const V& a, const V& b) const {
    const Flag same = endpoints.both(endpoints.equal(a.low, b.low), endpoints.equal(a.high, b.high));
    return {endpoints.both(endpoints.equal(a.low, a.high), same),
            endpoints.either(endpoints.less(a.high, b.low), endpoints.less(b.high, a.low))};
  }
  Answer<Flag> not_equal(const V& a, const V& b) const {
    const Answer<Flag> answer = equal(a, b);
    return {answer.no, answer.yes};
  }

  V everything() const {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    return {number(-infinity), number(infinity)};
  }

  V pick(const Flag& flag, const V& a, const V& b) const {
    return {endpoints.pick(flag, a.low, b.low), endpoints.pick(flag, a.high, b.high)};
  }
  /// Endpoints::choose for intervals.
  template <class F, class G>
  V choose(const Flag& flag, F&& then, G&& otherwise) const {
    return endpoints.choose(flag, then, otherwise);
  }

 protected:
  End number(float value) const { return endpoints.constant(value); }
  End zero() const { return number(0); }
  Flag is_negative(const End& x) const { return endpoints.less(x, zero()); }
  Flag is_positive(const End& x) const { return endpoints.less(zero(), x); }
  Flag at_least_zero(const End& x) const { return endpoints.less_equal(zero(), x); }
  Flag at_most_zero(const End& x) const { return endpoints.less_equal(x, zero()); }
  Flag is_only_zero(const V& x) const { return endpoints.both(is_zero(x.low), is_zero(x.high)); }
  Flag is_zero(const End& x) const { return endpoints.equal(x, zero()); }
  Flag keeps_sign(const V& x) const { return endpoints.either(at_least_zero(x.low), at_most_zero(x.high)); }
  Flag holds_integer(const V& x) const { return endpoints.less_equal(endpoints.ceil(x.low), endpoints.floor(x.high)); }

 private:
  /// The endpoint of b that gives the lesser product with `end`, and the one that gives the greater product.
  V corner(const End& end, const V& b) const {
    const Flag keeps = at_least_zero(end);
    return {endpoints.pick(keeps, b.low, b.high), endpoints.pick(keeps, b.high, b.low)};
  }
  /// Two corners are enough if `one_signed` does not change its sign.
  V mul_by_one_sign(const V& a, const V& one_signed) const {
    const V of = corner(one_signed.low, a);
    return {endpoints.mul(below, endpoints.pick(at_least_zero(of.low), one_signed.low, one_signed.high), of.low),
            endpoints.mul(above, endpoints.pick(at_least_zero(of.high), one_signed.high, one_signed.low), of.high)};
  }

  /// Requires a.low >= 0 and modulus >= 0, which must not be only 0.
  V remainder(const V& a, const V& modulus) const {
    const Flag thin = endpoints.both(endpoints.equal(a.low, a.high), endpoints.equal(modulus.low, modulus.high));
    return choose(
        endpoints.less(a.high, modulus.low), [&] { return a; },
        [&] {
          return choose(
              thin,
              [&] {
                const End exact = endpoints.remainder(a.low, modulus.low);
                return V{exact, exact};
              },
              [&] { return remainder_of_box(a, modulus); });
        });
  }
  /// If one quotient n holds for the whole box, the remainder is x - n y.
  V remainder_of_box(const V& a, const V& modulus) const {
    const V all{zero(), endpoints.min_of(a.high, modulus.high)};
    const End least = endpoints.floor(endpoints.div(below, a.low, modulus.high));
    const End most = endpoints.floor(endpoints.div(below, a.high, modulus.low));
    const Flag one_quotient =
        endpoints.both(endpoints.equal(least, most), endpoints.less(most, endpoints.all_integers_below()));
    return choose(
        endpoints.both(one_quotient, is_positive(modulus.low)),
        [&] {
          const End multiple = endpoints.neg(least);
          const auto rest = [&](Toward side, const End& y, const End& end) {
            return endpoints.unless_nan(endpoints.fma(side, multiple, y, end), end);
          };
          return V{endpoints.max_of(rest(below, modulus.high, a.low), zero()),
                   endpoints.min_of(rest(above, modulus.low, a.high), all.high)};
        },
        [&] { return all; });
  }
};

}  // namespace reckon::numerics::intervals
