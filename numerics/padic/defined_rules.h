// Functions that are defined by other functions, over words (words.h).
#pragma once

#include "numerics/padic/function_rules.h"

namespace reckon::numerics::padic {

// The ring's constants, computed once.
const Value& ln2();
const Value& log2e();
const Value& ln10();
const Value& log10e();
const Value& one_half();
const Value& half_turn();  ///< pi

namespace rules {

template <class W>
Number<W> one() {
  return opened<W>(Value{one_form, 1, 1, 4, {}});
}

struct Exp2 {
  static constexpr const char* name = "exp2";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return call<Exp>(call<Mul>(x, opened<W>(ln2())));
  }
};
struct Exp10 {
  static constexpr const char* name = "exp10";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return call<Exp>(call<Mul>(x, opened<W>(ln10())));
  }
};
struct Expm1 {
  static constexpr const char* name = "expm1";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return call<Sub>(call<Exp>(x), one<W>());
  }
};
struct Log2 {
  static constexpr const char* name = "log2";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return call<Mul>(call<Log>(x), opened<W>(log2e()));
  }
};
struct Log10 {
  static constexpr const char* name = "log10";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return call<Mul>(call<Log>(x), opened<W>(log10e()));
  }
};
struct Log1p {
  static constexpr const char* name = "log1p";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return call<Log>(call<Add>(one<W>(), x));
  }
};
struct Sinpi {
  static constexpr const char* name = "sinpi";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return call<Sin>(call<Mul>(x, opened<W>(half_turn())));
  }
};
struct Cospi {
  static constexpr const char* name = "cospi";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return call<Cos>(call<Mul>(x, opened<W>(half_turn())));
  }
};
struct Tanpi {
  static constexpr const char* name = "tanpi";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return call<Tan>(call<Mul>(x, opened<W>(half_turn())));
  }
};
struct Sinh {
  static constexpr const char* name = "sinh";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return call<Mul>(call<Sub>(call<Exp>(x), call<Exp>(call<Neg>(x))), opened<W>(one_half()));
  }
};
struct Cosh {
  static constexpr const char* name = "cosh";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return call<Mul>(call<Add>(call<Exp>(x), call<Exp>(call<Neg>(x))), opened<W>(one_half()));
  }
};
struct Tanh {
  static constexpr const char* name = "tanh";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return call<Div>(call<Sinh>(x), call<Cosh>(x));
  }
};
struct Asinh {
  static constexpr const char* name = "asinh";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return call<Log>(call<Add>(x, call<Sqrt>(call<Add>(call<Mul>(x, x), one<W>()))));
  }
};
struct Acosh {
  static constexpr const char* name = "acosh";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    return call<Log>(call<Add>(x, call<Sqrt>(call<Sub>(call<Mul>(x, x), one<W>()))));
  }
};
struct Atanh {
  static constexpr const char* name = "atanh";
  template <class W>
  static Number<W> of(const Number<W>& x) {
    const Number<W> ratio = call<Div>(call<Add>(one<W>(), x), call<Sub>(one<W>(), x));
    return call<Mul>(call<Log>(ratio), opened<W>(one_half()));
  }
};
struct Hypot {
  static constexpr const char* name = "hypot";
  template <class W>
  static Number<W> of(const Number<W>& x, const Number<W>& y) {
    return call<Sqrt>(call<Add>(call<Mul>(x, x), call<Mul>(y, y)));
  }
};
struct Pow {
  static constexpr const char* name = "pow";
  template <class W>
  static Number<W> of(const Number<W>& x, const Number<W>& y) {
    const Halves<W> n = half_integer(y);
    return branch(
        is_undefined(x), [&] { return x; }, n.known & ((n.twice & 1) == 0),
        [&] { return integer_power<W>(x, n.twice >> 1, n.negative); }, n.known,
        [&] { return integer_power<W>(call<Sqrt>(x), n.twice, n.negative); },
        [&] { return call<Exp>(call<Mul>(y, call<Log>(x))); });
  }
};
struct Rootn {
  static constexpr const char* name = "rootn";
  template <class W>
  static Number<W> of(const Number<W>& x, const Number<W>& n) {
    const Halves<W> degree = half_integer(n);
    const auto is_degree = degree.known & ((degree.twice & 1) == 0) & !(degree.twice == 0);
    const auto even = (degree.twice & 2) == 0, negative = teichmueller_index(x.a) == Tables::none;
    return branch(
        is_undefined(x) | is_undefined(n), [&] { return first_undefined(x, n); },    //
        !is_degree, [] { return undefined<W>(Cause::root); },                        //
        is_infinite(x), [] { return undefined<W>(Cause::infinity); },                //
        is_zero(x) & degree.negative, [] { return undefined<W>(Cause::division); },  //
        is_zero(x), [&] { return x; },                                               //
        negative & even, [] { return undefined<W>(Cause::root); },                   //
        negative, [&] { return call<Neg>(call<Pow>(call<Neg>(x), call<Div>(one<W>(), n))); },
        [&] { return call<Pow>(x, call<Div>(one<W>(), n)); });
  }
};

}  // namespace rules
}  // namespace reckon::numerics::padic
