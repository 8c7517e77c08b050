// The algebra of `bound`: the float result, exactly as `float` computes it, and an interval that contains
// real - result, where "real" is the value of the same circuit on real numbers, for these inputs.
//
// Inputs and bit patterns are exact; rounding a literal or converting to a narrower format is an error like any other.
// A given infinity (`inf`, or one in an input) is that infinity, in the extended reals. One that arises by
// overflow voids the bound, and so does a NaN; the value says why. What a format that saturates makes of a result
// beyond its range is a number with a large error; what it makes of an infinity has no bound.
//
// A comparison has two bits: the answer for the floats (bit 0), and whether the reals might answer otherwise (bit 1).
// So Truth::no and Truth::yes are certain, and `select` always knows which branch the floats took.
#pragma once

#include "interp/algebra/float_algebra.h"
#include "numerics/functions/table.h"
#include "semantics/bound/function.h"

namespace reckon::interp {

/// Why there is no bound.
enum class Doubt : std::uint8_t {
  none,
  overflow,       ///< a result, or the bound itself, went beyond the format's range
  not_a_number,
  divisor,        ///< the divisor may be 0
  domain,         ///< some real operand lies outside a function's domain
  jump,           ///< a remainder that may be off by a whole divisor
  infinite,       ///< arithmetic on a given infinity
  product_order,  ///< only for any order: other orders of a product may underflow or overflow
};

constexpr const char* doubt_text(Doubt doubt) {
  constexpr const char* texts[] = {"",
                                   "overflow",
                                   "not a number",
                                   "a divisor may be 0",
                                   "an operand may lie outside the function's domain",
                                   "a remainder may be off by a whole divisor",
                                   "arithmetic on an infinity",
                                   "another order of this product may underflow or overflow"};
  return texts[static_cast<int>(doubt)];
}

namespace truth_bits {
constexpr Truth make(bool floats, bool certain) {
  return static_cast<Truth>((certain ? 0 : 2) | static_cast<int>(floats));
}
constexpr bool floats(Truth truth) { return (static_cast<int>(truth) & 1) != 0; }
constexpr bool certain(Truth truth) { return (static_cast<int>(truth) & 2) == 0; }
constexpr Truth negation(Truth a) { return make(!floats(a), certain(a)); }
/// Kleene's conjunction: false if either operand is certainly false.
constexpr Truth conjunction(Truth a, Truth b) {
  if (a == Truth::no || b == Truth::no) return Truth::no;
  return make(floats(a) && floats(b), certain(a) && certain(b));
}
}  // namespace truth_bits

/// A result in the format's own representation, with an enclosure of its error relative to the reals.
template <class Float>
struct Bounded {
  typename Float::Value result{};
  Doubt doubt = Doubt::none;
  ErrorInterval error;  ///< both ends are infinite if there is a doubt
};

template <class Float>
struct BoundAlgebra {
  using Value = Bounded<Float>;
  using V = Value;
  using Representation = Float;
  using Native = typename Float::Value;
  using Function = numerics::Function;
  using BinaryFunction = numerics::BinaryFunction;
  static constexpr numerics::Format format = Float::format;

  static double wide(Native x) { return Float::widened(x); }
  static double wide(const V& x) { return Float::widened(x.result); }
  static V exactly(Native result) {
    return std::isnan(wide(result)) ? doubtful(result, Doubt::not_a_number) : V{result, Doubt::none, {}};
  }
  static V doubtful(Native result, Doubt doubt) {
    return {result, doubt, {-directed::infinity, directed::infinity}};
  }
  static V make(Native result, const ErrorInterval& error) {
    return error.is_finite() ? V{result, Doubt::none, error} : doubtful(result, Doubt::overflow);
  }
  /// The reals that the value may stand for.
  static ErrorInterval reals(const V& x) {
    return {directed::add_down(wide(x), x.error.low), directed::add_up(wide(x), x.error.high)};
  }

  static V add(const V& a, const V& b) {
    const Native result = Float::add(a.result, b.result);
    V out;
    if (special(out, result, a, b)) return out;
    return make(result, a.error + b.error + sum_rounding(wide(a), wide(b), wide(result), format));
  }
  static V sub(const V& a, const V& b) { return add(a, neg(b)); }
  static V neg(const V& a) { return {Float::neg(a.result), a.doubt, -a.error}; }

  static V mul(const V& a, const V& b) {
    const Native result = Float::mul(a.result, b.result);
    V out;
    if (special(out, result, a, b, false)) return out;
    return make(result, propagated_product(a, b) + product_rounding(wide(a), wide(b), wide(result), format));
  }
  static V fma(const V& a, const V& b, const V& c) {
    const Native result = Float::fma(a.result, b.result, c.result);
    const Doubt doubt = first(a.doubt, first(b.doubt, c.doubt));
    if (doubt != Doubt::none) return doubtful(result, doubt);
    if (!std::isfinite(wide(result)) || std::isinf(wide(a)) || std::isinf(wide(b)) || std::isinf(wide(c))) {
      return doubtful(result, std::isnan(wide(result)) ? Doubt::not_a_number : Doubt::overflow);
    }
    return make(result, propagated_product(a, b) + c.error +
                            fma_rounding(wide(a), wide(b), wide(c), wide(result), format));
  }

  static V div(const V& a, const V& b) {
    const Native result = Float::div(a.result, b.result);
    const Doubt doubt = first(a.doubt, b.doubt);
    if (doubt != Doubt::none) return doubtful(result, doubt);
    if (std::isinf(wide(b)) && std::isfinite(wide(a))) return {result, Doubt::none, {}};  // 0, which is the limit
    if (std::isinf(wide(a)) || std::isinf(wide(b))) return doubtful(result, Doubt::infinite);
    const ErrorInterval divisor = reals(b);
    if (divisor.low <= 0 && divisor.high >= 0) return doubtful(result, Doubt::divisor);
    if (!std::isfinite(wide(result))) return doubtful(result, Doubt::overflow);
    const ErrorInterval rounding = quotient_rounding(wide(a), wide(b), wide(result), format);
    if (a.error.is_zero() && b.error.is_zero()) return make(result, rounding);
    // (a + ea) / (b + eb) - a / b = (ea - (a / b) eb) / (b + eb)
    const ErrorInterval exact{directed::add_down(wide(result), rounding.low),
                              directed::add_up(wide(result), rounding.high)};
    return make(result, rounding + quotient(a.error + -product(exact, b.error), divisor));
  }

  static V rem(const V& a, const V& b) {
    const Native result = Float::rem(a.result, b.result);
    const Doubt doubt = first(a.doubt, b.doubt);
    if (doubt != Doubt::none) return doubtful(result, doubt);
    if (std::isnan(wide(result))) return doubtful(result, Doubt::not_a_number);
    if (std::isinf(wide(b))) return doubtful(result, Doubt::infinite);
    if (wide(b) == 0) return doubtful(result, Doubt::divisor);                     // in a format without NaN
    if (a.error.is_zero() && b.error.is_zero()) return {result, Doubt::none, {}};  // a remainder is exact
    const ErrorInterval divisor = hull(reals(b), {wide(b), wide(b)});
    if (divisor.low <= 0 && divisor.high >= 0) return doubtful(result, Doubt::divisor);
    const ErrorInterval ratio = quotient(hull(reals(a), {wide(a), wide(a)}), divisor);
    const double times = std::trunc(ratio.low);
    if (times != std::trunc(ratio.high)) return doubtful(result, Doubt::jump);
    return make(result, a.error + -scaled(b.error, times));
  }

  static V abs(const V& a) { return signed_magnitude(a, Float::abs(a.result), {1, 1}); }
  static V sign(const V& a) { return stepped(a, Float::sign(a.result), [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; }); }
  static V floor(const V& a) { return stepped(a, Float::floor(a.result), [](double x) { return std::floor(x); }); }
  static V ceil(const V& a) { return stepped(a, Float::ceil(a.result), [](double x) { return std::ceil(x); }); }
  static V trunc(const V& a) { return stepped(a, Float::trunc(a.result), [](double x) { return std::trunc(x); }); }
  static V round(const V& a) { return stepped(a, Float::round(a.result), [](double x) { return std::nearbyint(x); }); }
  static V copysign(const V& a, const V& b) {
    const Native result = Float::copysign(a.result, b.result);
    if (b.doubt != Doubt::none) return doubtful(result, b.doubt);
    return signed_magnitude(a, result, reals(b));
  }

  static V min(const V& a, const V& b) { return neg(max(neg(a), neg(b))); }
  static V max(const V& a, const V& b) {
    const Native result = Float::max(a.result, b.result);
    const Doubt doubt = first(a.doubt, b.doubt);
    if (doubt != Doubt::none) return doubtful(result, doubt);
    const double value = wide(result);
    if (std::isinf(value)) return {result, Doubt::none, {}};
    // Each operand's error relative to the larger one.
    const ErrorInterval x = difference(wide(a), value) + a.error, y = difference(wide(b), value) + b.error;
    return make(result, {std::max(x.low, y.low), std::max(x.high, y.high)});
  }

  static V minnum(const V& a, const V& b) { return numbers(a, b) ? min(a, b) : doubtful(Float::minnum(a.result, b.result), Doubt::not_a_number); }
  static V maxnum(const V& a, const V& b) { return numbers(a, b) ? max(a, b) : doubtful(Float::maxnum(a.result, b.result), Doubt::not_a_number); }
  static V clamp(const V& a, const V& low, const V& high) { return min(max(a, low), high); }

  static V sqrt(const V& a) { return function(Function::sqrt, a, Float::sqrt(a.result)); }
#define RECKON_FUNCTION(name) \
  static V name(const V& a) { return function(Function::name, a, Float::name(a.result)); }
#define RECKON_FUNCTION_OF_TWO(name)                                              \
  static V name(const V& a, const V& b) {                                         \
    return function(BinaryFunction::name, a, b, Float::name(a.result, b.result)); \
  }
#include "numerics/functions.def"

  static Truth less(const V& a, const V& b) {
    const ErrorInterval x = reals(a), y = reals(b);
    return compared(a, b, Float::less(a.result, b.result), x.high < y.low, x.low >= y.high);
  }
  static Truth less_equal(const V& a, const V& b) {
    const ErrorInterval x = reals(a), y = reals(b);
    return compared(a, b, Float::less_equal(a.result, b.result), x.high <= y.low, x.low > y.high);
  }
  static Truth equal(const V& a, const V& b) {
    const ErrorInterval x = reals(a), y = reals(b);
    const bool same = a.error.is_zero() && b.error.is_zero() && wide(a) == wide(b);
    return compared(a, b, Float::equal(a.result, b.result), same, x.high < y.low || y.high < x.low);
  }
  static Truth not_equal(const V& a, const V& b) { return truth_bits::negation(equal(a, b)); }

  /// For the case that the reals may have taken the other branch.
  static V undecided(const V& taken, const V& other) {
    const Doubt doubt = first(taken.doubt, other.doubt);
    if (doubt != Doubt::none) return doubtful(taken.result, doubt);
    if (!std::isfinite(wide(taken)) || !std::isfinite(wide(other))) return doubtful(taken.result, Doubt::infinite);
    return make(taken.result, hull(taken.error, difference(wide(other), wide(taken)) + other.error));
  }

  template <class From>
  static V convert(BoundAlgebra<From>, const Bounded<From>& value) {
    const Native result = Float::convert(From{}, value.result);
    if (value.doubt != Doubt::none) return doubtful(result, value.doubt);
    const double before = From::widened(value.result), after = wide(result);
    if (std::isinf(before)) return std::isinf(after) ? V{result, Doubt::none, {}} : doubtful(result, Doubt::overflow);
    if (std::isinf(after)) return doubtful(result, Doubt::overflow);
    return make(result, value.error + difference(before, after));
  }

  /// (a + ea) (b + eb) - a b
  static ErrorInterval propagated_product(const V& a, const V& b) {
    return scaled(b.error, wide(a)) + scaled(a.error, wide(b)) + product(a.error, b.error);
  }

 private:
  static constexpr Doubt first(Doubt a, Doubt b) { return a != Doubt::none ? a : b; }

  /// Handles doubts, infinities and overflow of a sum (or product); returns whether `out` is the answer already.
  static bool special(V& out, Native result, const V& a, const V& b, bool sum = true) {
    const Doubt doubt = first(a.doubt, b.doubt);
    const double value = wide(result);
    if (doubt == Doubt::none && std::isfinite(value) && std::isfinite(wide(a)) && std::isfinite(wide(b))) return false;
    if (doubt != Doubt::none) out = doubtful(result, doubt);
    else if (std::isnan(value)) out = doubtful(result, Doubt::not_a_number);
    else if (std::isfinite(wide(a)) && std::isfinite(wide(b))) out = doubtful(result, Doubt::overflow);
    else if (std::isfinite(value)) out = doubtful(result, Doubt::infinite);  // a format that saturates
    else if (sum) out = {result, Doubt::none, {}};  // a given infinity and something finite
    else out = away_from_zero(a) && away_from_zero(b) ? V{result, Doubt::none, {}} : doubtful(result, Doubt::infinite);
    return true;
  }
  static bool away_from_zero(const V& x) {
    const ErrorInterval real = reals(x);
    return wide(x) > 0 ? real.low > 0 : real.high < 0;
  }

  static ErrorInterval magnitude(const ErrorInterval& real) {
    if (real.low >= 0) return real;
    if (real.high <= 0) return -real;
    return {0, std::max(-real.low, real.high)};
  }
  /// A function of one operand that does not round, and whose real value is known to lie in `real`.
  static V through(const V& a, Native result, const ErrorInterval& real) {
    if (a.doubt != Doubt::none) return doubtful(result, a.doubt);
    if (std::isinf(wide(result))) return {result, Doubt::none, {}};
    // If the operand is exact, so is the result, except for a doubtful sign.
    return make(result, {directed::add_down(real.low, -wide(result)), directed::add_up(real.high, -wide(result))});
  }
  /// |a| with the sign of a real in `way`; if that may be 0, either sign is possible.
  static V signed_magnitude(const V& a, Native result, const ErrorInterval& way) {
    const ErrorInterval real = reals(a);
    if (a.doubt == Doubt::none && (way.low > 0 || way.high < 0)) {
      // The result is the operand or its opposite, if floats and reals agree on both signs.
      const double sign = way.low > 0 ? 1 : -1;
      if (real.low >= 0 && wide(result) == sign * wide(a)) return {result, Doubt::none, scaled(a.error, sign)};
      if (real.high <= 0 && wide(result) == -sign * wide(a)) return {result, Doubt::none, scaled(a.error, -sign)};
    }
    const ErrorInterval plain = magnitude(real);
    return through(a, result, way.low > 0 ? plain : way.high < 0 ? -plain : hull(plain, -plain));
  }
  static V stepped(const V& a, Native result, auto function) {
    const ErrorInterval real = reals(a);
    return through(a, result, {function(real.low), function(real.high)});
  }

  static V function(Function which, const V& a, Native result) {
    if (a.doubt != Doubt::none) return doubtful(result, a.doubt);
    const double operand = wide(a), value = wide(result);
    if (std::isnan(value)) return doubtful(result, std::isinf(operand) ? Doubt::infinite : Doubt::domain);
    if (numerics::saturates(format)) {  // which may have neither a NaN nor an infinity to tell these by
      if (std::isinf(operand)) return doubtful(result, Doubt::infinite);
      if (!numerics::defined_on(which, operand, operand)) return doubtful(result, Doubt::domain);
    }
    if (std::isinf(operand)) {  // the limit, which is rounded if it is a fraction of pi
      return {result, Doubt::none,
              numerics::traits(which).range_of_pi ? within_half_ulp(value, format) : ErrorInterval{}};
    }
    if (std::isinf(value)) return doubtful(result, numerics::has_pole(which) ? Doubt::domain : Doubt::overflow);
    const auto error = function_error(which, operand, a.error, value, format);
    return error ? make(result, *error) : doubtful(result, Doubt::domain);
  }

  static V function(BinaryFunction which, const V& a, const V& b, Native result) {
    const Doubt doubt = first(a.doubt, b.doubt);
    const double value = wide(result);
    if (doubt != Doubt::none) return doubtful(result, doubt);
    if (std::isinf(wide(a)) || std::isinf(wide(b))) return doubtful(result, Doubt::infinite);
    const auto values = values_of(which, reals(a), reals(b));
    if (!values || std::isnan(value)) return doubtful(result, Doubt::domain);
    if (std::isinf(value)) return doubtful(result, Doubt::overflow);
    const ErrorInterval error{directed::add_down(values->low, -value), directed::add_up(values->high, -value)};
    return make(result, a.error.is_zero() && b.error.is_zero() ? intersection(error, within_half_ulp(value, format)) : error);
  }
  static bool numbers(const V& a, const V& b) { return !std::isnan(wide(a)) && !std::isnan(wide(b)); }

  static Truth compared(const V& a, const V& b, bool floats, bool surely, bool surely_not) {
    const bool known = a.doubt == Doubt::none && b.doubt == Doubt::none;
    return truth_bits::make(floats, known && (floats ? surely : surely_not));
  }
};

}  // namespace reckon::interp
