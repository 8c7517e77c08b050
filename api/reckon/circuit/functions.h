// The functions of the language, element by element. tests/api compares this list with the table of operations
// (ir/ops.def): each of its rows is a function here, or an operator.
#pragma once

#include "mistakes.h"

namespace reckon::circuit {

/// What a function takes: a value, or a number that takes the format of the other operands.
template <class X>
concept Argument = Elements<X> || std::derived_from<X, Constant> || Plain<X>;

namespace detail {

template <class A, class B>
struct Joined {
  static constexpr bool checked = (require_one_type<A, B>(), true);
  static_assert(checked);
  using type = std::conditional_t<(A::rank < B::rank), B, A>;
};
/// The type of a function's value: that of its tensors, else that of its scalars.
template <class... X>
struct ValueOf {
  using type = void;
};
template <class A, class... More>
struct ValueOf<A, More...> : ValueOf<More...> {};
template <Elements A, class... More>
struct ValueOf<A, More...> {
  using Rest = typename ValueOf<More...>::type;
  using type = typename std::conditional_t<
      std::is_void_v<Rest>, std::type_identity<typename A::Value>,
      Joined<typename A::Value, std::conditional_t<std::is_void_v<Rest>, typename A::Value, Rest>>>::type;
};

template <Argument X>
NodePointer argument(const X& x, Place place) {
  if constexpr (Plain<X>) return literal(x, place);
  else return x.node();
}

template <Argument... X>
requires(Elements<X> || ...) typename ValueOf<X...>::type apply(const char* name, Place place, const X&... x) {
  return typename ValueOf<X...>::type(call(name, place, {argument(x, place)...}));
}

}  // namespace detail

template <Elements X>
auto abs(const X& x, Place place = Place::current()) {
  return detail::apply("abs", place, x);
}
template <Elements X>
auto sqrt(const X& x, Place place = Place::current()) {
  return detail::apply("sqrt", place, x);
}
// The elementary functions.
#define RECKON_FUNCTION(name)                              \
  template <Elements X>                                    \
  auto name(const X& x, Place place = Place::current()) {  \
    return detail::apply(#name, place, x);                 \
  }
#define RECKON_FUNCTION_OF_TWO(name)                                                                          \
  template <Argument A, Argument B>                                                                           \
  requires(Elements<A> || Elements<B>) auto name(const A& a, const B& b, Place place = Place::current()) {    \
    return detail::apply(#name, place, a, b);                                                                 \
  }
#include "../functions.def"
template <Elements X>
auto sign(const X& x, Place place = Place::current()) {
  return detail::apply("sign", place, x);
}
template <Elements X>
auto floor(const X& x, Place place = Place::current()) {
  return detail::apply("floor", place, x);
}
template <Elements X>
auto ceil(const X& x, Place place = Place::current()) {
  return detail::apply("ceil", place, x);
}
template <Elements X>
auto trunc(const X& x, Place place = Place::current()) {
  return detail::apply("trunc", place, x);
}
template <Elements X>
auto round(const X& x, Place place = Place::current()) {
  return detail::apply("round", place, x);
}
template <Argument A, Argument B>
requires(Elements<A> || Elements<B>) auto ldexp(const A& a, const B& b, Place place = Place::current()) {
  return detail::apply("ldexp", place, a, b);
}
template <Argument A, Argument B>
requires(Elements<A> || Elements<B>) auto min(const A& a, const B& b, Place place = Place::current()) {
  return detail::apply("min", place, a, b);
}
template <Argument A, Argument B>
requires(Elements<A> || Elements<B>) auto max(const A& a, const B& b, Place place = Place::current()) {
  return detail::apply("max", place, a, b);
}
template <Argument A, Argument B>
requires(Elements<A> || Elements<B>) auto minnum(const A& a, const B& b, Place place = Place::current()) {
  return detail::apply("minnum", place, a, b);
}
template <Argument A, Argument B>
requires(Elements<A> || Elements<B>) auto maxnum(const A& a, const B& b, Place place = Place::current()) {
  return detail::apply("maxnum", place, a, b);
}
template <Argument A, Argument B>
requires(Elements<A> || Elements<B>) auto copysign(const A& a, const B& b, Place place = Place::current()) {
  return detail::apply("copysign", place, a, b);
}
template <Argument A, Argument B>
requires(Elements<A> || Elements<B>) auto nextafter(const A& a, const B& b, Place place = Place::current()) {
  return detail::apply("nextafter", place, a, b);
}
template <Argument A, Argument B, Argument C>
requires(Elements<A> || Elements<B> || Elements<C>) auto fma(const A& a, const B& b, const C& c,
                                                             Place place = Place::current()) {
  return detail::apply("fma", place, a, b, c);
}
template <Argument A, Argument B, Argument C>
requires(Elements<A> || Elements<B> || Elements<C>) auto clamp(const A& a, const B& b, const C& c,
                                                               Place place = Place::current()) {
  return detail::apply("clamp", place, a, b, c);
}

/// The less, and the greater, of two integers: `x(min(i + 1, n - 1))`.
inline Integer min(const Integer& a, const Integer& b, Place place = Place::current()) {
  return Integer(detail::fixed_call("min", place, {a.node(), b.node()}));
}
inline Integer max(const Integer& a, const Integer& b, Place place = Place::current()) {
  return Integer(detail::fixed_call("max", place, {a.node(), b.node()}));
}

/// `a` where the condition holds, else `b`. Both are evaluated.
template <Valued C, Argument A, Argument B>
requires(Elements<A> || Elements<B>) auto select(const C& condition, const A& a, const B& b,
                                                 Place place = Place::current()) {
  static_assert(std::same_as<typename C::Element, boolean>, "select chooses by a condition: select(x > 0, a, b)");
  using Value = typename detail::ValueOf<A, B>::type;
  return Value(
      detail::call("select", place, {condition.node(), detail::argument(a, place), detail::argument(b, place)}));
}

/// A conversion to another format, rounded once: of a value, of a number, of an index or a size.
template <Format T, Elements X>
auto cast(const X& x, Place place = Place::current()) {
  using Value = typename std::conditional_t<X::rank == 0, std::type_identity<Scalar<T>>,
                                            std::type_identity<Tensor<T, (X::rank == 0 ? 1 : X::rank)>>>::type;
  return Value(detail::call(std::string(T::name), place, {x.node()}));
}
template <Format T, class X>
requires(Plain<X> || std::derived_from<X, Constant> ||
         std::derived_from<X, Integer>) Scalar<T> cast(const X& x, Place place = Place::current()) {
  if constexpr (Plain<X>) return Scalar<T>(detail::call(std::string(T::name), place, {detail::literal(x, place)}));
  else return Scalar<T>(detail::call(std::string(T::name), place, {x.node()}));
}

/// The type of a format's bit pattern.
template <FloatFormat T>
using PatternOf = std::conditional_t<std::same_as<T, f64>, u64, u32>;
/// The bit pattern of a float, and the float of a pattern.
template <class X>
requires(Elements<X>&& X::rank == 0) auto bits(const X& x, Place place = Place::current()) {
  return Scalar<PatternOf<typename X::Element>>(detail::call("bits", place, {x.node()}));
}
template <FloatFormat T, UnsignedFormat U>
requires(sizeof(typename U::Native) >= sizeof(typename T::Native)) Scalar<T> from_bits(const Scalar<U>& pattern,
                                                                                       Place place = Place::current()) {
  return Scalar<T>(detail::call("from_bits", place, {detail::name(std::string(T::name), place), pattern.node()}));
}
/// A literal by its bit pattern: `pattern<f32>(0x3fc00000)`.
template <Format T>
Scalar<T> pattern(std::uint64_t bits, Place place = Place::current()) {
  Node node(NodeKind::bits, std::string(T::name), place);
  node.number = bits;
  return Scalar<T>(std::make_shared<const Node>(std::move(node)));
}

/// What a GPU's instructions give; not rounded correctly.
namespace approx {
template <Elements X>
auto exp2(const X& x, Place place = Place::current()) {
  return detail::apply("approx.exp2", place, x);
}
template <Elements X>
auto log2(const X& x, Place place = Place::current()) {
  return detail::apply("approx.log2", place, x);
}
template <Elements X>
auto sin(const X& x, Place place = Place::current()) {
  return detail::apply("approx.sin", place, x);
}
template <Elements X>
auto cos(const X& x, Place place = Place::current()) {
  return detail::apply("approx.cos", place, x);
}
template <Elements X>
auto tanh(const X& x, Place place = Place::current()) {
  return detail::apply("approx.tanh", place, x);
}
template <Elements X>
auto sqrt(const X& x, Place place = Place::current()) {
  return detail::apply("approx.sqrt", place, x);
}
template <Elements X>
auto rsqrt(const X& x, Place place = Place::current()) {
  return detail::apply("approx.rsqrt", place, x);
}
template <Elements X>
auto rcp(const X& x, Place place = Place::current()) {
  return detail::apply("approx.rcp", place, x);
}
template <Argument A, Argument B>
requires(Elements<A> || Elements<B>) auto div(const A& a, const B& b, Place place = Place::current()) {
  return detail::apply("approx.div", place, a, b);
}
}  // namespace approx

/// An operation of two operands, for `reduce` and `scan`.
class Operation : public Expression {
 public:
  using Expression::Expression;
};
namespace op {
inline const Operation add(detail::name("add", Place::current()));
inline const Operation sub(detail::name("sub", Place::current()));
inline const Operation mul(detail::name("mul", Place::current()));
inline const Operation div(detail::name("div", Place::current()));
inline const Operation rem(detail::name("rem", Place::current()));
inline const Operation min(detail::name("min", Place::current()));
inline const Operation max(detail::name("max", Place::current()));
inline const Operation minnum(detail::name("minnum", Place::current()));
inline const Operation maxnum(detail::name("maxnum", Place::current()));
inline const Operation atan2(detail::name("atan2", Place::current()));
inline const Operation pow(detail::name("pow", Place::current()));
inline const Operation hypot(detail::name("hypot", Place::current()));
inline const Operation copysign(detail::name("copysign", Place::current()));
inline const Operation nextafter(detail::name("nextafter", Place::current()));
inline const Operation ldexp(detail::name("ldexp", Place::current()));
inline const Operation bit_and(detail::name("bit_and", Place::current()));
inline const Operation bit_or(detail::name("bit_or", Place::current()));
inline const Operation bit_xor(detail::name("bit_xor", Place::current()));
inline const Operation shift_left(detail::name("shift_left", Place::current()));
inline const Operation shift_right(detail::name("shift_right", Place::current()));
inline const Operation floor_div(detail::name("floor_div", Place::current()));
inline const Operation floor_mod(detail::name("floor_mod", Place::current()));
}  // namespace op

}  // namespace reckon::circuit
