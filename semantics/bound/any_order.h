// The algebra of `bound(any)`: in addition to what `bound` knows, it bounds how far a result may be from the real value
// when every sum of the circuit is carried out in any order, and products that are leaves of sums may be fused.
//
// A value stands for all results that some order gives. A sum is kept as a sum: the number of its leaves, the sum T of
// their magnitudes, the sum L of their errors. Its spread is (terms - 1) u T + L: Jeannerod and Rump, "Improved error
// bounds for inner products in floating-point arithmetic", SIAM J. Matrix Anal. Appl. 34(2), 2013 (any order, nearest,
// any number of terms; an addition that underflows is exact). A sum of sums is one sum.
//
// A product p that is fused into the sum is no float, and their argument needs one more step. A node r = fl(a + p) over k
// leaves, a a float, errs by at most |p| (a itself is that near) and by at most u |a + p| + eta. If |p| <= u T(a), the
// first adds at most u T(a); otherwise u T(a) < |p|, and the second adds at most u |p| + eta + u T(a) + (k - 1) u |p|.
// Both stay within (k - 1) u T + L when the leaf brings L >= u |p| + 2 eta: so a product that was rounded brings that.
//
// Everything else propagates spreads by Lipschitz constants, and adds half an ulp of the largest result that can arise.
// A value that is the same in every order (`fixed`) keeps its exact error.
#pragma once

#include "semantics/bound/algebra.h"

namespace reckon::interp {

template <class Float>
struct AnyOrder {
  Bounded<Float> base;
  bool fixed = true;     ///< it is the same float in every order
  Doubt doubt = Doubt::none;
  double terms = 1;      ///< leaves of the sum that this is; 1 for anything else
  double magnitude = 0;  ///< at least the sum of |leaf as computed|
  double spread = 0;     ///< at least the sum of the leaves' |computed - real|
};

template <class Float>
struct AnyOrderAlgebra {
  using Value = AnyOrder<Float>;
  using V = Value;
  using Base = BoundAlgebra<Float>;
  using Representation = Float;
  using Native = typename Float::Value;
  using Function = numerics::Function;
  using BinaryFunction = numerics::BinaryFunction;
  static constexpr numerics::Format format = Float::format;
  static constexpr double unit = 1.0 / static_cast<double>(std::uint64_t{1} << numerics::traits(format).precision);

  static V exactly(Native result) { return fixed_value(Base::exactly(result)); }
  static V make(Native result, const ErrorInterval& error) { return fixed_value(Base::make(result, error)); }

  /// How far the result of any order may lie from the real value; infinite if there is a doubt.
  static double spread(const V& x) {
    if (x.doubt != Doubt::none) return directed::infinity;
    if (x.fixed) return x.base.error.magnitude();
    return x.terms <= 1 ? x.spread : plus(times(times(x.terms - 1, unit), x.magnitude), x.spread);
  }

  // The operations at a node of a fold.
  static V join_add(const V& a, const V& b) {
    V out;
    out.base = Base::add(a.base, b.base);
    out.doubt = doubt_of(out.base, a, b);
    out.terms = a.terms + b.terms;
    out.magnitude = plus(a.magnitude, b.magnitude);
    out.spread = plus(a.spread, b.spread);
    out.fixed = is_plain(a) && is_plain(b);  // two leaves commute; more leaves have several orders
    if (out.doubt == Doubt::none && !out.fixed && plus(out.magnitude, spread(out)) > largest()) {
      out.doubt = Doubt::overflow;
    }
    return out;
  }
  /// A sum with fewer orders than all: each errs by at most `factor` times the magnitudes plus the leaves' errors.
  static V limited(const V& sum, double factor) {
    if (sum.doubt != Doubt::none || sum.fixed) return sum;
    const double moved = plus(times(factor, sum.magnitude), sum.spread);
    return moved < spread(sum) ? variable(sum.base, moved, 0, Doubt::none) : sum;
  }
  static V join_mul(const V& a, const V& b) {
    return doubtful(Base::mul(a.base, b.base), a, b, Doubt::product_order);
  }

  // The operations elsewhere.
  static V add(const V& a, const V& b) { return rounded(Base::add(a.base, b.base), plus(spread(a), spread(b)), a, b); }
  static V sub(const V& a, const V& b) { return rounded(Base::sub(a.base, b.base), plus(spread(a), spread(b)), a, b); }
  static V mul(const V& a, const V& b) {
    V out = rounded(Base::mul(a.base, b.base), product_spread(a, b), a, b);
    if (out.fixed && out.base.error.is_zero()) return out;  // a float, whether it is fused or not
    return as_fused_leaf(out, a, b);
  }
  /// A product that is added to a sum, with or without rounding.
  static V fma(const V& a, const V& b, const V& c) {
    V product = as_fused_leaf(rounded(Base::mul(a.base, b.base), product_spread(a, b), a, b), a, b);
    product.fixed = false;
    V out = join_add(product, c);
    out.base = Base::fma(a.base, b.base, c.base);
    if (out.doubt == Doubt::none) out.doubt = out.base.doubt;
    return out;
  }
  static V div(const V& a, const V& b) {
    const Bounded<Float> base = Base::div(a.base, b.base);
    if (a.fixed && b.fixed) return fixed_value(base);
    const ErrorInterval divisor = Base::reals(b.base);
    const double least = divisor.low > 0 ? divisor.low : divisor.high < 0 ? -divisor.high : 0;
    const double computed = directed::add_down(least, -spread(b));
    if (!(computed > 0)) return doubtful(base, a, b, Doubt::divisor);
    // |ca / cb - ra / rb| <= (|ca - ra| + |ra / rb| |cb - rb|) / |cb|
    const double ratio = directed::div_up(size(a), least);
    return rounded(base, directed::div_up(plus(spread(a), times(ratio, spread(b))), computed), a, b);
  }
  static V rem(const V& a, const V& b) {
    const Bounded<Float> base = Base::rem(a.base, b.base);
    return a.fixed && b.fixed ? fixed_value(base) : doubtful(base, a, b, Doubt::jump);
  }
  static V neg(const V& a) {
    V out = a;
    out.base = Base::neg(a.base);
    return out;
  }
  static V abs(const V& a) { return unrounded(Base::abs(a.base), spread(a), a, a); }
  static V min(const V& a, const V& b) {
    return unrounded(Base::min(a.base, b.base), std::max(spread(a), spread(b)), a, b);
  }
  static V max(const V& a, const V& b) {
    return unrounded(Base::max(a.base, b.base), std::max(spread(a), spread(b)), a, b);
  }
  static V sign(const V& a) { return unrounded(Base::sign(a.base), 2, a, a); }
  static V floor(const V& a) { return stepped(Base::floor(a.base), a); }
  static V ceil(const V& a) { return stepped(Base::ceil(a.base), a); }
  static V trunc(const V& a) { return stepped(Base::trunc(a.base), a); }
  static V round(const V& a) { return stepped(Base::round(a.base), a); }
  static V copysign(const V& a, const V& b) {
    const ErrorInterval way = computed(b);
    const bool certain = way.low > 0 || way.high < 0;
    return unrounded(Base::copysign(a.base, b.base), certain ? spread(a) : times(2, plus(size(a), spread(a))), a, b);
  }
  static V sqrt(const V& a) { return function(Function::sqrt, Base::sqrt(a.base), a); }
#define RECKON_FUNCTION(name) \
  static V name(const V& a) { return function(Function::name, Base::name(a.base), a); }
#define RECKON_FUNCTION_OF_TWO(name) \
  static V name(const V& a, const V& b) { return function(BinaryFunction::name, Base::name(a.base, b.base), a, b); }
#include "numerics/functions.def"
  static V minnum(const V& a, const V& b) {
    return unrounded(Base::minnum(a.base, b.base), std::max(spread(a), spread(b)), a, b);
  }
  static V maxnum(const V& a, const V& b) {
    return unrounded(Base::maxnum(a.base, b.base), std::max(spread(a), spread(b)), a, b);
  }
  static V clamp(const V& a, const V& low, const V& high) { return min(max(a, low), high); }

  static Truth less(const V& a, const V& b) {
    const ErrorInterval x = computed(a), y = computed(b);
    return compared(Base::less(a.base, b.base), a, b, x.high < y.low, x.low >= y.high);
  }
  static Truth less_equal(const V& a, const V& b) {
    const ErrorInterval x = computed(a), y = computed(b);
    return compared(Base::less_equal(a.base, b.base), a, b, x.high <= y.low, x.low > y.high);
  }
  static Truth equal(const V& a, const V& b) {
    const ErrorInterval x = computed(a), y = computed(b);
    return compared(Base::equal(a.base, b.base), a, b, false, x.high < y.low || y.high < x.low);
  }
  static Truth not_equal(const V& a, const V& b) { return truth_bits::negation(equal(a, b)); }

  /// Either operand may be the result, for the reals or in another order.
  static V undecided(const V& taken, const V& other) {
    const ErrorInterval either = hull(computed(taken), computed(other));
    const Bounded<Float> base = Base::undecided(taken.base, other.base);
    return variable(base, directed::add_up(either.high, -either.low), 0, doubt_of(base, taken, other));
  }

  template <class From>
  static V convert(AnyOrderAlgebra<From>, const AnyOrder<From>& value) {
    const Bounded<Float> base = Base::convert(BoundAlgebra<From>{}, value.base);
    if (value.fixed) return fixed_value(base);
    const double before = AnyOrderAlgebra<From>::spread(value);
    return variable(base, before, half_ulp(max_magnitude(base, before), format),
                    value.doubt != Doubt::none ? value.doubt : base.doubt);
  }

 private:
  static double plus(double a, double b) { return directed::add_up(a, b); }
  static double times(double a, double b) { return directed::mul_up(a, b); }
  static double largest() { return numerics::widen(numerics::largest_finite(format), format); }
  /// The largest magnitude of the reals that the value may stand for.
  static double size(const Bounded<Float>& base) {
    const ErrorInterval real = Base::reals(base);
    return std::max(std::fabs(real.low), std::fabs(real.high));
  }
  static double size(const V& x) { return size(x.base); }
  /// The largest magnitude of numbers within `spread` of these reals.
  static double max_magnitude(const Bounded<Float>& base, double spread) {
    return std::min(plus(size(base), spread), directed::largest);
  }
  /// An interval that holds the reals and the results of all orders.
  static ErrorInterval computed(const V& x) {
    const ErrorInterval real = Base::reals(x.base);
    const double distance = spread(x);
    return {directed::add_down(real.low, -distance), plus(real.high, distance)};
  }
  static Doubt doubt_of(const Bounded<Float>& base, const V& a, const V& b) {
    return a.doubt != Doubt::none ? a.doubt : b.doubt != Doubt::none ? b.doubt : base.doubt;
  }

  /// Whether the value is one fixed leaf, and not a product that may be fused.
  static bool is_plain(const V& x) { return x.fixed && x.terms == 1 && x.spread == x.base.error.magnitude(); }

  static V fixed_value(const Bounded<Float>& base) {
    const double magnitude = std::fabs(Base::wide(base.result));
    return {base, true, base.doubt, 1, std::isnan(magnitude) ? directed::infinity : magnitude, base.error.magnitude()};
  }
  static V doubtful(const Bounded<Float>& base, const V& a, const V& b, Doubt otherwise) {
    const Doubt doubt = doubt_of(base, a, b);
    return {base, false, doubt != Doubt::none ? doubt : otherwise, 1, directed::infinity, directed::infinity};
  }
  /// A value whose exact counterpart moves by at most `moved` from order to order; its rounding is at most `rounding`.
  static V variable(const Bounded<Float>& base, double moved, double rounding, Doubt doubt) {
    const double spread = plus(moved, rounding), magnitude = plus(size(base), spread);
    if (doubt == Doubt::none && !(magnitude <= largest())) doubt = Doubt::overflow;
    return {base, false, doubt, 1, magnitude, spread};
  }
  static V rounded(const Bounded<Float>& base, double moved, const V& a, const V& b) {
    if (a.fixed && b.fixed) return fixed_value(base);
    return variable(base, moved, half_ulp(max_magnitude(base, moved), format), doubt_of(base, a, b));
  }
  static V unrounded(const Bounded<Float>& base, double moved, const V& a, const V& b) {
    if (a.fixed && b.fixed) return fixed_value(base);
    return variable(base, moved, 0, doubt_of(base, a, b));
  }

  static double product_spread(const V& a, const V& b) {
    return plus(plus(times(size(a), spread(b)), times(size(b), spread(a))), times(spread(a), spread(b)));
  }
  /// The product with the error that it adds to a sum (see the top of this file), whether it is rounded or fused.
  static V as_fused_leaf(V product, const V& a, const V& b) {
    if (product.doubt != Doubt::none) return product;
    const double moved = product_spread(a, b);
    const double least = std::ldexp(1.0, std::max(numerics::traits(format).emin - numerics::traits(format).precision + 1, -1074));
    const double exact = plus(times(plus(size(a), spread(a)), plus(size(b), spread(b))), moved);
    product.spread = std::max(product.spread, plus(plus(moved, times(unit, exact)), least));
    product.magnitude = std::max(product.magnitude, plus(exact, product.spread));
    return product;
  }

  static V stepped(const Bounded<Float>& base, const V& a) {
    // If two reals are d apart, their floors (and similar functions) are at most d + 1 apart.
    return unrounded(base, std::floor(plus(spread(a), 1)), a, a);
  }
  static V function(Function which, const Bounded<Float>& base, const V& a) {
    if (a.fixed) return fixed_value(base);
    const ErrorInterval operand = computed(a);
    const auto slope = max_slope(which, operand.low, operand.high);
    if (!slope) return doubtful(base, a, a, Doubt::domain);
    double moved = times(*slope, spread(a));
    // |sqrt(c) - sqrt(r)| <= sqrt(|c - r|), also where the slope has no bound.
    if (which == Function::sqrt) moved = std::min(moved, directed::above(std::sqrt(spread(a))));
    return rounded(base, moved, a, a);
  }
  /// The operands in any order, and the real operands, lie in a box.
  static V function(BinaryFunction which, const Bounded<Float>& base, const V& a, const V& b) {
    if (a.fixed && b.fixed) return fixed_value(base);
    const auto values = values_of(which, computed(a), computed(b));
    if (!values) return doubtful(base, a, b, Doubt::domain);
    return rounded(base, directed::add_up(values->high, -values->low), a, b);
  }

  static Truth compared(Truth base, const V& a, const V& b, bool surely, bool surely_not) {
    if (a.fixed && b.fixed) return base;
    const bool known = a.doubt == Doubt::none && b.doubt == Doubt::none;
    const bool floats = truth_bits::floats(base);
    return truth_bits::make(floats, known && (floats ? surely : surely_not));
  }
};

}  // namespace reckon::interp
