// Sentences for mistakes that C++ finds: operators on values that the language does not combine.
#pragma once

#include "values.h"

namespace reckon::circuit {
namespace detail {

template <class A, class B>
inline constexpr bool one_format = true;
template <Elements A, Elements B>
inline constexpr bool one_format<A, B> = std::same_as<typename A::Element, typename B::Element>;

template <class A, class B>
inline constexpr bool one_shape = true;
template <Elements A, Elements B>
inline constexpr bool one_shape<A, B> = A::rank == 0 || B::rank == 0 || A::rank == B::rank;

template <class A, class B>
inline constexpr bool mixes_integers = (Elements<A> && std::derived_from<B, Integer>) ||
                                       (std::derived_from<A, Integer> && Elements<B>);

template <class A, class B>
concept Mistaken = (Elements<A> || Elements<B>)&&(!one_format<A, B> || !one_shape<A, B> || mixes_integers<A, B>);

template <class A, class B>
constexpr void require_one_type() {
  static_assert(!mixes_integers<A, B>, "an index or a size is not a number of a circuit: write cast<f32>(i)");
  static_assert(one_format<A, B>, "two formats are mixed, and nothing is converted silently: write cast<f64>(x)");
  static_assert(one_shape<A, B>, "tensors of different ranks are combined: subscript them, each(i, x(i) + a(i, 0))");
}

template <class A, class B>
A mistake(const A& a, const B&) {
  require_one_type<A, B>();
  return a;
}

}  // namespace detail

template <class A, class B>
requires detail::Mistaken<A, B>
auto operator+(const A& a, const B& b) { return detail::mistake(a, b); }
template <class A, class B>
requires detail::Mistaken<A, B>
auto operator-(const A& a, const B& b) { return detail::mistake(a, b); }
template <class A, class B>
requires detail::Mistaken<A, B>
auto operator*(const A& a, const B& b) { return detail::mistake(a, b); }
template <class A, class B>
requires detail::Mistaken<A, B>
auto operator/(const A& a, const B& b) { return detail::mistake(a, b); }
template <class A, class B>
requires detail::Mistaken<A, B>
auto operator%(const A& a, const B& b) { return detail::mistake(a, b); }
template <class A, class B>
requires detail::Mistaken<A, B>
auto operator<(const A& a, const B& b) { return detail::mistake(a, b); }
template <class A, class B>
requires detail::Mistaken<A, B>
auto operator<=(const A& a, const B& b) { return detail::mistake(a, b); }
template <class A, class B>
requires detail::Mistaken<A, B>
auto operator>(const A& a, const B& b) { return detail::mistake(a, b); }
template <class A, class B>
requires detail::Mistaken<A, B>
auto operator>=(const A& a, const B& b) { return detail::mistake(a, b); }
template <class A, class B>
requires detail::Mistaken<A, B>
auto operator==(const A& a, const B& b) { return detail::mistake(a, b); }
template <class A, class B>
requires detail::Mistaken<A, B>
auto operator!=(const A& a, const B& b) { return detail::mistake(a, b); }

}  // namespace reckon::circuit
