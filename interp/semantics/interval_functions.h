// The elementary functions of intervals, for endpoints of any format. Each end of a result is one correctly rounded
// evaluation at a point where the function is extreme over the operand, so both ends are the nearest possible.
#pragma once

#include "interp/semantics/interval_rules.h"
#include "numerics/functions/table.h"

namespace reckon::interp {

template <class Endpoints>
struct IntervalFunctions : IntervalRules<Endpoints> {
  using Rules = IntervalRules<Endpoints>;
  using End = typename Rules::End;
  using V = typename Rules::Value;
  using Function = numerics::Function;
  using BinaryFunction = numerics::BinaryFunction;
  using Rules::above, Rules::abs, Rules::below, Rules::endpoints, Rules::everything, Rules::hull, Rules::neg;

  const FaultText* sqrt(V& out, const V& a) const {
    if (a.high < 0) return &interval_faults::outside_domain;
    out = {endpoints.sqrt(below, endpoints.plain(std::max<End>(a.low, 0))), endpoints.sqrt(above, a.high)};
    return nullptr;
  }

  /// Any of them by its row: pieces between the points where it is extreme. Null is success; what has a value for all
  /// numbers never fails.
  const FaultText* of(Function f, V& out, const V& a) const {
    using enum numerics::Shape;
    if (f == Function::sqrt) return sqrt(out, a);
    const numerics::FunctionTraits& row = numerics::traits(f);
    if (!numerics::is_everywhere(f)) return inside(row, out, a);
    switch (row.shape) {
      case increasing: out = rising(f, a); break;
      case decreasing: out = rising(f, {a.high, a.low}); break;
      case valley: out = rising(f, abs(a)); break;
      case sinusoid: out = sinusoid_of(row, a); break;
      case branches: {
        const auto turns = quarter_turns(a);
        if (!turns || turns->hold(1, 2)) out = everything();  // a pole inside
        else out = rising(f, a);
        break;
      }
    }
    return nullptr;
  }
  /// Of a function that has a value everywhere.
  V of(Function f, const V& a) const {
    V out;
    (void)of(f, out, a);
    return out;
  }

#define RECKON_FUNCTION(name)                                                                                  \
  V name(const V& a) const requires(numerics::is_everywhere(Function::name)) { return of(Function::name, a); } \
  const FaultText* name(V& out, const V& a) const requires(!numerics::is_everywhere(Function::name)) {         \
    return of(Function::name, out, a);                                                                         \
  }
#include "numerics/functions.def"

  /// A conversion between formats changes nothing.
  V convert(const IntervalFunctions&, const V& value) const { return value; }

  V hypot(const V& a, const V& b) const {
    const V x = abs(a), y = abs(b);
    return {endpoints.function(BinaryFunction::hypot, below, x.low, y.low),
            endpoints.function(BinaryFunction::hypot, above, x.high, y.high)};
  }

  const FaultText* atan2(V& out, const V& y, const V& x) const {
    if (x.low == 0 && x.high == 0 && y.low == 0 && y.high == 0) return &interval_faults::outside_domain;
    const auto angle = [&](Toward side, const End& at_y, const End& at_x) {
      return endpoints.function(BinaryFunction::atan2, side, endpoints.plain(at_y), endpoints.plain(at_x));
    };
    if (y.low < 0 && y.high >= 0 && x.low < 0) {  // the cut: pi on it, close to -pi below it
      out = {endpoints.real(below, -1, numerics::RealConstant::pi),
             endpoints.real(above, 1, numerics::RealConstant::pi)};
    } else if (y.low < 0 && y.high > 0) {
      out = {angle(below, y.low, x.low), angle(above, y.high, x.low)};
    } else if (y.low < 0) {
      const FaultText* fault = atan2(out, neg(y), x);
      out = neg(out);
      return fault;
    } else {
      // The angle falls with x; it grows with y where x > 0, and falls where x < 0.
      const End most = angle(above, x.low < 0 ? y.low : y.high, x.low);
      const bool only_axis = y.high == 0 && x.high <= 0;  // y = 0 and x < 0: the angle is pi
      out = {only_axis ? angle(below, 0, x.low) : angle(below, x.high > 0 ? y.low : y.high, x.high), most};
    }
    return nullptr;
  }

  /// x^y for x > 0; 0^y for y >= 0; for x < 0 where y is an integer.
  const FaultText* pow(V& out, const V& x, const V& y) const {
    bool any = false;
    const auto join = [&](const V& part) {
      out = any ? hull(out, part) : part;
      any = true;
    };
    const V base = x, exponent = y;  // `out` may be one of them
    if (base.high >= 0) {
      V part;
      if (power({endpoints.plain(std::max<End>(base.low, 0)), endpoints.plain(base.high)}, exponent, part)) join(part);
    }
    if (base.low < 0) {
      const V magnitude{base.high < 0 ? -base.high : End(0), -base.low};
      const End first = endpoints.ceil(exponent.low), last = endpoints.floor(exponent.high);
      // Integers of one parity; where the next one is no number of the format, the range is wider by less than 1.
      for (const bool odd : {false, true}) {
        if (first == last && endpoints.is_odd(first) != odd) continue;
        const V integers{
            endpoints.is_finite(first) && endpoints.is_odd(first) != odd ? endpoints.add(below, first, 1) : first,
            endpoints.is_finite(last) && endpoints.is_odd(last) != odd ? endpoints.add(above, last, -1) : last};
        V part;
        if (first <= last && integers.low <= integers.high && power(magnitude, integers, part)) {
          join(odd ? neg(part) : part);
        }
      }
    }
    return any ? nullptr : &interval_faults::outside_domain;
  }

 private:
  V rising(Function f, const V& a) const {
    return {endpoints.function(f, below, a.low), endpoints.function(f, above, a.high)};
  }

  const FaultText* inside(const numerics::FunctionTraits& row, V& out, const V& a) const {
    const numerics::Domain& domain = row.domain;
    const End least(domain.low), most(domain.high);
    if (a.high < least || a.low > most || (domain.low_open && a.high == least) || (domain.high_open && a.low == most)) {
      return &interval_faults::outside_domain;
    }
    const V part{endpoints.plain(std::max(a.low, least)), endpoints.plain(std::min(a.high, most))};
    out = row.shape == numerics::Shape::decreasing ? rising(row.function, {part.high, part.low})
                                                   : rising(row.function, part);
    return nullptr;
  }

  /// The multiples of pi/2 in an interval, by their numbers: first <= k <= last.
  struct QuarterTurns {
    mpz_class first, last;
    /// Whether one of them is `residue` modulo `modulus`, which is positive.
    bool hold(unsigned long residue, unsigned long modulus) const {
      const mpz_class gap = residue - first;
      return first + mpz_class(mpz_fdiv_ui(gap.get_mpz_t(), modulus)) <= last;
    }
  };
  /// Nothing if there are more than anybody counts, a whole turn at least.
  std::optional<QuarterTurns> quarter_turns(const V& a) const {
    if (!endpoints.is_finite(a.low) || !endpoints.is_finite(a.high) || !endpoints.turns_are_countable(a.low) ||
        !endpoints.turns_are_countable(a.high) || endpoints.add(below, a.high, -a.low) >= End(7)) {
      return std::nullopt;
    }
    return QuarterTurns{endpoints.quadrant(a.low) + 1, endpoints.quadrant(a.high)};
  }
  V sinusoid_of(const numerics::FunctionTraits& row, const V& a) const {
    const Function f = row.function;
    const unsigned long peak = row.peak;
    const auto turns = quarter_turns(a);
    if (!turns) return {End(-1), End(1)};
    return {turns->hold(peak + 2, 4)
                ? End(-1)
                : std::min(endpoints.function(f, below, a.low), endpoints.function(f, below, a.high)),
            turns->hold(peak, 4) ? End(1)
                                 : std::max(endpoints.function(f, above, a.low), endpoints.function(f, above, a.high))};
  }

  /// m^y for m >= 0, which is monotone in each: the corners are extreme. False where nothing is defined.
  bool power(const V& m, V y, V& out) const {
    if (m.high == 0) {  // 0^y
      if (y.high < 0) return false;
      y.low = std::max<End>(y.low, 0);
    }
    const auto corner = [&](Toward side, const End& base, const End& exponent) {
      return endpoints.function(BinaryFunction::pow, side, base, exponent);
    };
    out = {std::min({corner(below, m.low, y.low), corner(below, m.low, y.high), corner(below, m.high, y.low),
                     corner(below, m.high, y.high)}),
           std::max({corner(above, m.low, y.low), corner(above, m.low, y.high), corner(above, m.high, y.low),
                     corner(above, m.high, y.high)})};
    return true;
  }
};

}  // namespace reckon::interp
