// + - * / of the ring, over words (words.h). Values that are not plain (unknown digits, logarithms, -inf) are rare.
#pragma once

#include "numerics/padic/number_rules.h"

namespace reckon::numerics::padic::rules {

struct AddAny {
  static constexpr const char* name = "add_any";
  static constexpr bool rare = true;
  template <class W>
  static Number<W> of(const Number<W>& x, const Number<W>& y) {
    return branch(
        is_undefined(x) | is_undefined(y), [&] { return first_undefined(x, y); }, is_infinite(x) | is_infinite(y),
        [&] { return minus_infinity<W>(); },
        [&] {
          return Number<W>{add_modulo(x.a, y.a), add_b(x.b(), y.b()), add_c(x.c(), y.c()),
                           smaller(x.digits(), y.digits()), of_sum(x, y)};
        });
  }
};

struct Add {
  static constexpr const char* name = "add";
  static constexpr bool small = true;
  template <class W>
  static Number<W> of(const Number<W>& x, const Number<W>& y) {
    return branch(
        are_plain(x, y), [&] { return plain_number(add_modulo(x.a, y.a), add_b(x.b(), y.b()), add_c(x.c(), y.c())); },
        [&] { return call<AddAny>(x, y); });
  }
};

struct Invert {
  static constexpr const char* name = "neg_any";
  static constexpr bool rare = true;
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return branch(
        is_finite(x),
        [&] {
          return Number<W>{x.a, x.b(), x.c(), x.digits(), inverted(x.exponential())};
        },  //
        is_infinite(x), [] { return undefined<W>(Cause::infinity); }, [&] { return x; });
  }
};
struct Neg {
  static constexpr const char* name = "neg";
  static constexpr bool small = true;
  template <class W>
  static Number<W> of(const Number<W>& x) {
    const Number<W> out{negate_modulo(x.a), negate_part(x.b(), q, unknown_b), negate_part(x.c(), r, unknown_c),
                        x.digits(), x.exponential()};
    return branch(
        is_plain(x), [&] { return out; }, is_finite(x), [&] { return call<Invert>(out); },
        [&] { return call<Invert>(x); });
  }
};

struct MulAny {
  static constexpr const char* name = "mul_any";
  static constexpr bool rare = true;
  template <class W>
  static Number<W> of(const Number<W>& x, const Number<W>& y) {
    return branch(
        is_undefined(x) | is_undefined(y), [&] { return first_undefined(x, y); }, is_infinite(x) | is_infinite(y),
        [&] {  // both infinities are -inf, so neither is positive
          const W signs = branch(
              is_infinite(x), [&] { return sign(y); }, [&] { return sign(x); });
          return branch(
              signs == 3, [] { return minus_infinity<W>(); }, [] { return undefined<W>(Cause::infinity); });
        },
        is_zero(x) | is_zero(y), [] { return Number<W>{}; },
        [&] {
          return Number<W>{multiply(x.a, y.a), mul_b(x.b(), y.b()), mul_c(x.c(), y.c()),
                           smaller(x.digits(), y.digits()), by_powers(x, y, true, [&] { return of_product(x, y); })};
        });
  }
};
struct Mul {
  static constexpr const char* name = "mul";
  static constexpr bool small = true;
  template <class W>
  static Number<W> of(const Number<W>& x, const Number<W>& y) {
    const W a = multiply(x.a, y.a);
    return branch(
        are_plain(x, y) & !(a == 0),  // only 0 itself makes unknown parts known
        [&] { return plain_number(a, mul_b(x.b(), y.b()), mul_c(x.c(), y.c())); }, [&] { return call<MulAny>(x, y); });
  }
};

/// 1/x modulo p^4, in Montgomery's form; x is a unit.
template <class W>
W inverse(const W& x) {
  // Newton's iteration doubles the number of correct digits: 1, 2, 4.
  const W known = plain(x), known2 = known % p2;
  const W one_digit = tables_for(x).inverse[known % p];
  const W two_digits = one_digit * ((2 + p2 - one_digit * known2 % p2) % p2) % p2;
  const W start = form(two_digits);
  return multiply(start, subtract_modulo<W>(2 * one_form % p4, multiply(start, x)));
}

struct DivAny {
  static constexpr const char* name = "div_any";
  static constexpr bool rare = true;
  template <class W>
  static Number<W> of(const Number<W>& x, const Number<W>& y) {
    return branch(
        is_undefined(x) | is_undefined(y), [&] { return first_undefined(x, y); }, is_infinite(y),
        [] { return undefined<W>(Cause::infinity); }, y.a % p == 0, [] { return undefined<W>(Cause::division); },
        is_infinite(x),
        [&] {
          return branch(
              sign(y) == 3, [&] { return x; }, [] { return undefined<W>(Cause::infinity); });
        },
        is_zero(x), [&] { return x; },
        [&] {
          const auto& t = tables_for(x.a);
          const W b = branch((y.b() == 0) | (y.b() == unknown_b), [] { return W(unknown_b); },
                             [&] { return W(t.inverse_q[y.b()]); });
          const W c = branch((y.c() == 0) | (y.c() == unknown_c), [] { return W(unknown_c); },
                             [&] { return W(t.inverse_r[y.c()]); });
          return Number<W>{multiply(x.a, inverse(y.a)), mul_b(x.b(), b), mul_c(x.c(), c),
                           smaller(x.digits(), y.digits()), by_powers(x, y, false, [&] { return of_quotient(x, y); })};
        });
  }
};
struct Div {
  static constexpr const char* name = "div";
  template <class W>
  static Number<W> of(const Number<W>& x, const Number<W>& y) {
    const auto simple = are_plain(x, y) & !(y.a % p == 0) & !is_zero(x) & !(y.b() == 0) & !(y.b() == unknown_b) &
                        !(y.c() == 0) & !(y.c() == unknown_c);
    return branch(
        simple,
        [&] {
          const auto& t = tables_for(x.a);
          return plain_number<W>(multiply(x.a, inverse(y.a)), mul_b<W>(x.b(), t.inverse_q[y.b()]),
                                 mul_c<W>(x.c(), t.inverse_r[y.c()]));
        },
        [&] { return call<DivAny>(x, y); });
  }
};

struct Sub {
  static constexpr const char* name = "sub";
  static constexpr bool small = true;
  template <class W>
  static Number<W> of(const Number<W>& x, const Number<W>& y) {
    return call<Add>(x, call<Neg>(y));
  }
};
/// There is no rounding to avoid, so this is the sum of the product and z.
struct Fma {
  static constexpr const char* name = "fma";
  static constexpr bool small = true;
  template <class W>
  static Number<W> of(const Number<W>& x, const Number<W>& y, const Number<W>& z) {
    return call<Add>(call<Mul>(x, y), z);
  }
};

/// x^n for n of either sign; only by multiplications if n >= 0.
template <class W>
Number<W> integer_power(const Number<W>& x, const W& n, const FlagOf<W>& negative) {
  struct State {
    Number<W> out, square;
    W rest;
    auto fields() { return std::tuple_cat(out.fields(), square.fields(), std::tie(rest)); }
  };
  return branch(
      is_undefined(x), [&] { return x; },  //
      is_infinite(x),
      [&] { return branch((n == 1) & !negative, [&] { return x; }, [] { return undefined<W>(Cause::infinity); }); },
      [&] {
        const Number<W> one = opened<W>(Value{one_form, 1, 1, 4, {}});
        const State end = loop<W>(
            State{one, x, n}, [](const State& s) { return !(s.rest == 0); },
            [](const State& s) {
              const Number<W> out =
                  branch((s.rest & 1) == 0, [&] { return s.out; }, [&] { return call<Mul>(s.out, s.square); });
              const Number<W> square = branch(
                  s.rest < 2, [&] { return s.square; }, [&] { return call<Mul>(s.square, s.square); });
              return State{out, square, s.rest >> 1};
            });
        return branch(
            negative, [&] { return call<Div>(one, end.out); }, [&] { return end.out; });
      });
}

}  // namespace reckon::numerics::padic::rules
