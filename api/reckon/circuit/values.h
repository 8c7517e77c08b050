// The values of circuits: scalars, tensors and tuples, with their operators.
#pragma once

#include <tuple>
#include <type_traits>

#include "formats.h"
#include "numbers.h"

namespace reckon::circuit {

template <Format T>
class Scalar;
template <Format T, std::size_t Rank>
class Tensor;
class Condition;

/// An operand of an expression whose value is a `V`: such a value, a scalar beside a tensor, a number, a C++ number.
template <class V>
class Operand;

template <Format T>
class Operand<Scalar<T>> {
 public:
  Operand(const Scalar<T>& value, Place at = Place::current());
  Operand(const Constant& value, Place at = Place::current()) : node(value.node()), place(at) {}
  template <Plain X>
  Operand(X value, Place at = Place::current()) : node(detail::literal(value, at)), place(at) {}

  NodePointer node;
  Place place;
};

template <Format T, std::size_t Rank>
class Operand<Tensor<T, Rank>> {
 public:
  Operand(const Tensor<T, Rank>& value, Place at = Place::current());
  Operand(const Scalar<T>& value, Place at = Place::current());
  Operand(const Constant& value, Place at = Place::current()) : node(value.node()), place(at) {}
  template <Plain X>
  Operand(X value, Place at = Place::current()) : node(detail::literal(value, at)), place(at) {}

  NodePointer node;
  Place place;
};

template <>
class Operand<Scalar<boolean>> {
 public:
  Operand(const Scalar<boolean>& value, Place at = Place::current());
  template <std::same_as<bool> X>
  Operand(X value, Place at = Place::current())
      : node(detail::make_fixed(NodeKind::boolean, value ? "true" : "false", at)), place(at) {}

  NodePointer node;
  Place place;
};

namespace detail {

template <class V>
V binary(const char* sign, NodePointer a, NodePointer b, Place place) {
  return V(make(NodeKind::binary, sign, place, {std::move(a), std::move(b)}));
}

/// The operators of numbers, element by element. `V` is the value, `Truth` what comparisons give. The quotient of
/// integers is rounded down, as that of sizes is.
template <class V, class Truth, bool integers>
class Arithmetic {
  using X = Operand<V>;
  friend V operator+(X a, X b) { return binary<V>("+", a.node, b.node, b.place); }
  friend V operator-(X a, X b) { return binary<V>("-", a.node, b.node, b.place); }
  friend V operator*(X a, X b) { return binary<V>("*", a.node, b.node, b.place); }
  friend V operator/(X a, X b) { return binary<V>(integers ? "//" : "/", a.node, b.node, b.place); }
  friend V operator%(X a, X b) { return binary<V>("%", a.node, b.node, b.place); }
  friend V operator-(X a) { return V(make(NodeKind::unary, "-", a.place, {a.node})); }
  friend Truth operator<(X a, X b) { return binary<Truth>("<", a.node, b.node, b.place); }
  friend Truth operator<=(X a, X b) { return binary<Truth>("<=", a.node, b.node, b.place); }
  friend Truth operator>(X a, X b) { return binary<Truth>(">", a.node, b.node, b.place); }
  friend Truth operator>=(X a, X b) { return binary<Truth>(">=", a.node, b.node, b.place); }
  friend Truth operator==(X a, X b) { return binary<Truth>("==", a.node, b.node, b.place); }
  friend Truth operator!=(X a, X b) { return binary<Truth>("!=", a.node, b.node, b.place); }
};

/// Those of integers alone. The language writes `xor` for `^`.
template <class V>
class BitArithmetic {
  using X = Operand<V>;
  friend V operator&(X a, X b) { return binary<V>("&", a.node, b.node, b.place); }
  friend V operator|(X a, X b) { return binary<V>("|", a.node, b.node, b.place); }
  friend V operator^(X a, X b) { return binary<V>("xor", a.node, b.node, b.place); }
  friend V operator<<(X a, X b) { return binary<V>("<<", a.node, b.node, b.place); }
  friend V operator>>(X a, X b) { return binary<V>(">>", a.node, b.node, b.place); }
};

/// Those of truth values.
template <class V>
class Logic {
  using X = Operand<V>;
  friend V operator&&(X a, X b) { return binary<V>("and", a.node, b.node, b.place); }
  friend V operator||(X a, X b) { return binary<V>("or", a.node, b.node, b.place); }
  friend V operator!(X a) { return V(make(NodeKind::unary, "not", a.place, {a.node})); }
};

/// For assertions in what is never meant.
template <class...>
inline constexpr bool never = false;

struct None {};
template <class T, class V>
using BitsOf = std::conditional_t<IntegerFormat<T>, BitArithmetic<V>, None>;
template <class T, class V, class Truth>
using OperatorsOf = std::conditional_t<std::same_as<T, boolean>, Logic<V>, Arithmetic<V, Truth, IntegerFormat<T>>>;

}  // namespace detail

/// A number, or a truth value, of a format.
template <Format T>
class Scalar : public Expression, detail::OperatorsOf<T, Scalar<T>, Scalar<boolean>>, detail::BitsOf<T, Scalar<T>> {
 public:
  using Value = Scalar;
  using Element = T;
  static constexpr std::size_t rank = 0;
  explicit Scalar(NodePointer node) : Expression(std::move(node)) {}
};

/// A comparison of sizes and indices: a truth value, and in a reduction the range of an index, `sum(i < n, ...)`.
class Condition : public Scalar<boolean> {
 public:
  using Scalar<boolean>::Scalar;
};

/// A subscript, with the place where the tensor is subscripted.
class Subscript {
 public:
  Subscript(const Integer& value, Place at = Place::current()) : node(value.node()), place(at) {}
  template <Integral X>
  Subscript(X value, Place at = Place::current()) : node(detail::literal(value, at)), place(at) {}
  /// An integer of data.
  template <IntegerFormat T>
  Subscript(const Scalar<T>& value, Place at = Place::current()) : node(value.node()), place(at) {}

  NodePointer node;
  Place place;
};

/// A tensor of `Rank` dimensions. `x(i, j)` is an element.
template <Format T, std::size_t Rank>
class Tensor : public Expression,
               detail::OperatorsOf<T, Tensor<T, Rank>, Tensor<boolean, Rank>>,
               detail::BitsOf<T, Tensor<T, Rank>> {
  static_assert(Rank >= 1, "a tensor has at least one dimension; without any it is a Scalar");

 public:
  using Value = Tensor;
  using Element = T;
  static constexpr std::size_t rank = Rank;
  explicit Tensor(NodePointer node) : Expression(std::move(node)) {}

  template <class... More>
  Scalar<T> operator()(Subscript first, const More&... more) const {
    static_assert(sizeof...(More) + 1 == Rank, "a tensor takes one subscript for each of its dimensions");
    static_assert((std::convertible_to<const More&, Subscript> && ...),
                  "a subscript is an Index, a Size, or an integer computed from them");
    return Scalar<T>(detail::make(NodeKind::subscript, {}, first.place, {node(), first.node, Subscript(more).node...}));
  }
  template <class X>
  Scalar<T> operator[](const X&) const {
    static_assert(detail::never<X>, "subscripts stand in parentheses: x(i), a(i, j)");
    return Scalar<T>(nullptr);
  }
};

template <class T>
using Vector = Tensor<T, 1>;
template <class T>
using Matrix = Tensor<T, 2>;

template <Format T>
Operand<Scalar<T>>::Operand(const Scalar<T>& value, Place at) : node(value.node()), place(at) {}
inline Operand<Scalar<boolean>>::Operand(const Scalar<boolean>& value, Place at) : node(value.node()), place(at) {}
template <Format T, std::size_t Rank>
Operand<Tensor<T, Rank>>::Operand(const Tensor<T, Rank>& value, Place at) : node(value.node()), place(at) {}
template <Format T, std::size_t Rank>
Operand<Tensor<T, Rank>>::Operand(const Scalar<T>& value, Place at) : node(value.node()), place(at) {}

inline Condition operator<(IntegerOperand a, IntegerOperand b) {
  return Condition(detail::make_fixed(NodeKind::binary, "<", b.place, {a.node, b.node}));
}
inline Condition operator<=(IntegerOperand a, IntegerOperand b) {
  return Condition(detail::make_fixed(NodeKind::binary, "<=", b.place, {a.node, b.node}));
}
inline Condition operator>(IntegerOperand a, IntegerOperand b) {
  return Condition(detail::make_fixed(NodeKind::binary, ">", b.place, {a.node, b.node}));
}
inline Condition operator>=(IntegerOperand a, IntegerOperand b) {
  return Condition(detail::make_fixed(NodeKind::binary, ">=", b.place, {a.node, b.node}));
}
inline Condition operator==(IntegerOperand a, IntegerOperand b) {
  return Condition(detail::make_fixed(NodeKind::binary, "==", b.place, {a.node, b.node}));
}
inline Condition operator!=(IntegerOperand a, IntegerOperand b) {
  return Condition(detail::make_fixed(NodeKind::binary, "!=", b.place, {a.node, b.node}));
}

/// Several values at once: the result of a circuit, or what a reduction combines. `get<k>(t)`, or `auto [a, b] = t`.
template <class... V>
class Tuple : public Expression {
 public:
  using Value = Tuple;
  explicit Tuple(NodePointer node) : Expression(std::move(node)) {}

  template <std::size_t k>
  auto get(Place place = Place::current()) const {
    using Part = std::tuple_element_t<k, std::tuple<V...>>;
    if (node()->kind == NodeKind::tuple) return Part(node()->children[k]);
    Node part(NodeKind::part, {}, place, {node()});
    part.number = k;
    part.arity = sizeof...(V);
    return Part(std::make_shared<const Node>(std::move(part)));
  }
};

template <std::size_t k, class... V>
auto get(const Tuple<V...>& tuple, Place place = Place::current()) {
  return tuple.template get<k>(place);
}

/// A value of a circuit: a scalar, a tensor, or a tuple of them.
template <class X>
concept Valued = std::derived_from<X, Expression> && requires {
  typename X::Value;
} && !std::derived_from<X, Constant> && !std::derived_from<X, Integer>;
/// A scalar or a tensor.
template <class X>
concept Elements = Valued<X> && requires {
  typename X::Element;
};

/// `tuple(a, b)`.
template <Valued... X>
Tuple<typename X::Value...> tuple(const X&... parts) {
  const Place place = std::get<0>(std::tuple<const X&...>(parts...)).node()->place;
  return Tuple<typename X::Value...>(detail::make(NodeKind::tuple, {}, place, {parts.node()...}));
}

/// The value under a name of your choice, in printed circuits and in messages.
template <Valued X>
typename X::Value let(std::string name, const X& value, Place place = Place::current()) {
  return typename X::Value(detail::make(NodeKind::let, std::move(name), place, {value.node()}));
}

}  // namespace reckon::circuit

template <class... V>
struct std::tuple_size<reckon::circuit::Tuple<V...>> : std::integral_constant<std::size_t, sizeof...(V)> {};
template <std::size_t k, class... V>
struct std::tuple_element<k, reckon::circuit::Tuple<V...>> {
  using type = std::tuple_element_t<k, std::tuple<V...>>;
};
