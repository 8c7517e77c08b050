// Expressions over x and a function's own value f(x), as data. table.h states derivatives and inverses once, and any
// arithmetic can evaluate them: numbers, intervals with endpoints of any format, balls.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "numerics/elementary.h"

namespace reckon::numerics {

/// A program for a stack machine, operands first. A formula without steps stands for "no expression".
struct Formula {
  enum class Kind : std::uint8_t {
    number,
    constant,
    x,
    value,
    apply,
    digamma,
    neg,
    square,
    root,
    add,
    sub,
    mul,
    div,
    hypot
  };
  struct Step {
    Kind kind = Kind::number;
    float number = 0;
    RealConstant constant{};
    Function function{};
  };
  static constexpr std::size_t max_steps = 12;

  std::array<Step, max_steps> steps{};
  std::size_t count = 0;

  constexpr explicit operator bool() const { return count != 0; }
  constexpr bool uses(Kind kind) const {
    for (std::size_t k = 0; k < count; ++k) {
      if (steps[k].kind == kind) return true;
    }
    return false;
  }
};

/// The notation used in the table (table.h).
namespace formula {

using Kind = Formula::Kind;

constexpr Formula leaf(Formula::Step step) {
  Formula out;
  out.steps[out.count++] = step;
  return out;
}
constexpr Formula then(Formula a, Formula::Step step) {
  a.steps[a.count++] = step;  // with more than max_steps, this is not a constant expression
  return a;
}
constexpr Formula then(Formula a, const Formula& b, Kind kind) {
  for (std::size_t k = 0; k < b.count; ++k) a.steps[a.count++] = b.steps[k];
  return then(a, {.kind = kind});
}
constexpr Formula number(float value) { return leaf({.kind = Kind::number, .number = value}); }
constexpr Formula real(RealConstant constant) { return leaf({.kind = Kind::constant, .constant = constant}); }
constexpr Formula apply(Function function, const Formula& a) {
  return then(a, {.kind = Kind::apply, .function = function});
}
/// The derivative of log |Gamma|.
constexpr Formula digamma(const Formula& a) { return then(a, {.kind = Kind::digamma}); }
constexpr Formula square(const Formula& a) { return then(a, {.kind = Kind::square}); }
constexpr Formula root(const Formula& a) { return then(a, {.kind = Kind::root}); }
constexpr Formula hypot(const Formula& a, const Formula& b) { return then(a, b, Kind::hypot); }
inline constexpr Formula x = leaf({.kind = Kind::x});
inline constexpr Formula f = leaf({.kind = Kind::value});
inline constexpr Formula one = number(1);

}  // namespace formula

constexpr Formula operator-(const Formula& a) { return formula::then(a, {.kind = Formula::Kind::neg}); }
constexpr Formula operator+(const Formula& a, const Formula& b) { return formula::then(a, b, Formula::Kind::add); }
constexpr Formula operator-(const Formula& a, const Formula& b) { return formula::then(a, b, Formula::Kind::sub); }
constexpr Formula operator*(const Formula& a, const Formula& b) { return formula::then(a, b, Formula::Kind::mul); }
constexpr Formula operator/(const Formula& a, const Formula& b) { return formula::then(a, b, Formula::Kind::div); }

/// The formula's value at x, where f(x) is `value`. An arithmetic has `Value` and these members, none of which fails:
/// number(float), real(RealConstant), apply(Function, a), digamma(a), neg, square, root, add, sub, mul, div, hypot.
template <class Arithmetic>
typename Arithmetic::Value evaluate(const Formula& formula, const Arithmetic& arithmetic,
                                    const typename Arithmetic::Value& x, const typename Arithmetic::Value& value) {
  using Kind = Formula::Kind;
  std::array<typename Arithmetic::Value, Formula::max_steps> stack{};
  std::size_t size = 0;
  for (std::size_t k = 0; k < formula.count; ++k) {
    const Formula::Step& step = formula.steps[k];
    if (step.kind >= Kind::add) --size;
    else if (step.kind < Kind::apply) ++size;
    auto& a = stack[size - 1];
    const auto& b = stack[size];
    switch (step.kind) {
      case Kind::number: a = arithmetic.number(step.number); break;
      case Kind::constant: a = arithmetic.real(step.constant); break;
      case Kind::x: a = x; break;
      case Kind::value: a = value; break;
      case Kind::apply: a = arithmetic.apply(step.function, a); break;
      case Kind::digamma: a = arithmetic.digamma(a); break;
      case Kind::neg: a = arithmetic.neg(a); break;
      case Kind::square: a = arithmetic.square(a); break;
      case Kind::root: a = arithmetic.root(a); break;
      case Kind::add: a = arithmetic.add(a, b); break;
      case Kind::sub: a = arithmetic.sub(a, b); break;
      case Kind::mul: a = arithmetic.mul(a, b); break;
      case Kind::div: a = arithmetic.div(a, b); break;
      case Kind::hypot: a = arithmetic.hypot(a, b); break;
    }
  }
  assert(size == 1);
  return stack[0];
}

}  // namespace reckon::numerics
