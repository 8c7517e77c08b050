// exp, log, roots, sine and cosine, over words (words.h); functions.h defines them.
#pragma once

#include "numerics/padic/field_rules.h"

namespace reckon::numerics::padic::rules {

inline constexpr std::uint64_t half_p2 = (p2 + 1) / 2;       // 1/2 modulo p^2
inline constexpr std::uint64_t sixth = small_inverse(6, p);  // 1/6 modulo p
inline constexpr std::uint64_t third = small_inverse(3, p);

template <class W>
W one_more(const Number<W>& x) {
  return smaller<W>(x.digits() + 1, 4);
}
/// The constants for raising a unit a = zeta^w (1 + x) to the power numerator/denominator.
struct Exponent {
  std::uint64_t first;   ///< s = numerator/denominator modulo p^4, in Montgomery's form
  std::uint64_t second;  ///< s (s - 1) / 2 modulo p^2
  std::uint64_t third;   ///< s (s - 1) (s - 2) / 6 modulo p
  std::uint64_t index;   ///< s modulo q
};
constexpr Exponent exponent(std::int64_t numerator, std::int64_t denominator) {
  const auto modulo = [&](std::uint64_t m, std::uint64_t group) {
    const auto inverse = [&](std::uint64_t x) {  // x^(group - 1) modulo m
      std::uint64_t out = 1;
      for (std::uint64_t e = group - 1; e > 0; e >>= 1) {
        if (e & 1) out = static_cast<std::uint64_t>(Word128{out} * x % m);
        x = static_cast<std::uint64_t>(Word128{x} * x % m);
      }
      return out;
    };
    const std::uint64_t top =
        numerator < 0 ? m - static_cast<std::uint64_t>(-numerator) : static_cast<std::uint64_t>(numerator);
    return static_cast<std::uint64_t>(Word128{top} * inverse(static_cast<std::uint64_t>(denominator)) % m);
  };
  Exponent out{};
  out.first = static_cast<std::uint64_t>(Word128{modulo(p4, p3 * (p - 1))} * one_form % p4);
  const std::uint64_t s2 = modulo(p2, p * (p - 1)), s1 = s2 % p;
  out.second = s2 * ((s2 + p2 - 1) % p2) % p2 * half_p2 % p2;
  out.third = s1 * ((s1 + p - 1) % p) % p * ((s1 + p - 2) % p) % p * sixth % p;
  out.index = modulo(q, q - 1);
  return out;
}

/// The w of a = zeta^w (1 + x) with x = p v; none if a is not in H.
template <class W>
W teichmueller_index(const W& a) {
  return tables_for(a).index[plain(a) % p];
}
/// The x of a = zeta^w (1 + x), as a plain number.
template <class W>
W one_unit(const W& a, const W& w) {
  return plain(multiply(a, zeta(tables_for(a), select(w == 0, w, q - w)))) - 1;
}
template <class W>
W raised(const W& w, const W& x, const Exponent& e) {
  const W first = plain(multiply(form(x), e.first));
  const W sum = series(select(first == p4 - 1, 0, first + 1), x / p, e.second, e.third);
  return multiply(form(sum), zeta(tables_for(w), small_remainder(w * e.index, q)));
}

struct Exp {
  static constexpr const char* name = "exp";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return branch(
        is_undefined(x), [&] { return x; },  //
        is_infinite(x), [] { return Number<W>{}; }, x.b() == unknown_b, [] { return undefined<W>(Cause::exp); },
        [&] {
          const W v = plain(x.a) % p3;
          const W unit = series<W>(1 + v * p, v, half_p2, sixth);
          // Nothing is known of the other parts if there is a power of ln 2, or if the exponential's part is unknown.
          const Known e(x.exponential());
          const auto known = e.ln2_power == 0;
          return Number<W>{multiply(form(unit), zeta(tables_for(v), x.b())),
                           select(known & !(e.b == 0), e.b, unknown_b), select(known & !(e.c == 0), e.c, unknown_c),
                           one_more(x), clean};
        });
  }
};

struct Log {
  static constexpr const char* name = "log";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    const W w = teichmueller_index(x.a);
    return branch(
        is_undefined(x), [&] { return x; },  //
        is_infinite(x), [] { return undefined<W>(Cause::infinity); }, (x.digits() == 1) | (w == Tables::none),
        [] { return undefined<W>(Cause::logarithm); },
        [&] {
          // log(1 + p v) / p = v - p v^2/2 + p^2 v^3/3 modulo p^3.
          const W v = one_unit(x.a, w) / p, v2 = v % p2, v1 = v % p;
          const W square = v2 * v2 % p2 * half_p2 % p2;
          const W cube = small_remainder(small_remainder(small_remainder(v1 * v1, p) * v1, p) * third, p);
          const W logarithm = (v + (p3 - square * p) + cube * p2) % p3;
          // exp(log x) must be positive, so its b is a square: otherwise sqrt(y y) = y would fail for it.
          const auto known = !(x.b() == unknown_b);
          const W root = tables_for(v).root_q[select(known, x.b(), 0)];
          return Number<W>{form(logarithm), w, unknown_c, x.digits() - 1,
                           joined_parts<W>(select(known & !(root == Tables::none), x.b(), 0),
                                           select(x.c() == unknown_c, 0, x.c()), 0)};
        });
  }
};

template <class W>
W plain_or_nothing(const Number<W>& x) {
  return select(x.exponential() == clean, x.exponential(), 0);
}

/// x^(1/2) and x^(-1/2).
template <bool inverted, class W>
Number<W> root(const Number<W>& x) {
  static constexpr Exponent e = exponent(inverted ? -1 : 1, 2);
  const W w = teichmueller_index(x.a);
  return branch(
      is_undefined(x), [&] { return x; },  //
      is_zero(x), [&] { return inverted ? undefined<W>(Cause::division) : x; }, is_infinite(x),
      [] { return undefined<W>(Cause::infinity); }, w == Tables::none, [] { return undefined<W>(Cause::root); },
      [&] {
        static_assert(unknown_b == Tables::none);
        const auto& t = tables_for(w);
        const auto known = !(x.b() == unknown_b);
        W b = select(known, t.root_q[select(known, x.b(), 0)], unknown_b);
        if (inverted) {
          const auto unit = (!(b == unknown_b)) & (!(b == 0));
          b = select(unit, t.inverse_q[select(unit, b, 0)], unknown_b);
        }
        // 2 is not a square modulo r, so no root modulo r is the one that positive numbers should have.
        return Number<W>{raised(w, one_unit(x.a, w), e), b, unknown_c, x.digits(), plain_or_nothing(x)};
      });
}
struct Sqrt {
  static constexpr const char* name = "sqrt";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return root<false>(x);
  }
};
struct Rsqrt {
  static constexpr const char* name = "rsqrt";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return root<true>(x);
  }
};

struct Cbrt {
  static constexpr const char* name = "cbrt";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return branch(
        is_undefined(x) | is_zero(x), [&] { return x; },  //
        is_infinite(x), [] { return undefined<W>(Cause::infinity); }, x.a % p == 0,
        [] { return undefined<W>(Cause::root); },
        [&] {
          static constexpr Exponent e = exponent(1, 3);
          const auto negative = teichmueller_index(x.a) == Tables::none;
          const W positive = select(negative, p4 - x.a, x.a), w = teichmueller_index(positive);
          const W a = raised(w, one_unit(positive, w), e);
          constexpr std::uint64_t third_of_group = (2 * (q - 1) + 1) / 3;  // 1/3 modulo q - 1
          static_assert(third_of_group * 3 % (q - 1) == 1);
          const auto known = !(x.b() == unknown_b);
          return Number<W>{select(negative, p4 - a, a),
                           select(known, small_power(select(known, x.b(), 0), third_of_group, q), unknown_b), unknown_c,
                           x.digits(), plain_or_nothing(x)};
        });
  }
};

/// cos and sin. Their other parts are 1 and 0, for which the addition theorems also hold.
template <class W>
PointOf<W> on_circle(const Number<W>& x) {
  const W v = plain(x.a) % p3;
  // cos(p v) = 1 - p^2 v^2/2, sin(p v) = p v - p^3 v^3/6.
  const PointOf<W> fine{form(series<W>(1, v, p2 - half_p2, 0)), form(series<W>(v * p, v, 0, p - sixth))};
  const auto& coarse = tables_for(v).circle[x.c()];
  return multiply(fine, PointOf<W>{coarse.cos, coarse.sin});
}
template <class W, class Function>
Number<W> circular(const Number<W>& x, Function&& function) {
  return branch(
      is_undefined(x), [&] { return x; },  //
      is_infinite(x), [] { return undefined<W>(Cause::infinity); }, x.c() == unknown_c,
      [] { return undefined<W>(Cause::sine); }, [&] { return function(on_circle(x), one_more(x)); });
}
template <class W>
Number<W> sin_of(const PointOf<W>& point, const W& digits) {
  return {point.sin, 0, 0, digits, clean};
}
template <class W>
Number<W> cos_of(const PointOf<W>& point, const W& digits) {
  return {point.cos, 1, 1, digits, clean};
}
struct Sin {
  static constexpr const char* name = "sin";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return circular(x, sin_of<W>);
  }
};
struct Cos {
  static constexpr const char* name = "cos";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return circular(x, cos_of<W>);
  }
};
struct Tan {
  static constexpr const char* name = "tan";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return circular(x, [](const PointOf<W>& at, const W& digits) {
      return call<Div>(sin_of(at, digits), cos_of(at, digits));
    });
  }
};

}  // namespace reckon::numerics::padic::rules
