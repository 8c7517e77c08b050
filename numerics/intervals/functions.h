// The elementary functions of intervals, in one source for every evaluator, as in rules.h. Each end of a result is one
// evaluation at a point where the function is extreme over the operand. functions/table.h says where that is.
//
// Besides the members that rules.h names, `Endpoints` has
//   function(f, side, x), function(f, side, x, y)   f on the given side; no operand is -0 if -0 would be
//                                   the other side of a pole, or another angle
//   pi_above()                      the least endpoint above pi
//   quarter_turns(x)                the floor of x / (pi/2), a word of which the low two bits count; x finite
//   half_turns(x)                   the floor of 2x, likewise
//   has_many_turns(x, width)        whether the quarter turns in x are not counted; `width` is rounded down; true
//                                   from 7 on, which is more than a whole turn
//   is_finite(x), is_odd(x)         is_odd of an integer or an infinity, which is not odd
//   gamma_range(f, x)               the range of gamma or lgamma (gamma.h) over an interval that is not one pole
#pragma once

#include "numerics/functions/table.h"
#include "numerics/intervals/rules.h"

namespace reckon::numerics::intervals {

template <class Endpoints>
struct Functions : Rules<Endpoints> {
  using Base = Rules<Endpoints>;
  using Base::Base, Base::above, Base::abs, Base::below, Base::choose, Base::endpoints, Base::hull, Base::neg,
      Base::pick;
  using typename Base::End, typename Base::Flag, typename Base::V;

  /// A function by its row in the table, evaluated piecewise between the points where it is extreme.
  V of(Function f, const V& a) const {
    if (f == Function::sqrt) return Base::sqrt(a);
    if (traits(f).shape == Shape::valleys) return endpoints.gamma_range(f, plain(a));
    return is_periodic(f) ? periodic(f, a) : between(f, extreme_points(traits(f), a));
  }
  /// Whether no value of `a` lies in the domain, for a function whose domain is not all reals.
  Flag is_undefined(Function f, const V& a) const {
    if (traits(f).poles != Poles::none) return endpoints.both(endpoints.equal(a.low, a.high), is_pole(f, a.low));
    const Domain& domain = traits(f).domain;
    const auto too_low = [&] { return less_than(a.high, number(domain.low), domain.low_open); };
    const auto too_high = [&] { return less_than(number(domain.high), a.low, domain.high_open); };
    if (domain.high == infinity) return too_low();
    return domain.low == -infinity ? too_high() : endpoints.either(too_low(), too_high());
  }

#define RECKON_FUNCTION(name) \
  V name(const V& a) const { return of(Function::name, a); }
#include "numerics/functions.def"

  V hypot(const V& a, const V& b) const {
    const V x = abs(a), y = abs(b);
    return {endpoints.function(BinaryFunction::hypot, below, x.low, y.low),
            endpoints.function(BinaryFunction::hypot, above, x.high, y.high)};
  }

  /// First the points are chosen at which the angle is least and greatest. If y <= 0, off the cut, the result is the
  /// negated angle of -y.
  V atan2(const V& y, const V& x) const {
    const Flag starts_below = is_negative(y.low);
    const Flag cut = endpoints.both(endpoints.both(starts_below, at_least_zero(y.high)), is_negative(x.low));
    return choose(
        cut,
        [&] {  // the angle is pi on the cut, and near -pi below it
          const End pi = endpoints.pi_above();
          return V{endpoints.neg(pi), pi};
        },
        [&] {
          const Flag flips = endpoints.both(starts_below, at_most_zero(y.high));
          const Flag both_sides = endpoints.both(starts_below, is_positive(y.high));
          const V v = pick(flips, neg(y), y);
          // The angle decreases with x; it increases with y if x > 0, and decreases if x < 0.
          const Flag only_axis = endpoints.both(is_zero(v.high), at_most_zero(x.high));  // the angle is pi
          struct Point {
            End y, x;
          };
          const auto at = [&](const Flag& flag, const Point& p, const Point& q) {
            return Point{endpoints.pick(flag, p.y, q.y), endpoints.pick(flag, p.x, q.x)};
          };
          Point least{endpoints.pick(is_positive(x.high), v.low, v.high), x.high};
          least = at(both_sides, {y.low, x.low}, at(only_axis, {zero(), x.low}, least));
          const Point most =
              at(both_sides, {y.high, x.low}, {endpoints.pick(is_negative(x.low), v.low, v.high), x.low});
          const auto angle = [&](Toward side, const Point& point) {
            return endpoints.function(BinaryFunction::atan2, side, endpoints.plain(point.y), endpoints.plain(point.x));
          };
          const V upward{angle(below, least), angle(above, most)};
          return pick(flips, neg(upward), upward);
        });
  }
  Flag atan2_is_undefined(const V& y, const V& x) const { return endpoints.both(is_only_zero(x), is_only_zero(y)); }

  /// x^y for x > 0; 0^y for y >= 0; for x < 0 only integers y. Most operands are not negative.
  V pow(const V& x, const V& y) const {
    const Flag nothing = endpoints.either(is_negative(x.high), zero_has_no_power(x, y));
    const V upper = choose(
        nothing, [&] { return none(); },
        [&] {
          return power({endpoints.max_of(x.low, zero()), x.high}, y);
        });
    return endpoints.branch(
        is_negative(x.low), [&] { return hull(upper, power_of_negative(x, y)); }, [&] { return upper; });
  }
  Flag pow_is_undefined(const V& x, const V& y) const {
    const Flag nothing = endpoints.either(is_negative(x.high), zero_has_no_power(x, y));
    return endpoints.both(nothing, endpoints.negated(endpoints.both(is_negative(x.low), Base::holds_integer(y))));
  }

  /// The n-th root for one integer n other than 0, below 2^53 in size; of several degrees nothing is said.
  V rootn(const V& x, const V& n) const {
    const Flag odd = is_odd_degree(n.low);
    const V part{endpoints.pick(odd, x.low, endpoints.max_of(x.low, zero())), x.high};
    const auto at = [&](Toward side, const End& end) {
      return endpoints.function(BinaryFunction::rootn, side, endpoints.plain(end), endpoints.plain(n.low));
    };
    return choose(
        endpoints.negated(endpoints.equal(n.low, n.high)), [&] { return Base::everything(); },
        [&] {
          return choose(
              is_positive(n.low),
              [&] {
                return V{at(below, part.low), at(above, part.high)};
              },
              [&] {  // it decreases on each side of its pole, 0
                const Flag both_sides = endpoints.both(is_negative(part.low), is_positive(part.high));
                return choose(
                    both_sides, [&] { return Base::everything(); },
                    [&] {
                      return V{endpoints.choose(
                                   endpoints.both(is_negative(part.low), is_zero(part.high)),
                                   [&] { return number(-infinity); }, [&] { return at(below, part.high); }),
                               at(above, part.low)};
                    });
              });
        });
  }
  Flag rootn_is_undefined(const V& x, const V& n) const {
    const Flag one = endpoints.equal(n.low, n.high);
    const Flag whole =
        endpoints.both(endpoints.equal(endpoints.floor(n.low), n.low),
                       endpoints.both(endpoints.less(number(-0x1p53f), n.low), endpoints.less(n.low, number(0x1p53f))));
    const Flag no_degree = endpoints.either(endpoints.negated(whole), is_zero(n.low));
    const Flag even = endpoints.negated(is_odd_degree(n.low));
    const Flag pole = endpoints.both(is_negative(n.low), is_only_zero(x));
    const Flag below_all =
        endpoints.either(is_negative(x.high), endpoints.both(is_negative(n.low), at_most_zero(x.high)));
    return endpoints.both(one, endpoints.either(no_degree, endpoints.either(pole, endpoints.both(even, below_all))));
  }

 private:
  using Base::number, Base::zero, Base::is_negative, Base::is_positive, Base::at_least_zero, Base::at_most_zero,
      Base::is_only_zero, Base::is_zero;
  static constexpr float infinity = std::numeric_limits<float>::infinity();

  /// is_odd by a product that is exact, and by directed arithmetic alone, of which all is that is not inside of a
  /// function.
  Flag is_odd_degree(const End& n) const {
    const End half = endpoints.mul(below, n, number(0.5f));
    return endpoints.negated(endpoints.equal(endpoints.floor(half), half));
  }
  Flag less_than(const End& x, const End& y, bool or_equal) const {
    return or_equal ? endpoints.less_equal(x, y) : endpoints.less(x, y);
  }
  V plain(const V& x) const { return {endpoints.plain(x.low), endpoints.plain(x.high)}; }
  Flag is_pole(Function f, const End& x) const {
    const bool halves = traits(f).poles == Poles::odd_halves;
    const auto is_whole = [&](const End& end) { return endpoints.equal(endpoints.floor(end), end); };
    if (!halves) return endpoints.both(is_whole(x), at_most_zero(x));
    return endpoints.both(is_whole(endpoints.add(below, x, x)), endpoints.negated(is_whole(x)));  // the sum is exact
  }
  V between(Function f, const V& points) const {
    return {endpoints.function(f, below, points.low), endpoints.function(f, above, points.high)};
  }
  /// The points where a function is least and greatest: the endpoints of x, clipped to the domain.
  V extreme_points(const FunctionTraits& row, V x) const {
    if (row.domain.low > -infinity) x.low = endpoints.max_of(x.low, number(row.domain.low));
    if (row.domain.high < infinity) x.high = endpoints.min_of(x.high, number(row.domain.high));
    if (row.shape == Shape::valley) x = abs(x);
    if (row.shape == Shape::decreasing) std::swap(x.low, x.high);
    const bool one_value_at_zeros = row.known_at == 0 && row.known != 0;  // 1 at both zeros, as exp: -0 may stay
    return one_value_at_zeros ? x : plain(x);
  }

  V periodic(Function f, const V& x) const {
    const End width = endpoints.add(below, x.high, endpoints.neg(x.low));  // an infinity for an unbounded interval
    const Flag many =
        traits(f).half_turns ? endpoints.less_equal(number(2), width) : endpoints.has_many_turns(x, width);
    return endpoints.shortcut(
        many,
        [&] {
          return traits(f).shape == Shape::branches ? Base::everything() : V{number(-1), number(1)};
        },
        [&] { return by_turns(f, x, width, many); });
  }
  /// Below a width of 7 there are at most 5 multiples of pi/2. Two numbers modulo 4 give their count modulo 4; if the
  /// width is 4 or more, 0 and 1 mean 4 and 5: with at most one multiple it is below 3.2, and four multiples need 4.7.
  /// Likewise there are at most 4 multiples of 1/2 below a width of 2, not counting one at the lower end: with none the
  /// width is below 1/2, and four need 3/2.
  V by_turns(Function f, const V& x, const End& width, const Flag& many) const {
    typename Endpoints::Words words = endpoints.words();
    const bool half_turns = traits(f).half_turns;
    const auto turns = [&](const End& end) {
      return half_turns ? endpoints.half_turns(end) : endpoints.quarter_turns(end);
    };
    const auto before = turns(x.low);
    const auto modulo = words.iand(words.isub(turns(x.high), before), words.i64_const(3));
    const Flag wraps = endpoints.both(words.i_less_unsigned(modulo, words.i64_const(2)),
                                      endpoints.less_equal(number(half_turns ? 1 : 4), width));
    const auto count = words.iadd(modulo, words.select(wraps, words.i64_const(4), words.i64_const(0)));
    // Whether one of the multiples is `residue` modulo `modulus`, which is 2 or 4.
    const auto hold = [&](std::uint64_t residue, std::uint64_t modulus) {
      const auto gap = words.isub(words.i64_const((residue + 3) % 4), before);
      return endpoints.either(many, words.i_less_unsigned(words.iand(gap, words.i64_const(modulus - 1)), count));
    };
    if (traits(f).poles != Poles::none) return between_poles(f, x, width, hold(1, 2));
    if (traits(f).shape == Shape::branches) {
      return choose(
          hold(1, 2), [&] { return Base::everything(); }, [&] { return between(f, x); });  // there is a pole inside
    }
    const auto at = [&](Toward side, const End& end) { return endpoints.function(f, side, end); };
    const std::uint64_t peak = traits(f).peak;
    return {endpoints.choose(
                hold(peak + 2, 4), [&] { return number(-1); },
                [&] { return endpoints.min_of(at(below, x.low), at(below, x.high)); }),
            endpoints.choose(
                hold(peak, 4), [&] { return number(1); },
                [&] { return endpoints.max_of(at(above, x.low), at(above, x.high)); })};
  }

  /// Of branches with poles at floats, which may be the ends of x; `poles`: whether there is one above x.low.
  V between_poles(Function f, const V& x, const End& width, const Flag& poles) const {
    const Flag from_pole = is_pole(f, x.low), to_pole = is_pole(f, x.high);
    // A pole at the upper end is the only one if the next one below is beyond the lower end.
    const Flag only_end = endpoints.both(to_pole, endpoints.less(width, number(1)));
    return choose(
        endpoints.both(poles, endpoints.negated(only_end)), [&] { return Base::everything(); },
        [&] {
          return V{
              endpoints.choose(
                  from_pole, [&] { return number(-infinity); }, [&] { return endpoints.function(f, below, x.low); }),
              endpoints.choose(
                  to_pole, [&] { return number(infinity); }, [&] { return endpoints.function(f, above, x.high); })};
        });
  }

  /// The neutral element of a hull.
  V none() const { return {number(infinity), number(-infinity)}; }
  /// Whether 0^y has no value, because no y >= 0.
  Flag zero_has_no_power(const V& x, const V& y) const { return endpoints.both(is_zero(x.high), is_negative(y.high)); }
  /// m^y for m >= 0 is monotone in each operand: the sign of an end of y says which end of m gives the lesser power.
  V power(const V& m, const V& y) const {
    const Flag of_zero = endpoints.both(is_zero(m.high), is_negative(y.low));
    const V exponent{endpoints.pick(of_zero, zero(), y.low), y.high};
    const auto at = [&](Toward side, const End& end) {
      const Flag grows = at_least_zero(end);
      const End base = side == below ? endpoints.pick(grows, m.low, m.high) : endpoints.pick(grows, m.high, m.low);
      return endpoints.function(BinaryFunction::pow, side, endpoints.plain(base), endpoints.plain(end));
    };
    return {endpoints.min_of(at(below, exponent.low), at(below, exponent.high)),
            endpoints.max_of(at(above, exponent.low), at(above, exponent.high))};
  }
  /// The powers of the part of x below 0, which is not empty: at the integers of one parity, and at the others. If the
  /// next integer is not a number of the format, the range is wider by less than 1.
  V power_of_negative(const V& x, const V& y) const {
    const V size{endpoints.pick(is_negative(x.high), endpoints.neg(x.high), zero()), endpoints.neg(x.low)};
    const End first = endpoints.ceil(y.low), last = endpoints.floor(y.high);
    V out = none();
    for (const bool odd : {false, true}) {
      const auto fits = [&](const End& end) {
        const Flag is_odd = endpoints.is_odd(end);
        return odd ? is_odd : endpoints.negated(is_odd);
      };
      const auto inward = [&](Toward side, const End& end) {
        return endpoints.pick(endpoints.either(fits(end), endpoints.negated(endpoints.is_finite(end))), end,
                              endpoints.add(side, end, number(side == below ? 1 : -1)));
      };
      const V integers{inward(below, first), inward(above, last)};
      const Flag only_other = endpoints.both(endpoints.equal(first, last), endpoints.negated(fits(first)));
      const Flag some =
          endpoints.both(endpoints.less_equal(first, last), endpoints.less_equal(integers.low, integers.high));
      const V part = choose(
          endpoints.both(some, endpoints.negated(only_other)),
          [&] {
            const V of_size = power(size, integers);
            return odd ? neg(of_size) : of_size;
          },
          [&] { return none(); });
      out = hull(out, part);
    }
    return out;
  }
};

}  // namespace reckon::numerics::intervals
