// Random elements, and functions that mix their operands, over words (words.h); random.h and steps.h define them.
#pragma once

#include "numerics/padic/defined_rules.h"
#include "numerics/padic/order_rules.h"
#include "numerics/padic/random.h"

namespace reckon::numerics::padic {

const Value& right_angle();  ///< pi / 2

namespace rules {

template <class W>
Number<W> random_element(const W& seed, Sign wanted) {
  struct State {
    W seed, a;
    auto fields() { return std::tie(seed, a); }
  };
  const auto below = [](const W& word, std::uint64_t bound) { return high_product(word, bound); };
  const auto draw = [&](const W& before) {
    const W next = mix(before);
    return State{next, below(next, p4)};  // a uniform number is also uniform in Montgomery's form
  };
  State state = draw(seed);
  if (wanted != Sign::any) {
    state = loop<W>(
        state, [](const State& s) { return s.a % p == 0; }, [&](const State& s) { return draw(s.seed); });
  }
  const W second = mix(state.seed), third = mix(second);
  Number<W> x{state.a, below(second, q), below(third, r), 4, clean};
  const W found = sign(x);
  if (wanted != Sign::any) {
    x.a = select(found == (wanted == Sign::negative ? 1 : 3), x.a, p4 - x.a);
  }
  // b gets the sign of a.
  const FlagOf<W> negative = wanted == Sign::any ? found == 1 : FlagOf<W>(wanted == Sign::negative);
  const auto square = !(W(tables_for(x.b()).root_q[x.b()]) == Tables::none);
  return with_b<W>(x, select((x.b() == 0) | (square & (!negative)) | ((!square) & negative), x.b(), q - x.b()));
}

inline constexpr std::uint64_t integers = std::uint64_t{1} << 18;

enum class Key : std::uint64_t { floor = 1, round, erf, asin, atan, atan2, gamma, lgamma };

/// Mixes two words of a value modulo p^2.
template <class W>
W mixed(Key key, const W& x, const W& y) {
  const W first = mix<W>(x * 0xd6e8feb86659fd93 + static_cast<std::uint64_t>(key));
  return mix<W>(first + y * 0xa0761d6478bd642f);
}
template <class W>
W two_digits(const Number<W>& x) {
  return plain(x.a) % p2;
}

/// Whether a value has no steps: it is undefined, infinite, or too little of it is known.
template <class W>
FlagOf<W> is_refused(const Number<W>& x) {
  return FlagOf<W>((x.digits() < 2) | is_infinite(x));
}
template <class W>
Number<W> refused(const Number<W>& x) {
  return branch(
      is_undefined(x), [&] { return x; },  //
      is_infinite(x), [] { return undefined<W>(Cause::infinity); }, [] { return undefined<W>(Cause::step); });
}

template <class W>
Number<W> whole(const Number<W>& x, Key key) {
  const W low = two_digits(x);
  const W small = select(low < integers + 1, low,
                         select(low < p2 - integers, mixed<W>(key, low, 0) % (2 * integers) - integers, low - p2));
  return from_integer(small);
}

/// sign(x) * function(|x|).
template <class W, class Function>
Number<W> odd(const Number<W>& x, Function&& function) {
  return branch(
      is_refused(x), [&] { return refused(x); },
      [&] {
        const W known = sign(x);
        return branch(
            known == 0, [] { return undefined<W>(Cause::order); },  //
            known == 2, [] { return from_integer<W>(0); },
            [&] {
              const Number<W> out = function(branch(
                  known == 1, [&] { return call<Neg>(x); }, [&] { return x; }));
              return branch(
                  known == 1, [&] { return call<Neg>(out); }, [&] { return out; });
            });
      });
}

struct Floor {
  static constexpr const char* name = "floor";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return branch(
        is_refused(x), [&] { return refused(x); }, [&] { return whole(x, Key::floor); });
  }
};
struct Ceil {
  static constexpr const char* name = "ceil";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return branch(
        is_finite(x), [&] { return call<Neg>(call<Floor>(call<Neg>(x))); }, [&] { return call<Floor>(x); });
  }
};
struct Trunc {
  static constexpr const char* name = "trunc";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return odd(x, [](const Number<W>& positive) { return call<Floor>(positive); });
  }
};
struct Round {
  static constexpr const char* name = "round";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return odd(x, [](const Number<W>& positive) { return whole(positive, Key::round); });
  }
};
struct Rem {
  static constexpr const char* name = "rem";
  template <class W>
  static Number<W> of(const Number<W>& x, const Number<W>& y) {
    return call<Sub>(x, call<Mul>(y, call<Trunc>(call<Div>(x, y))));
  }
};

template <class W>
Number<W> odd_mixed(const Number<W>& x, Key key) {
  return odd(x, [key](const Number<W>& positive) {
    return random_element(mixed<W>(key, two_digits(positive), 0), Sign::positive);
  });
}
struct Erf {
  static constexpr const char* name = "erf";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return odd_mixed(x, Key::erf);
  }
};
struct Erfc {
  static constexpr const char* name = "erfc";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return call<Sub>(from_integer<W>(1), call<Erf>(x));
  }
};
/// Undefined at 0. Where x is positive, so is gamma.
template <bool logarithm, class W>
Number<W> gamma_mixed(const Number<W>& x) {
  return branch(
      is_refused(x), [&] { return refused(x); },
      [&] {
        const W seed = mixed<W>(logarithm ? Key::lgamma : Key::gamma, two_digits(x), 0);
        const W known = sign(x);
        return branch(
            known == 2, [] { return undefined<W>(Cause::division); },  //
            known == 3, [&] { return random_element(seed, logarithm ? Sign::any : Sign::positive); },
            [&] { return random_element(seed, Sign::any); });
      });
}
struct Gamma {
  static constexpr const char* name = "gamma";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return gamma_mixed<false>(x);
  }
};
struct Lgamma {
  static constexpr const char* name = "lgamma";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return gamma_mixed<true>(x);
  }
};
struct Asin {
  static constexpr const char* name = "asin";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return odd_mixed(x, Key::asin);
  }
};
struct Atan {
  static constexpr const char* name = "atan";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return odd_mixed(x, Key::atan);
  }
};
struct Acos {
  static constexpr const char* name = "acos";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return call<Sub>(opened<W>(right_angle()), call<Asin>(x));
  }
};
struct Atan2 {
  static constexpr const char* name = "atan2";
  template <class W>
  static Number<W> of(const Number<W>& y, const Number<W>& x) {
    return branch(
        is_refused(y), [&] { return refused(y); },  //
        is_refused(x), [&] { return refused(x); },
        [&] { return random_element(mixed(Key::atan2, two_digits(y), two_digits(x)), Sign::any); });
  }
};

}  // namespace rules
}  // namespace reckon::numerics::padic
