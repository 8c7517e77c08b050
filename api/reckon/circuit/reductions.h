// Binders: `sum(i, x(i) * y(i)).by(lanes(128, tree).then(tree))`, and `each({i, j}, ...)`, which builds a tensor.
#pragma once

#include "definition.h"

namespace reckon::circuit {

/// An index and its range: `i`, whose range is that of the dimension that it subscripts, or `i < n`.
class Range {
 public:
  Range(const Index& index, Place at = Place::current()) : node(index.node()), place(at) {}
  Range(const Condition& bounded, Place at = Place::current()) : node(bounded.node()), place(at) {}

  NodePointer node;
  Place place;
};

/// A reduction: by the schedule that is stated, or else by `lanes(128, tree) then tree`.
template <class V>
class Reduction : public V {
 public:
  using V::V;
  Reduction by(const Schedule& order, Place place = Place::current()) const {
    Node out = *this->node();
    out.schedule = detail::used_at(order.node(), place);
    return Reduction(std::make_shared<const Node>(std::move(out)));
  }
  template <std::same_as<Stage> S>
  Reduction by(const S&) const {
    static_assert(detail::never<S>, "a stage leaves several nodes: say how they are reduced, lanes(8, seq).then(tree)");
    return *this;
  }
  /// The leaves for which the condition, which may use the indices, is true. The others count as 0, or in a product as
  /// 1; `min`, `max` and `reduce` leave them out of the tree, and need `otherwise`.
  Reduction where(const Scalar<boolean>& condition) const {
    Node out = *this->node();
    out.guard = condition.node();
    return Reduction(std::make_shared<const Node>(std::move(out)));
  }
  /// What a reduction of nothing gives.
  Reduction otherwise(Operand<typename V::Value> value) const {
    Node out = *this->node();
    out.otherwise = value.node;
    return Reduction(std::make_shared<const Node>(std::move(out)));
  }
};

namespace detail {

template <class V>
inline constexpr bool numbers = false;
template <Format T>
inline constexpr bool numbers<Scalar<T>> = true;
template <Format... T>
inline constexpr bool numbers<Tuple<Scalar<T>...>> = true;

template <class X>
constexpr void require_numbers() {
  static_assert(numbers<typename X::Value>,
                "a reduction combines numbers, or tuples of numbers: subscript the tensor, sum(j, a(i, j))");
}

inline NodePointer binder(const char* word, const Range* ranges, std::size_t count, const NodePointer& body,
                          Place place) {
  Node node(NodeKind::binder, word, place, {body});
  for (std::size_t k = 0; k < count; ++k) node.ranges.push_back(ranges[k].node);
  return std::make_shared<const Node>(std::move(node));
}

template <class V, std::size_t N>
struct Built;
template <Format T, std::size_t N>
struct Built<Scalar<T>, N> {
  using type = Tensor<T, N>;
};
template <Format T, std::size_t Rank, std::size_t N>
struct Built<Tensor<T, Rank>, N> {
  using type = Tensor<T, N + Rank>;
};
template <class... V, std::size_t N>
struct Built<Tuple<V...>, N> {
  using type = Tuple<typename Built<V, N>::type...>;
};

/// The circuit that combines two values, from a function of two C++ values.
template <class V>
struct Operands;
template <Format T>
struct Operands<Scalar<T>> {
  static Scalar<T> named(Name name) { return in<T>(std::move(name)); }
};
template <Format... T>
struct Operands<Tuple<Scalar<T>...>> {
  static Tuple<Scalar<T>...> named(Name name) { return in(std::move(name), type<T>()...); }
};

template <class V, class X = V, class Combine>
NodePointer operation(const Combine& combine, Place place) {
  if constexpr (std::derived_from<Combine, Expression>) {
    return combine.node();
  } else {
    static_assert(std::invocable<const Combine&, const V&, const X&>,
                  "a reduction's operation is one of namespace op, a circuit, or a function of two values");
    Name name("combine", place);
    name.is_generated = true;
    return define(std::move(name), combine, Operands<V>::named(Name("a", place)), Operands<X>::named(Name("b", place)))
        .node();
  }
}

/// The circuit that makes the next state of a state.
template <class V, class Function>
NodePointer step(const Function& f, Place place) {
  if constexpr (std::derived_from<Function, Expression>) {
    return f.node();
  } else {
    static_assert(std::invocable<const Function&, const V&>, "`iterate` needs a circuit, or a function of one value");
    Name name("step", place);
    name.is_generated = true;
    return define(std::move(name), f, Operands<V>::named(Name("a", place))).node();
  }
}

template <class V>
V with_operation(const char* word, const Range* ranges, std::size_t count, const NodePointer& body,
                 NodePointer operation, Place place, NodePointer start = nullptr) {
  Node node = *binder(word, ranges, count, body, place);
  node.operation = std::move(operation);
  node.start = std::move(start);
  return V(std::make_shared<const Node>(std::move(node)));
}

}  // namespace detail

/// Sums, products, and the least and the greatest of numbers. Several indices are one list of leaves, the last fastest.
template <Valued X>
auto sum(Range range, const X& body, Place place = Place::current()) {
  detail::require_numbers<X>();
  return Reduction<typename X::Value>(detail::binder("sum", &range, 1, body.node(), place));
}
template <std::size_t N, Valued X>
auto sum(const Range (&ranges)[N], const X& body, Place place = Place::current()) {
  detail::require_numbers<X>();
  return Reduction<typename X::Value>(detail::binder("sum", ranges, N, body.node(), place));
}
template <Valued X>
auto prod(Range range, const X& body, Place place = Place::current()) {
  detail::require_numbers<X>();
  return Reduction<typename X::Value>(detail::binder("prod", &range, 1, body.node(), place));
}
template <std::size_t N, Valued X>
auto prod(const Range (&ranges)[N], const X& body, Place place = Place::current()) {
  detail::require_numbers<X>();
  return Reduction<typename X::Value>(detail::binder("prod", ranges, N, body.node(), place));
}
template <Valued X>
auto min(Range range, const X& body, Place place = Place::current()) {
  detail::require_numbers<X>();
  return Reduction<typename X::Value>(detail::binder("min", &range, 1, body.node(), place));
}
template <std::size_t N, Valued X>
auto min(const Range (&ranges)[N], const X& body, Place place = Place::current()) {
  detail::require_numbers<X>();
  return Reduction<typename X::Value>(detail::binder("min", ranges, N, body.node(), place));
}
template <Valued X>
auto max(Range range, const X& body, Place place = Place::current()) {
  detail::require_numbers<X>();
  return Reduction<typename X::Value>(detail::binder("max", &range, 1, body.node(), place));
}
template <std::size_t N, Valued X>
auto max(const Range (&ranges)[N], const X& body, Place place = Place::current()) {
  detail::require_numbers<X>();
  return Reduction<typename X::Value>(detail::binder("max", ranges, N, body.node(), place));
}

/// A reduction by one of namespace op, by a circuit of two arguments, or by a C++ function of two values.
template <class Combine, Valued X>
auto reduce(const Combine& combine, Range range, const X& body, Place place = Place::current()) {
  detail::require_numbers<X>();
  using V = typename X::Value;
  return detail::with_operation<Reduction<V>>("reduce", &range, 1, body.node(), detail::operation<V>(combine, place),
                                              place);
}
template <class Combine, std::size_t N, Valued X>
auto reduce(const Combine& combine, const Range (&ranges)[N], const X& body, Place place = Place::current()) {
  detail::require_numbers<X>();
  using V = typename X::Value;
  return detail::with_operation<Reduction<V>>("reduce", ranges, N, body.node(), detail::operation<V>(combine, place),
                                              place);
}

/// All prefixes: element i is the reduction of the leaves 0 to i, in the same order.
template <class Combine, Valued X>
auto scan(const Combine& combine, Range range, const X& body, Place place = Place::current()) {
  detail::require_numbers<X>();
  using V = typename X::Value;
  using Prefixes = Reduction<typename detail::Built<V, 1>::type>;
  return detail::with_operation<Prefixes>("scan", &range, 1, body.node(), detail::operation<V>(combine, place), place);
}

/// The leaves in order, with a state of another type than theirs: `f` takes the state and a leaf, and gives the next
/// state. It is a circuit, or a C++ function of two values if these are numbers or tuples of numbers.
template <class Function, Valued S, Valued X>
auto fold(const Function& f, const S& start, Range range, const X& body, Place place = Place::current()) {
  using V = typename S::Value;
  return detail::with_operation<V>("fold", &range, 1, body.node(), detail::operation<V, typename X::Value>(f, place),
                                   place, start.node());
}

/// The state after each leaf: a scan from a start.
template <class Function, Valued S, Valued X>
auto scan(const Function& f, const S& start, Range range, const X& body, Place place = Place::current()) {
  using V = typename S::Value;
  using States = typename detail::Built<V, 1>::type;
  return detail::with_operation<States>("scan", &range, 1, body.node(),
                                        detail::operation<V, typename X::Value>(f, place), place, start.node());
}

/// `f` carried out `steps` times, from `start` on. It is a circuit, or a C++ function of a number or a tuple of
/// numbers.
template <class Function, Valued S>
auto iterate(const Subscript& steps, const Function& f, const S& start, Place place = Place::current()) {
  using V = typename S::Value;
  return V(detail::call("iterate", place, {steps.node, detail::step<V>(f, place), start.node()}));
}

/// A tensor, element by element: the language's `for i, j: ...`.
template <Valued X>
auto each(Range range, const X& body, Place place = Place::current()) {
  return typename detail::Built<typename X::Value, 1>::type(detail::binder("for", &range, 1, body.node(), place));
}
template <std::size_t N, Valued X>
auto each(const Range (&ranges)[N], const X& body, Place place = Place::current()) {
  return typename detail::Built<typename X::Value, N>::type(detail::binder("for", ranges, N, body.node(), place));
}

// Several indices without braces.
template <class... More>
requires(sizeof...(More) >= 1) auto sum(const Index& first, const Index&, const More&...) {
  static_assert(detail::never<More...>, "several indices stand in braces: sum({i, j}, a(i, j))");
  return first;
}
template <class... More>
requires(sizeof...(More) >= 1) auto prod(const Index& first, const Index&, const More&...) {
  static_assert(detail::never<More...>, "several indices stand in braces: prod({i, j}, a(i, j))");
  return first;
}
template <class... More>
requires(sizeof...(More) >= 1) auto min(const Index& first, const Index&, const More&...) {
  static_assert(detail::never<More...>, "several indices stand in braces: min({i, j}, a(i, j))");
  return first;
}
template <class... More>
requires(sizeof...(More) >= 1) auto max(const Index& first, const Index&, const More&...) {
  static_assert(detail::never<More...>, "several indices stand in braces: max({i, j}, a(i, j))");
  return first;
}
template <class... More>
requires(sizeof...(More) >= 1) auto each(const Index& first, const Index&, const More&...) {
  static_assert(detail::never<More...>, "several indices stand in braces: each({i, j}, a(i, j))");
  return first;
}

}  // namespace reckon::circuit

template <class... V>
struct std::tuple_size<reckon::circuit::Reduction<reckon::circuit::Tuple<V...>>>
    : std::integral_constant<std::size_t, sizeof...(V)> {};
template <std::size_t k, class... V>
struct std::tuple_element<k, reckon::circuit::Reduction<reckon::circuit::Tuple<V...>>> {
  using type = std::tuple_element_t<k, std::tuple<V...>>;
};
