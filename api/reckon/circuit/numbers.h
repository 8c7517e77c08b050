// Numbers without a format, and integers that index tensors: what C++ writes as literals, sizes and indices.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <string>

#include "node.h"

namespace reckon::circuit {

template <class T>
concept Integral = std::integral<T> && !std::same_as<T, bool>;
template <class T>
concept Plain = Integral<T> || std::floating_point<T>;

namespace detail {

inline NodePointer negated(NodePointer operand, Place place) {
  return make_fixed(NodeKind::unary, "-", place, {std::move(operand)});
}

/// The shortest decimal that C++ reads back as this number: what a literal was written as, in nearly all cases.
template <Plain T>
NodePointer literal(T value, Place place) {
  if constexpr (std::floating_point<T>) {
    if (std::isnan(value)) return name("nan", place);
    if (std::signbit(value)) return negated(literal(-value, place), place);
    if (std::isinf(value)) return name("inf", place);
  } else if constexpr (std::signed_integral<T>) {
    if (value < 0) return negated(literal(static_cast<std::make_unsigned_t<T>>(0) - value, place), place);
  }
  std::array<char, 64> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return make_fixed(NodeKind::number, std::string(digits.data(), end), place);
}

}  // namespace detail

class Constant;
class Integer;
class Condition;

/// An operand in an expression of numbers, with the place of the expression: where an operand is converted to this
/// type, the compiler says where that is.
class ConstantOperand {
 public:
  ConstantOperand(const Constant& value, Place place = Place::current());
  template <Plain T>
  ConstantOperand(T value, Place at = Place::current()) : node(detail::literal(value, at)), place(at) {}

  NodePointer node;
  Place place;
};

/// The same of integers.
class IntegerOperand {
 public:
  IntegerOperand(const Integer& value, Place place = Place::current());
  template <Integral T>
  IntegerOperand(T value, Place at = Place::current()) : node(detail::literal(value, at)), place(at) {}

  NodePointer node;
  Place place;
};

/// A number of the language: exact, without a format. It takes the format of the value that it is combined with, and is
/// then rounded once. A C++ `double` is the shortest decimal that reads back as it: 0.1 is one tenth.
class Constant : public Expression {
 public:
  using Value = Constant;
  template <Plain T>
  Constant(T value, Place place = Place::current()) : Expression(detail::literal(value, place)) {}
  explicit Constant(NodePointer node) : Expression(std::move(node)) {}

  friend Constant operator+(ConstantOperand a, ConstantOperand b) { return binary("+", a, b); }
  friend Constant operator-(ConstantOperand a, ConstantOperand b) { return binary("-", a, b); }
  friend Constant operator*(ConstantOperand a, ConstantOperand b) { return binary("*", a, b); }
  friend Constant operator/(ConstantOperand a, ConstantOperand b) { return binary("/", a, b); }
  friend Constant operator-(ConstantOperand a) { return Constant(detail::negated(std::move(a.node), a.place)); }

 private:
  static Constant binary(const char* sign, ConstantOperand& a, ConstantOperand& b) {
    return Constant(detail::make_fixed(NodeKind::binary, sign, b.place, {std::move(a.node), std::move(b.node)}));
  }
};

inline ConstantOperand::ConstantOperand(const Constant& value, Place at) : node(value.node()), place(at) {}

inline namespace literals {
/// A literal with any number of digits: `0.1234567890123456789_r`, `0x1.8p-3_r`.
inline Constant operator""_r(const char* text) {
  return Constant(detail::make_fixed(NodeKind::number, text, Place::current()));
}
}  // namespace literals

/// Exact reals, which stay exact when they are multiplied by numbers.
namespace constants {
inline const Constant pi(detail::name("pi", Place::current())), e(detail::name("e", Place::current()));
inline const Constant ln2(detail::name("ln2", Place::current())), log2e(detail::name("log2e", Place::current()));
}  // namespace constants

/// A size, an index, or an integer computed from them. `/` rounds down (the language's `//`), and `%` goes with it.
class Integer : public Expression {
 public:
  using Value = Integer;
  template <Integral T>
  Integer(T value, Place place = Place::current()) : Expression(detail::literal(value, place)) {}
  explicit Integer(NodePointer node) : Expression(std::move(node)) {}

  friend Integer operator+(IntegerOperand a, IntegerOperand b) { return binary("+", a, b); }
  friend Integer operator-(IntegerOperand a, IntegerOperand b) { return binary("-", a, b); }
  friend Integer operator*(IntegerOperand a, IntegerOperand b) { return binary("*", a, b); }
  friend Integer operator/(IntegerOperand a, IntegerOperand b) { return binary("//", a, b); }
  friend Integer operator%(IntegerOperand a, IntegerOperand b) { return binary("%", a, b); }
  friend Integer operator-(IntegerOperand a) { return Integer(detail::negated(std::move(a.node), a.place)); }
  friend Condition operator<(IntegerOperand a, IntegerOperand b);
  friend Condition operator<=(IntegerOperand a, IntegerOperand b);
  friend Condition operator>(IntegerOperand a, IntegerOperand b);
  friend Condition operator>=(IntegerOperand a, IntegerOperand b);
  friend Condition operator==(IntegerOperand a, IntegerOperand b);
  friend Condition operator!=(IntegerOperand a, IntegerOperand b);

 private:
  static Integer binary(const char* sign, IntegerOperand& a, IntegerOperand& b) {
    return Integer(detail::make_fixed(NodeKind::binary, sign, b.place, {std::move(a.node), std::move(b.node)}));
  }
};

inline IntegerOperand::IntegerOperand(const Integer& value, Place at) : node(value.node()), place(at) {}

/// A dimension of parameters, or a static parameter. Sizes of one name are one size.
class Size : public Integer {
 public:
  explicit Size(std::string name, Place place = Place::current())
      : Integer(detail::make_fixed(NodeKind::size, std::move(name), place)) {}
};

/// A bound variable. It takes its range from the dimension that it subscripts, unless its reduction states one: `i <
/// n`.
class Index : public Integer {
 public:
  explicit Index(Place place = Place::current()) : Index("i", place) {}
  /// `name` is for messages and printed circuits.
  explicit Index(std::string name, Place place = Place::current())
      : Integer(detail::make_fixed(NodeKind::index, std::move(name), place)) {}
};

}  // namespace reckon::circuit
