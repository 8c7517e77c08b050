// The order, over words (words.h); order.h defines it.
#pragma once

#include "numerics/padic/field_rules.h"

namespace reckon::numerics::padic::rules {

/// A place in the order, as a signed word.
template <class W>
struct Place {
  FlagOf<W> known;
  W place;
};
/// If only one digit of a value is known, only the first digits are compared.
template <class W>
Place<W> place_of(const Number<W>& x, const FlagOf<W>& first_only) {
  const Low<W> low = low_digits(x);
  const W sign = sign_of(x, low);
  const W two = low.first + low.second * p;
  const W turned = select(sign == 1, (p2 - two) % p2, two);
  const W place = tables_for(turned).rank[turned % p] * p + select(first_only, 0, turned / p);
  return {!(sign == 0), select(sign == 1, 0 - place, select(sign == 2, 0, place))};
}

template <class W>
FlagOf<W> same_digits(const Number<W>& x, const Number<W>& y, const W& digits) {
  const W apart = subtract_modulo(x.a, y.a);
  return FlagOf<W>((apart == 0) | ((digits == 1) & (apart % p == 0)) | ((digits == 2) & (apart % p2 == 0)) |
                   ((digits == 3) & (apart % p3 == 0)));
}

/// 0 unknown, 1 less, 2 equal, 3 greater.
template <class W>
W compared(const Number<W>& x, const Number<W>& y) {
  return branch(
      is_undefined(x) | is_undefined(y), [] { return W(0); }, is_infinite(x) | is_infinite(y),
      [&] { return select(!is_infinite(y), 1, select(!is_infinite(x), W(3), 2)); },
      [&] {
        const W digits = smaller(x.digits(), y.digits());
        const auto one = digits < 2;
        const Place<W> s = place_of<W>(x, one), t = place_of<W>(y, one);
        const W equal = select((!one) & same_digits(x, y, digits), W(2), 0);
        return select(s.known & t.known,
                      select(s.place == t.place, equal, select(is_negative(s.place - t.place), W(1), 3)), 0);
      });
}
struct Compare {
  static constexpr const char* name = "compare";
  template <class W>
  static W of(const Number<W>& x, const Number<W>& y) {
    return compared(x, y);
  }
};

/// Combines two values that stand for one number: the result has what is known of either.
template <class W>
Number<W> joined(const Number<W>& x, const Number<W>& y) {
  const auto part = [](const W& s, const W& t, std::uint64_t unknown) {
    return select(s == t, s, select(s == unknown, t, select(t == unknown, s, unknown)));
  };
  return branch(
      is_infinite(x), [&] { return x; },
      [&] {
        const auto left = !(x.digits() < y.digits());
        return Number<W>{select(left, x.a, y.a), part(x.b(), y.b(), unknown_b), part(x.c(), y.c(), unknown_c),
                         select(left, x.digits(), y.digits()), part(x.exponential(), y.exponential(), 0)};
      });
}

/// The greater one if `which` is 3, the smaller one if it is 1.
template <class W>
Number<W> extreme(const Number<W>& x, const Number<W>& y, unsigned which) {
  const W order = call<Compare>(x, y);
  return branch(
      is_undefined(x), [&] { return x; }, is_undefined(y), [&] { return y; }, order == 0,
      [] { return undefined<W>(Cause::order); }, order == 2, [&] { return joined(x, y); }, order == which,
      [&] { return x; }, [&] { return y; });
}
struct Max {
  static constexpr const char* name = "max";
  template <class W>
  static Number<W> of(const Number<W>& x, const Number<W>& y) {
    return extreme(x, y, 3);
  }
};
struct Min {
  static constexpr const char* name = "min";
  template <class W>
  static Number<W> of(const Number<W>& x, const Number<W>& y) {
    return extreme(x, y, 1);
  }
};
struct Clamp {
  static constexpr const char* name = "clamp";
  template <class W>
  static Number<W> of(const Number<W>& x, const Number<W>& low, const Number<W>& high) {
    return call<Min>(call<Max>(x, low), high);
  }
};

struct Abs {
  static constexpr const char* name = "abs";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    const W known = sign(x);
    return branch(
        is_undefined(x), [&] { return x; },  //
        is_infinite(x), [] { return undefined<W>(Cause::infinity); }, known == 0,
        [] { return undefined<W>(Cause::order); },
        [&] {
          const Number<W> out = branch(
              known == 1, [&] { return call<Neg>(x); }, [&] { return x; });
          // sqrt(x^2) has the root that is a square. If the signs of a and b do not agree, b is left open.
          const auto open = out.b() == unknown_b;
          const W found = tables_for(out.b()).root_q[select(open, 0, out.b())];
          return with_b<W>(out, select(open | (found == Tables::none), unknown_b, out.b()));
        });
  }
};

struct SignValue {
  static constexpr const char* name = "sign";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    const W known = sign(x);
    return branch(
        is_undefined(x), [&] { return x; },  //
        known == 0, [] { return undefined<W>(Cause::order); }, [&] { return from_integer<W>(known - 2); });
  }
};

/// |x| with the sign of y; 0 counts as positive.
struct Copysign {
  static constexpr const char* name = "copysign";
  template <class W>
  static Number<W> of(const Number<W>& x, const Number<W>& y) {
    const W known = sign(y);
    return branch(
        is_undefined(y), [&] { return y; },  //
        known == 0, [] { return undefined<W>(Cause::order); }, known == 1, [&] { return call<Neg>(call<Abs>(x)); },
        [&] { return call<Abs>(x); });
  }
};

}  // namespace reckon::numerics::padic::rules
