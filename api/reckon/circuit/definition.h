// Circuits: `fn("dot", in<f32>("x", n), in<f32>("y", n), body)`, calls of circuits, and calls on data.
#pragma once

#include <functional>
#include <ranges>
#include <span>

#include "../reckon.h"
#include "schedules.h"

namespace reckon::circuit {

/// A name, with the place where it was given.
class Name {
 public:
  Name(const char* text_, Place at = Place::current()) : text(text_), place(at) {}
  Name(std::string text_, Place at = Place::current()) : text(std::move(text_)), place(at) {}

  std::string text;
  Place place;
  bool is_generated = false;
};

/// What a session defines: a circuit, or a schedule under a name.
class Definition {
 public:
  std::string name;
  Place place;
  std::vector<NodePointer> parameters;
  std::vector<NodePointer> statics;  ///< sizes that calls give in brackets
  NodePointer body;
  NodePointer result;          ///< its type; null: that of the body
  NodePointer result_storage;  ///< null: row-major
  bool is_circuit = true;      ///< false: a name for a schedule or a layout
  bool is_generated = false;   ///< of a C++ function: the operation of a reduction
};

/// A type with its sizes, for the parts of tuples: `type<f32>(n)`.
template <class V>
class Type : public Expression {
 public:
  using Of = V;
  using Expression::Expression;
};

namespace detail {

template <Format T, std::size_t Rank>
using ValueOfRank = typename std::conditional_t<Rank == 0, std::type_identity<Scalar<T>>,
                                                std::type_identity<Tensor<T, (Rank == 0 ? 1 : Rank)>>>::type;

/// The type of a result as C++ knows it; null where it does not know the sizes.
template <class V>
struct ResultType {
  static NodePointer node(Place) { return nullptr; }
};
template <Format T>
struct ResultType<Scalar<T>> {
  static NodePointer node(Place place) { return make(NodeKind::type, std::string(T::name), place); }
};
template <Format... T>
struct ResultType<Tuple<Scalar<T>...>> {
  static NodePointer node(Place place) {
    return make(NodeKind::type, {}, place, {make(NodeKind::type, std::string(T::name), place)...});
  }
};

}  // namespace detail

template <Format T, std::convertible_to<Integer>... Sizes>
Type<detail::ValueOfRank<T, sizeof...(Sizes)>> type(const Sizes&... sizes) {
  using Made = Type<detail::ValueOfRank<T, sizeof...(Sizes)>>;
  return Made(detail::make(NodeKind::type, std::string(T::name), Place::current(), {Integer(sizes).node()...}));
}

/// A parameter: `in<f32>("x")` a scalar, `in<f32>("a", m, n)` a tensor of m rows and n columns. A size is a Size, a
/// number, or an expression of sizes, with which the argument's size is compared.
template <Format T, class... Sizes>
detail::ValueOfRank<T, sizeof...(Sizes)> in(Name name, const Sizes&... sizes) {
  static_assert((std::convertible_to<const Sizes&, Integer> && ...),
                "a size is a Size, n of `Size n(\"n\")`, a number, or an expression of sizes");
  const auto type = detail::make(NodeKind::type, std::string(T::name), name.place, {Integer(sizes).node()...});
  return detail::ValueOfRank<T, sizeof...(Sizes)>(
      detail::make(NodeKind::parameter, std::move(name.text), name.place, {type}));
}
/// A parameter that is a tuple: `in("state", type<f32>(), type<f32>(n))`.
template <class... V>
Tuple<V...> in(Name name, const Type<V>&... parts) {
  const auto type = detail::make(NodeKind::type, {}, name.place, {parts.node()...});
  return Tuple<V...>(detail::make(NodeKind::parameter, std::move(name.text), name.place, {type}));
}
/// The parameter, stored in this layout, which has a mode for each dimension: the caller's buffer has this order.
template <Format T, std::size_t Rank>
Tensor<T, Rank> stored(const Tensor<T, Rank>& parameter, const Expression& layout, Place place = Place::current()) {
  const Node& of = *parameter.node();
  return Tensor<T, Rank>(detail::make(of.kind, of.text, place, {of.children[0], layout.node()}));
}

/// What each part of an argument is given as, and what each result comes back as, on the C++ side.
template <class V>
struct Native;

/// A circuit: call it in another one, `dot(x, y)`, or on data, `dot(session, xs, ys)`.
template <class Returned, class... Arguments>
class Circuit : public Expression {
 public:
  using Result = Returned;

  /// One that the session knows by name: of a program's text, or of its library.
  explicit Circuit(Name name) : Expression(detail::name(std::move(name.text), name.place)) {}
  explicit Circuit(std::shared_ptr<const Definition> definition) : Expression(reference(std::move(definition))) {}

  /// Null if the circuit is only known by name.
  const std::shared_ptr<const Definition>& definition() const { return target().definition; }
  const std::string& name() const { return definition() ? definition()->name : target().text; }

  /// The value of the circuit on values of another one.
  Returned operator()(Operand<Arguments>... arguments) const {
    const Place place = place_of(arguments...);
    return Returned(detail::make(NodeKind::call, {}, place, {node(), std::move(arguments.node)...}));
  }

  /// The circuit with values for its static parameters: `blocked.at(64)`.
  template <std::convertible_to<Integer>... Sizes>
  Circuit at(Subscript first, const Sizes&... more) const {
    Circuit out = *this;
    static_cast<Expression&>(out) = Expression(
        detail::make_fixed(NodeKind::subscript, {}, first.place, {node(), first.node, Integer(more).node()...}));
    return out;
  }

  /// The same circuit with static parameters, whose values calls give in brackets.
  template <std::same_as<Size>... Sizes>
  Circuit with_static(const Sizes&... sizes) const {
    Definition out = *definition();
    out.statics = {sizes.node()...};
    return Circuit(std::make_shared<const Definition>(std::move(out)));
  }

  /// The same circuit, whose result has this type, and is stored in this layout.
  Circuit returning(const Type<Returned>& type) const {
    Definition out = *definition();
    out.result = type.node();
    return Circuit(std::make_shared<const Definition>(std::move(out)));
  }
  Circuit returning(const Type<Returned>& type, const Expression& layout) const {
    Definition out = *definition();
    out.result = type.node();
    out.result_storage = layout.node();
    return Circuit(std::make_shared<const Definition>(std::move(out)));
  }

  /// Calls the circuit on data, under `float`: scalars are C++ numbers, a vector is any contiguous range of them, and
  /// every tensor may be a reckon::Tensor. A circuit that the session does not know yet is defined first.
  template <class... Data>
  requires(sizeof...(Data) == sizeof...(Arguments)) auto operator()(Session& session, const Data&... data) const {
    return call_on(session, On::interpreter, data...);
  }
  /// The same compiled for this machine, or for a GPU.
  template <class... Data>
  auto call_on(Session& session, On on, const Data&... data) const;

 private:
  const Node& target() const { return node()->kind == NodeKind::subscript ? *node()->children[0] : *node(); }
  static NodePointer reference(std::shared_ptr<const Definition> definition) {
    Node node(NodeKind::circuit, definition->name, definition->place);
    node.definition = std::move(definition);
    node.fixed = true;
    return std::make_shared<const Node>(std::move(node));
  }
  Place place_of() const { return node()->place; }
  template <class First, class... More>
  Place place_of(const First& first, const More&...) const {
    return first.place;
  }
};

template <class... V>
class Operand<Tuple<V...>> {
 public:
  Operand(const Tuple<V...>& value, Place at = Place::current()) : node(value.node()), place(at) {}

  NodePointer node;
  Place place;
};

/// A circuit of a program's text: `known<Scalar<f32>, Vector<f32>>("norm")`.
template <class Result, class... Arguments>
Circuit<Result, Arguments...> known(Name name) {
  return Circuit<Result, Arguments...>(std::move(name));
}

namespace detail {

/// Whether a function can be called with the parameters, in their order.
template <class Body, class... Parameters>
auto body_of(const Body& body, const Parameters&... parameters) {
  if constexpr (Valued<Body>) {
    return body;
  } else if constexpr (!std::invocable<const Body&, const Parameters&...>) {
    static_assert(never<Body>,
                  "the body of a circuit is an expression, or a function of the circuit's parameters: of "
                  "all of them, in their order, and of their types");
    return Scalar<f32>(nullptr);
  } else if constexpr (!Valued<std::invoke_result_t<const Body&, const Parameters&...>>) {
    static_assert(never<Body>,
                  "a circuit's result is a scalar, a tensor or a tuple of them; give a number a format: "
                  "cast<f32>(1)");
    return Scalar<f32>(nullptr);
  } else {
    return std::invoke(body, parameters...);
  }
}

template <class Body, class... Parameters>
auto define(Name name, const Body& body, const Parameters&... parameters) {
  const auto value = body_of(body, parameters...);
  using Value = typename decltype(value)::Value;
  Definition definition;
  definition.name = std::move(name.text);
  definition.place = name.place;
  definition.parameters = {parameters.node()...};
  definition.body = value.node();
  definition.result = ResultType<Value>::node(name.place);
  definition.is_generated = name.is_generated;
  return Circuit<Value, typename Parameters::Value...>(std::make_shared<const Definition>(std::move(definition)));
}

}  // namespace detail

/// A circuit: its name, its parameters, and last its body, an expression or a function of the parameters.
template <class... Parts>
requires(sizeof...(Parts) >= 1) auto fn(Name name, const Parts&... parts) {
  const auto all = std::tie(parts...);
  return [&]<std::size_t... k>(std::index_sequence<k...>) {
    static_assert((Valued<std::tuple_element_t<k, std::tuple<Parts...>>> && ... && true),
                  "a circuit takes its parameters first, in<f32>(\"x\", n), and its body last");
    return detail::define(std::move(name), std::get<sizeof...(Parts) - 1>(all), std::get<k>(all)...);
  }
  (std::make_index_sequence<sizeof...(Parts) - 1>());
}

// -------------------------------------------------------------------------------------------------- calls on data

template <Format T>
struct Native<Scalar<T>> {
  using Value = typename T::Native;
  static reckon::Tensor tensor(const Value& value) {
    return reckon::Tensor::scalar<Value>(value, std::string(T::name));
  }
  static reckon::Tensor tensor(const reckon::Tensor& value) { return value; }
  static Value value(const reckon::Tensor& tensor) { return tensor.as<Value>().at(0); }
};
template <Format T, std::size_t Rank>
struct Native<Tensor<T, Rank>> {
  using Value = reckon::Tensor;
  static reckon::Tensor tensor(const reckon::Tensor& value) { return value; }
  template <std::ranges::contiguous_range Range>
  static reckon::Tensor tensor(const Range& range) {
    using Element = std::ranges::range_value_t<Range>;
    static_assert(std::same_as<Element, typename T::Native>, "the numbers are not of the parameter's format");
    static_assert(Rank == 1, "numbers in a row are a vector; for more dimensions give a reckon::Tensor with a shape");
    return reckon::Tensor::of<Element>(std::span<const Element>(std::ranges::data(range), std::ranges::size(range)),
                                       {static_cast<std::int64_t>(std::ranges::size(range))}, std::string(T::name));
  }
  static Value value(const reckon::Tensor& tensor) { return tensor; }
};
template <class... V>
struct Native<Tuple<V...>> {
  using Value = std::tuple<typename Native<V>::Value...>;
};

template <class Returned, class... Arguments>
template <class... Data>
auto Circuit<Returned, Arguments...>::call_on(Session& session, On on, const Data&... data) const {
  using Value = typename Native<Returned>::Value;
  using Outcome = reckon::Result<Value>;
  if (definition()) {
    if (auto messages = session.define_circuit(definition()); !messages.empty()) return Outcome(std::move(messages));
  }
  CallOptions options;
  options.on = on;
  auto shown = session.call(name(), {Native<Arguments>::tensor(data)...}, options);
  if (!shown) return Outcome(shown.messages());
  if constexpr (requires { Native<Returned>::value(*shown->at(0).tensor); }) {
    return Outcome(Native<Returned>::value(*shown->at(0).tensor));
  } else {
    return [&]<class... V, std::size_t... k>(std::type_identity<Tuple<V...>>, std::index_sequence<k...>) {
      return Outcome(Value(Native<V>::value(*shown->at(k).tensor)...));
    }(std::type_identity<Returned>(), std::make_index_sequence<std::tuple_size_v<Value>>());
  }
}

}  // namespace reckon::circuit
