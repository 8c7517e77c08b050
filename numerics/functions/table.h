// What is known of the elementary functions of one operand: one row each, which all other code reads. Sources: NIST
// Digital Library of Mathematical Functions (DLMF), chapter 4, sections 4.7 (exp, log), 4.20 (sin, cos, tan), 4.24
// (asin, acos, atan), 4.34 (sinh, cosh, tanh), 4.40 (asinh, acosh, atanh), and sections 7.10 for erf and erfc, 5.2
// and 5.4 for gamma and lgamma. sinpi(x) is sin(pi x), and so are cospi and tanpi (IEEE 754-2019, 9.2).
#pragma once

#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>

#include "numerics/functions/formula.h"

namespace reckon::numerics {

/// An interval of reals. An open endpoint is a pole or a limit, not a value itself; an infinite one is never a value.
struct Domain {
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
  bool low_open = false, high_open = false;
};

enum class Shape : std::uint8_t {
  increasing,
  decreasing,
  valley,    ///< even: decreases to its least value at 0 and increases from there
  sinusoid,  ///< oscillates between 1 and -1, with a maximum where the number of the quarter turn is `peak` modulo 4
  branches,  ///< increasing between poles at the odd quarter turns
  valleys,   ///< of gamma's size: between two poles it decreases to a least value and increases from there
};
/// The poles inside a domain of all reals that are floats; those of tan are none.
enum class Poles : std::uint8_t {
  none,
  odd_halves,  ///< 1/2, -1/2, 3/2, ...
  from_zero,   ///< 0, -1, -2, ...
};
enum class Parity : std::uint8_t { none, odd, even };

struct FunctionTraits {
  Function function;
  Domain domain{};
  Domain range{};
  bool range_of_pi = false;  ///< the endpoints of the range are multiples of pi
  Shape shape = Shape::increasing;
  unsigned peak = 0;
  bool half_turns = false;  ///< a sinusoid or branches of pi x: a quarter turn is x = 1/2
  Poles poles = Poles::none;
  Parity parity = Parity::none;
  float known_at = 0, known = 0;  ///< a rational point of the graph: f(known_at) = known
  int cubic = 0;                  ///< the sign of c where f(x) = x + c x^3 + ... near 0; 0: it is not of this form
  Formula derivative{};
  Formula inverse{};  ///< the (principal) preimage of a value x; none for erf, erfc, gamma, lgamma
};

namespace function_rows {

using enum Function;
using enum Shape;
using enum Parity;
using formula::apply, formula::digamma, formula::f, formula::hypot, formula::number, formula::one, formula::real,
    formula::root, formula::square, formula::x;

inline constexpr Domain everywhere{}, positive{.low = 0, .low_open = true}, not_negative{.low = 0};
inline constexpr Domain above_minus_one{.low = -1, .low_open = true}, from_one{.low = 1};
inline constexpr Domain unit{.low = -1, .high = 1};
inline constexpr Domain below_two{.low = 0, .high = 2, .low_open = true, .high_open = true};
inline constexpr Domain inside_unit{.low = -1, .high = 1, .low_open = true, .high_open = true};
inline constexpr Domain half_turn{.low = -0.5f, .high = 0.5f}, first_half_turn{.low = 0, .high = 1};
inline constexpr Domain inside_half_turn{.low = -0.5f, .high = 0.5f, .low_open = true, .high_open = true};

// clang-format off
/// In the order of Function.
inline constexpr FunctionTraits table[] = {
    {.function = rsqrt, .domain = positive, .range = positive, .shape = decreasing, .known_at = 1, .known = 1,
     .derivative = number(-0.5f) * f / x, .inverse = one / square(x)},
    {.function = exp, .range = positive, .known_at = 0, .known = 1, .derivative = f, .inverse = apply(log, x)},
    {.function = exp2, .range = positive, .known_at = 0, .known = 1,
     .derivative = f * real(RealConstant::ln2), .inverse = apply(log2, x)},
    {.function = exp10, .range = positive, .known_at = 0, .known = 1,
     .derivative = f * apply(log, number(10)), .inverse = apply(log10, x)},
    {.function = expm1, .range = above_minus_one, .derivative = apply(exp, x), .inverse = apply(log1p, x)},
    {.function = log, .domain = positive, .known_at = 1, .derivative = one / x, .inverse = apply(exp, x)},
    {.function = log2, .domain = positive, .known_at = 1,
     .derivative = real(RealConstant::log2e) / x, .inverse = apply(exp2, x)},
    {.function = log10, .domain = positive, .known_at = 1,
     .derivative = one / (x * apply(log, number(10))), .inverse = apply(exp10, x)},
    {.function = log1p, .domain = above_minus_one, .derivative = one / (one + x), .inverse = apply(expm1, x)},
    {.function = sin, .range = unit, .shape = sinusoid, .peak = 1, .parity = odd, .cubic = -1,
     .derivative = apply(cos, x), .inverse = apply(asin, x)},
    {.function = cos, .range = unit, .shape = sinusoid, .peak = 0, .parity = even, .known = 1,
     .derivative = -apply(sin, x), .inverse = apply(acos, x)},
    {.function = tan, .shape = branches, .parity = odd, .cubic = 1,
     .derivative = one + square(f), .inverse = apply(atan, x)},
    {.function = sinpi, .range = unit, .shape = sinusoid, .peak = 1, .half_turns = true, .parity = odd,
     .derivative = real(RealConstant::pi) * apply(cospi, x), .inverse = apply(asin, x) / real(RealConstant::pi)},
    {.function = cospi, .range = unit, .shape = sinusoid, .peak = 0, .half_turns = true, .parity = even, .known = 1,
     .derivative = -(real(RealConstant::pi) * apply(sinpi, x)),
     .inverse = apply(acos, x) / real(RealConstant::pi)},
    {.function = tanpi, .shape = branches, .half_turns = true, .poles = Poles::odd_halves, .parity = odd,
     .derivative = real(RealConstant::pi) * (one + square(f)), .inverse = apply(atan, x) / real(RealConstant::pi)},
    {.function = asin, .domain = unit, .range = half_turn, .range_of_pi = true, .parity = odd, .cubic = 1,
     .derivative = one / root(one - square(x)), .inverse = apply(sin, x)},
    {.function = acos, .domain = unit, .range = first_half_turn, .range_of_pi = true, .shape = decreasing, .known_at = 1,
     .derivative = number(-1) / root(one - square(x)), .inverse = apply(cos, x)},
    {.function = atan, .range = inside_half_turn, .range_of_pi = true, .parity = odd, .cubic = -1,
     .derivative = one / (one + square(x)), .inverse = apply(tan, x)},
    {.function = sinh, .parity = odd, .cubic = 1, .derivative = apply(cosh, x), .inverse = apply(asinh, x)},
    {.function = cosh, .range = from_one, .shape = valley, .parity = even, .known = 1,
     .derivative = apply(sinh, x), .inverse = apply(acosh, x)},
    // 1 - tanh(x)^2 would lose all digits where its value is small.
    {.function = tanh, .range = inside_unit, .parity = odd, .cubic = -1,
     .derivative = one / square(apply(cosh, x)), .inverse = apply(atanh, x)},
    {.function = asinh, .parity = odd, .cubic = -1, .derivative = one / hypot(one, x), .inverse = apply(sinh, x)},
    {.function = acosh, .domain = from_one, .range = not_negative, .known_at = 1,
     .derivative = one / root(square(x) - one), .inverse = apply(cosh, x)},
    {.function = atanh, .domain = inside_unit, .parity = odd, .cubic = 1,
     .derivative = one / (one - square(x)), .inverse = apply(tanh, x)},
    {.function = erf, .range = inside_unit, .parity = odd,
     .derivative = number(2) / root(real(RealConstant::pi)) * apply(exp, -square(x))},
    {.function = erfc, .range = below_two, .shape = decreasing, .known = 1,
     .derivative = number(-2) / root(real(RealConstant::pi)) * apply(exp, -square(x))},
    {.function = gamma, .shape = valleys, .poles = Poles::from_zero, .known_at = 1, .known = 1,
     .derivative = f * digamma(x)},
    {.function = lgamma, .shape = valleys, .poles = Poles::from_zero, .known_at = 1, .derivative = digamma(x)},
    {.function = cbrt, .parity = odd, .derivative = one / (number(3) * square(f)), .inverse = x * x * x},
    {.function = sqrt, .domain = not_negative, .range = not_negative,
     .derivative = number(0.5f) / f, .inverse = square(x)},
};
// clang-format on

static_assert(std::size(table) == function_count);
static_assert([] {
  for (int k = 0; k < function_count; ++k) {
    if (static_cast<int>(table[k].function) != k) return false;
  }
  return true;
}());

}  // namespace function_rows

constexpr const FunctionTraits& traits(Function function) {
  return function_rows::table[static_cast<std::size_t>(function)];
}

/// Whether the function has a value for every float. (So has tan, whose poles are none.)
constexpr bool is_everywhere(Function function) {
  const Domain& domain = traits(function).domain;
  return traits(function).poles == Poles::none && domain.low == -std::numeric_limits<float>::infinity() &&
         domain.high == std::numeric_limits<float>::infinity();
}
constexpr bool is_total(Function function) {
  return is_everywhere(function) && traits(function).shape != Shape::branches;
}
/// Whether the function is infinite at a float: at an endpoint of its domain, or at a pole inside.
constexpr bool has_pole(Function function) {
  return traits(function).domain.low_open || traits(function).domain.high_open || traits(function).poles != Poles::none;
}
constexpr bool is_periodic(Function function) {
  return traits(function).shape == Shape::sinusoid || traits(function).shape == Shape::branches;
}
constexpr bool increases(Function function) { return traits(function).shape == Shape::increasing; }
constexpr bool is_odd(Function function) { return traits(function).parity == Parity::odd; }
/// Whether f(x) is 0 only at 0 and has the sign of x elsewhere.
constexpr bool keeps_sign(Function function) {
  return increases(function) && traits(function).known_at == 0 && traits(function).known == 0;
}
/// Whether the function grows without bound from a limit at -inf, as exp does.
constexpr bool is_exponential(Function function) {
  const FunctionTraits& row = traits(function);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return is_everywhere(function) && increases(function) && row.range.low > -infinity && row.range.high == infinity;
}

/// Whether one of the poles lies in [low, high].
inline bool holds_pole(Poles poles, double low, double high) {
  switch (poles) {
    case Poles::none: return false;
    case Poles::odd_halves:
      return low == high ? std::fabs(std::fmod(low, 1)) == 0.5 : std::ceil(low - 0.5) + 0.5 <= high;
    case Poles::from_zero: return low <= std::floor(high < 0 ? high : 0);
  }
  return false;
}
/// Whether f is defined on [low, high].
inline bool defined_on(Function function, double low, double high) {
  const Domain& domain = traits(function).domain;
  return !holds_pole(traits(function).poles, low, high) && (domain.low_open ? low > domain.low : low >= domain.low) &&
         (domain.high_open ? high < domain.high : high <= domain.high);
}

}  // namespace reckon::numerics
