// interval(mean_value): beside its natural enclosure, each value keeps what it is at the middle c of the inputs' ranges,
// and enclosures of its partial derivatives over the whole ranges X. By the mean value theorem all of its values lie in
// f(c) + f'(X) (X - c), and so in the intersection of it with the natural enclosure, after every operation. For narrow
// ranges the first is wider than the true range by an amount that shrinks with the square of their width, the second by
// one that shrinks with the width alone. Sources: R. E. Moore, Interval Analysis, 1966; A. Neumaier, Interval Methods for
// Systems of Equations, 1990, section 2.3. Derivatives are computed forward, with the values.
//
// Why it encloses, with kinks and partial functions: the inputs that are differentiated are the variables x, in the box
// X. A value without a derivative on all of its operands (floor, sign, %, an undecided select, a function at the end of
// its domain, atan2 over its cut) is a parameter from there on: any number of its enclosure, also at the middle.
// For all x in X and all parameters at once, a value lies in `low..high`, at x = c in `centre`, and along the segment from
// c to x it is Lipschitz with derivatives in `slopes` almost everywhere, so that it is their integral: abs, min, max and
// hypot have such derivatives as well (F. H. Clarke, Optimization and Nonsmooth Analysis, 1983, section 2.3).
#pragma once

#include "semantics/interval/centred_form.h"

namespace reckon::interp {

template <class Inner, class Endpoints>
struct MeanValue : CentredForms<Inner, Endpoints> {
  using Forms = CentredForms<Inner, Endpoints>;
  using typename Forms::End, typename Forms::Fault, typename Forms::I, typename Forms::V;
  using Value = V;
  using Forms::endpoints, Forms::inner;

  V everything() const { return inner.everything(); }

  V add(const V& a, const V& b) const {
    return binary(inner.add(a, b), a, b, one(), one(), [&](const I& x, const I& y) { return inner.add(x, y); });
  }
  V sub(const V& a, const V& b) const {
    return binary(inner.sub(a, b), a, b, one(), number(-1), [&](const I& x, const I& y) { return inner.sub(x, y); });
  }
  V mul(const V& a, const V& b) const {
    return binary(inner.mul(a, b), a, b, b, a, [&](const I& x, const I& y) { return inner.mul(x, y); });
  }
  V fma(const V& a, const V& b, const V& c) const {
    const I natural = inner.fma(a, b, c);
    if (!a.form && !b.form && !c.form) return natural;
    auto slopes = scaled(a, b);
    slopes = joined(std::move(slopes), scaled(b, a));
    return finished(natural, inner.fma(centre(a), centre(b), centre(c)), joined(std::move(slopes), scaled(c, one())));
  }
  Fault div(V& out, const V& a, const V& b) const {
    I natural, middle;
    if (const Fault fault = inner.div(natural, a, b)) return fault;
    if ((a.form || b.form) && (b.low > 0 || b.high < 0) && !inner.div(middle, centre(a), centre(b))) {
      out = finished(natural, middle, joined(scaled(a, over(one(), b)), scaled(b, inner.neg(over(natural, b)))));
    } else {
      out = natural;
    }
    return nullptr;
  }
  Fault ldexp(V& out, const V& a, const V& b) const {
    I natural;
    const Fault fault = inner.ldexp(natural, a, b);
    if (!fault) out = natural;
    return fault;
  }
  Fault rem(V& out, const V& a, const V& b) const {
    I natural;
    const Fault fault = inner.rem(natural, a, b);
    if (!fault) out = natural;
    return fault;
  }
  V neg(const V& a) const {
    return unary(inner.neg(a), a, number(-1), [&](const I& x) { return inner.neg(x); });
  }

  V abs(const V& a) const {
    if (a.low >= 0) return a;
    if (a.high <= 0) return neg(a);
    return unary(inner.abs(a), a, {End(-1), End(1)}, [&](const I& x) { return inner.abs(x); });
  }
  V min(const V& a, const V& b) const {
    if (a.high <= b.low) return a;
    if (b.high <= a.low) return b;
    return either(inner.min(a, b), inner.min(centre(a), centre(b)), a, b);
  }
  V max(const V& a, const V& b) const {
    if (a.low >= b.high) return a;
    if (b.low >= a.high) return b;
    return either(inner.max(a, b), inner.max(centre(a), centre(b)), a, b);
  }
  V minnum(const V& a, const V& b) const { return min(a, b); }
  V maxnum(const V& a, const V& b) const { return max(a, b); }
  V clamp(const V& a, const V& low, const V& high) const { return min(max(a, low), high); }
  V sign(const V& a) const { return inner.sign(a); }
  V copysign(const V& a, const V& b) const {
    if (b.low >= 0) return abs(a);
    if (b.high < 0) return neg(abs(a));
    return inner.copysign(a, b);
  }
  V floor(const V& a) const { return inner.floor(a); }
  V ceil(const V& a) const { return inner.ceil(a); }
  V trunc(const V& a) const { return inner.trunc(a); }
  V round(const V& a) const { return inner.round(a); }

  Truth less(const V& a, const V& b) const { return inner.less(a, b); }
  Truth less_equal(const V& a, const V& b) const { return inner.less_equal(a, b); }
  Truth equal(const V& a, const V& b) const { return inner.equal(a, b); }
  Truth not_equal(const V& a, const V& b) const { return inner.not_equal(a, b); }
  V hull(const V& a, const V& b) const { return inner.hull(a, b); }
  V convert(const MeanValue&, const V& value) const { return value; }

  // Functions with their derivatives. A function with a domain has a form if its whole operand lies inside the domain.
  Fault of(numerics::Function f, V& out, const V& a) const {
    const numerics::FunctionTraits& row = numerics::traits(f);
    I natural, middle;
    if (const Fault fault = inner.of(f, natural, a)) return fault;
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const bool smooth = (row.domain.low == -infinity || a.low > End(row.domain.low)) &&
                        (row.domain.high == infinity || a.high < End(row.domain.high)) &&
                        ((row.shape != numerics::Shape::branches && row.poles == numerics::Poles::none) ||
                         bounded(natural));  // there may be a pole inside
    if (!a.form || !smooth || inner.of(f, middle, a.form->centre)) {
      out = natural;
    } else {
      const I slope = numerics::evaluate(row.derivative, Derivatives{*this}, static_cast<const I&>(a), natural);
      out = finished(natural, middle, scaled(a, slope));  // `out` may be `a`
    }
    return nullptr;
  }
#define RECKON_FUNCTION(name)                                                                         \
  V name(const V& a) const requires(numerics::is_everywhere(numerics::Function::name)) {              \
    V out;                                                                                            \
    (void)of(numerics::Function::name, out, a);                                                       \
    return out;                                                                                       \
  }                                                                                                   \
  Fault name(V& out, const V& a) const requires(!numerics::is_everywhere(numerics::Function::name)) { \
    return of(numerics::Function::name, out, a);                                                      \
  }
#include "numerics/functions.def"
  Fault sqrt(V& out, const V& a) const { return of(numerics::Function::sqrt, out, a); }

  /// The derivatives a / hypot and b / hypot lie in [-1, 1], also at the kink in 0.
  V hypot(const V& a, const V& b) const {
    const I natural = inner.hypot(a, b), unit{End(-1), End(1)};
    const auto by = [&](const I& x) { return natural.low > 0 ? intersection(over(x, natural), unit) : unit; };
    return binary(natural, a, b, by(a), by(b), [&](const I& x, const I& y) { return inner.hypot(x, y); });
  }
  Fault atan2(V& out, const V& y, const V& x) const {
    I natural, middle;
    if (const Fault fault = inner.atan2(natural, y, x)) return fault;
    const bool smooth = x.low > 0 || y.low > 0 || y.high < 0;  // the operand meets neither the cut nor the origin
    if ((!y.form && !x.form) || !smooth || inner.atan2(middle, centre(y), centre(x))) {
      out = natural;
    } else {
      const I squares = inner.add(square(y), square(x));
      out = finished(natural, middle, joined(scaled(y, over(x, squares)), scaled(x, inner.neg(over(y, squares)))));
    }
    return nullptr;
  }
  /// Has a form for x > 0, and for a constant integer y if x is not 0 or y is positive.
  Fault pow(V& out, const V& x, const V& y) const {
    I natural, middle;
    if (const Fault fault = inner.pow(natural, x, y)) return fault;
    const I less = inner.sub(y, one());
    const bool whole =
        y.low == y.high && less.low == less.high && endpoints.is_finite(y.low) && endpoints.floor(y.low) == y.low;
    const bool apart = x.low > 0 || x.high < 0;
    I power, logarithm{0, 0};
    const bool smooth = x.low > 0 || (whole && (apart || y.low >= 1));
    if ((!x.form && !y.form) || !smooth || inner.pow(middle, centre(x), centre(y)) || inner.pow(power, x, less) ||
        (!whole && inner.log(logarithm, x))) {
      out = natural;
    } else {
      // If y is an integer, the derivative with respect to y is not needed, because a constant has no slopes.
      auto slopes = scaled(x, inner.mul(y, power));
      if (!whole) slopes = joined(std::move(slopes), scaled(y, inner.mul(natural, logarithm)));
      out = finished(natural, middle, std::move(slopes));
    }
    return nullptr;
  }
  /// The derivative is rootn(x, n) / (n x), which has a value where x is not 0; n has no slopes.
  Fault rootn(V& out, const V& x, const V& n) const {
    I natural, middle;
    if (const Fault fault = inner.rootn(natural, x, n)) return fault;
    const bool smooth = (x.low > 0 || (x.high < 0 && endpoints.is_odd(n.low))) && n.low == n.high;
    if (!x.form || !smooth || inner.rootn(middle, centre(x), centre(n))) {
      out = natural;
    } else {
      out = finished(natural, middle, scaled(x, over(natural, inner.mul(n, x))));
    }
    return nullptr;
  }

 private:
  /// The arithmetic in which a derivative's formula is evaluated.
  struct Derivatives {
    using Value = I;
    const MeanValue& forms;

    I number(float value) const { return Forms::number(value); }
    I real(numerics::RealConstant constant) const { return forms.real(1, constant); }
    I apply(numerics::Function f, const I& a) const { return forms.inner.of(f, a); }
    I digamma(const I& a) const { return forms.endpoints.digamma_range(a); }
    I neg(const I& a) const { return forms.inner.neg(a); }
    I square(const I& a) const { return forms.square(a); }
    I root(const I& a) const { return forms.root(a); }
    I add(const I& a, const I& b) const { return forms.inner.add(a, b); }
    I sub(const I& a, const I& b) const { return forms.inner.sub(a, b); }
    I mul(const I& a, const I& b) const { return forms.inner.mul(a, b); }
    I div(const I& a, const I& b) const { return forms.over(a, b); }
    I hypot(const I& a, const I& b) const { return forms.inner.hypot(a, b); }
  };

  using Forms::binary, Forms::bounded, Forms::centre, Forms::either, Forms::finished, Forms::intersection,
      Forms::joined, Forms::number, Forms::one, Forms::over, Forms::real, Forms::root, Forms::scaled, Forms::square,
      Forms::unary;
};

}  // namespace reckon::interp
