// Values with centred forms, and how one is made from others: the operations of mean_value.h are built on it.
#pragma once

#include <memory>
#include <vector>

#include "interp/algebra/interval_rules.h"

namespace reckon::interp {

/// A variable, the derivative with respect to it, and the variable's distance from its middle.
template <class End>
struct Slope {
  std::uint64_t variable = 0;
  IntervalOf<End> slope, deviation;
};

template <class End>
struct CentredForm {
  IntervalOf<End> centre;
  std::vector<Slope<End>> slopes;  ///< by ascending variable; of the others the derivative is 0
};

/// An interval, with its centred form if it depends on variables; constants and parameters have none.
template <class End>
struct CentredInterval : IntervalOf<End> {
  std::shared_ptr<const CentredForm<End>> form;

  CentredInterval() = default;
  CentredInterval(End low_end, End high_end) : IntervalOf<End>{std::move(low_end), std::move(high_end)} {}
  CentredInterval(IntervalOf<End> interval) : IntervalOf<End>(std::move(interval)) {}  // NOLINT: a constant
};

/// `Inner` is an algebra of plain intervals (IntervalFunctions<Endpoints>), `Endpoints` the arithmetic of its ends.
template <class Inner, class Endpoints>
struct CentredForms {
  using End = typename Endpoints::End;
  using I = IntervalOf<End>;
  using V = CentredInterval<End>;
  using Fault = const FaultText*;
  static constexpr Toward below = Toward::below, above = Toward::above;

  [[no_unique_address]] Endpoints endpoints;
  Inner inner;

  /// A variable with this range.
  V variable(const I& range, std::uint64_t number) const {
    if (range.low == range.high || !bounded(range)) return range;
    const End half(0.5f);
    const End middle =
        std::clamp(endpoints.add(below, endpoints.mul(below, range.low, half), endpoints.mul(below, range.high, half)),
                   range.low, range.high);
    const I centre{middle, middle};
    V out = range;
    out.form = std::make_shared<CentredForm<End>>(
        CentredForm<End>{centre, {{number, {End(1), End(1)}, inner.sub(range, centre)}}});
    return out;
  }

 protected:
  using Slopes = std::vector<Slope<End>>;

  static I number(float value) { return {End(value), End(value)}; }
  static I one() { return number(1); }
  I real(int scale, numerics::RealConstant constant) const {
    return {endpoints.real(below, scale, constant), endpoints.real(above, scale, constant)};
  }
  bool bounded(const I& x) const { return endpoints.is_finite(x.low) && endpoints.is_finite(x.high); }
  I square(const I& x) const {
    const I magnitude = inner.abs(x);
    return inner.mul(magnitude, magnitude);
  }
  /// x / y, or everything if the divisor is 0 or a root below it has no value: such a form is dropped.
  I over(const I& x, const I& y) const {
    I out;
    return inner.div(out, x, y) ? inner.everything() : out;
  }
  I root(const I& x) const {
    I out;
    return inner.sqrt(out, x) ? inner.everything() : out;
  }
  static I intersection(const I& a, const I& b) {
    const I out{std::max(a.low, b.low), std::min(a.high, b.high)};
    return out.low <= out.high ? out : a;
  }

  static I centre(const V& a) { return a.form ? a.form->centre : static_cast<const I&>(a); }
  /// The slopes of a times an enclosure of the outer derivative.
  Slopes scaled(const V& a, const I& by) const {
    if (!a.form) return {};
    Slopes out = a.form->slopes;
    for (Slope<End>& each : out) each.slope = inner.mul(each.slope, by);
    return out;
  }
  /// Merges slope by slope: the sum, or the result of `combine`, where a missing variable has slope 0.
  template <class Combine>
  Slopes merged(const Slopes& a, const Slopes& b, const Combine& combine) const {
    const I zero{End(0), End(0)};
    Slopes out;
    out.reserve(a.size() + b.size());
    for (auto x = a.begin(), y = b.begin(); x != a.end() || y != b.end();) {
      if (y == b.end() || (x != a.end() && x->variable < y->variable)) {
        out.push_back({x->variable, combine(x->slope, zero), x->deviation});
        ++x;
      } else if (x == a.end() || y->variable < x->variable) {
        out.push_back({y->variable, combine(zero, y->slope), y->deviation});
        ++y;
      } else {
        out.push_back({x->variable, combine(x->slope, y->slope), x->deviation});
        ++x, ++y;
      }
    }
    return out;
  }
  Slopes joined(Slopes a, Slopes b) const {
    if (a.empty()) return b;
    if (b.empty()) return a;
    return merged(a, b, [&](const I& x, const I& y) { return inner.add(x, y); });
  }

  template <class Function>
  V unary(const I& natural, const V& a, const I& derivative, const Function& function) const {
    if (!a.form) return natural;
    return finished(natural, function(a.form->centre), scaled(a, derivative));
  }
  template <class Function>
  V binary(const I& natural, const V& a, const V& b, const I& by_a, const I& by_b, const Function& function) const {
    if (!a.form && !b.form) return natural;
    return finished(natural, function(centre(a), centre(b)), joined(scaled(a, by_a), scaled(b, by_b)));
  }
  /// The min or max of two values whose order may change: at any point the derivative is that of one of them.
  V either(const I& natural, const I& middle, const V& a, const V& b) const {
    if (!a.form && !b.form) return natural;
    static const Slopes none;
    return finished(natural, middle, merged(a.form ? a.form->slopes : none, b.form ? b.form->slopes : none,
                                            [&](const I& x, const I& y) { return inner.hull(x, y); }));
  }

  V finished(const I& natural, const I& middle, Slopes slopes) const {
    I centred = middle;
    for (const Slope<End>& each : slopes) {
      if (!bounded(each.slope)) return natural;  // the value is not Lipschitz, or not known to be
      centred = inner.add(centred, inner.mul(each.slope, each.deviation));
    }
    V out = intersection(natural, centred);
    if (out.low == out.high) return out;  // the value is a constant
    out.form = std::make_shared<CentredForm<End>>(CentredForm<End>{intersection(middle, natural), std::move(slopes)});
    return out;
  }
};

}  // namespace reckon::interp
