// The rules of the ring (modular.h, *_rules.h) are templates over a word of 64 bits `W` and the flags that its
// comparisons give. The interpreter takes std::uint64_t and bool; the code generator takes LLVM values with the same
// operators (semantics/padic/compiled/ring_word.h), so host, GPU and interpreter have the same bits by construction.
//
// Operations on words: + - * & | ^, wrapping around; << >> by a C++ int; % and / by a constant; == and < (unsigned). On
// flags: ! & |. For both kinds of words there are also the functions below, `branch` (it evaluates one side), `loop`
// and `call` (of a rule, which compiled code keeps as a separate function).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "numerics/padic/value.h"

// Flags are joined by & and |, since a flag may be an LLVM value.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wbitwise-instead-of-logical"
#endif

namespace reckon::numerics::padic {

__extension__ using Word128 = unsigned __int128;

/// Conditions on random numbers are unpredictable, so this should not become a jump.
constexpr std::uint64_t select(bool condition, std::uint64_t x, std::uint64_t y) {
  return __builtin_expect_with_probability(condition, 1, 0.5) ? x : y;
}
constexpr std::uint64_t high_product(std::uint64_t x, std::uint64_t y) {
  return static_cast<std::uint64_t>((static_cast<Word128>(x) * y) >> 64);
}
constexpr bool is_negative(std::uint64_t x) { return static_cast<std::int64_t>(x) < 0; }
/// x % modulus for an x below 2^32, which is faster.
constexpr std::uint64_t small_remainder(std::uint64_t x, std::uint32_t modulus) {
  return static_cast<std::uint32_t>(x) % modulus;
}

template <class W>
using FlagOf = decltype(std::declval<const W&>() == std::declval<const W&>());

inline constexpr std::uint32_t clean = std::bit_cast<std::uint32_t>(Exponential{});
static_assert(clean == 0x10001 && std::bit_cast<std::uint32_t>(nothing_known) == 0);
/// The second word of a plain Value, whose b and c are still to be added.
inline constexpr std::uint64_t plain_rest = std::uint64_t{clean} << 32 | 4 << 24;

/// A Value as two words: a; and, from the lowest bit on, b (16 bits), c (8), digits (8), Exponential's b, c, ln2_power.
template <class W>
struct Number {
  using Word = W;
  W a = 0, rest = plain_rest;

  Number() = default;
  Number(const W& first, const W& second) : a(first), rest(second) {}
  Number(const W& first, const W& b, const W& c, const W& digits, const W& exponential)
      : a(first), rest(b | c << 16 | digits << 24 | exponential << 32) {}
  W b() const { return rest & 0xffff; }
  W c() const { return (rest >> 16) & 0xff; }
  W digits() const { return (rest >> 24) & 0xff; }
  W exponential() const { return rest >> 32; }
  auto fields() { return std::tie(a, rest); }
};

template <class W>
Number<W> opened(const Value& x) {
  std::uint64_t rest = 0;
  std::memcpy(&rest, &x.b, sizeof rest);
  return {x.a, rest};
}
inline Number<std::uint64_t> open(const Value& x) { return opened<std::uint64_t>(x); }
inline Value closed(const Number<std::uint64_t>& x) {
  Value out;
  out.a = x.a;
  std::memcpy(&out.b, &x.rest, sizeof x.rest);
  return out;
}
static_assert(std::endian::native == std::endian::little && offsetof(Value, b) == 8);

/// branch(c, f, d, g, ..., otherwise) returns the result of the function that follows the first true condition.
template <class F, class G>
constexpr auto branch(bool condition, F&& then, G&& otherwise) -> decltype(then()) {
  if (condition) return then();
  return otherwise();
}
template <class Flag, class F, class Second, class... Rest>
requires(sizeof...(Rest) >= 2) constexpr auto branch(const Flag& condition, F&& then, const Second& second,
                                                     Rest&&... rest) -> decltype(then()) {
  return branch(condition, then, [&] { return branch(second, rest...); });
}

/// Loops of words, and calls of rules. A rule is a type with a name and a static template `of`. If `rare` is true, it
/// is kept apart from the code of the usual cases; if `small` is true, it is never a function of its own.
template <class W>
struct Control;

/// Returns the state after: while (condition(state)) state = body(state).
template <class W, class State, class Condition, class Body>
constexpr State loop(const State& state, Condition&& condition, Body&& body) {
  return Control<W>::loop(state, condition, body);
}

template <class Rule>
constexpr bool is_rare = requires {
  Rule::rare;
};

template <class Rule, class... X>
[[gnu::noinline, gnu::cold]] auto call_rarely(const X&... x) {
  return Rule::of(x...);
}
template <>
struct Control<std::uint64_t> {
  template <class State, class Condition, class Body>
  static constexpr State loop(State state, Condition&& condition, Body&& body) {
    while (condition(state)) state = body(state);
    return state;
  }
  template <class Rule, class... X>
  static auto call(const X&... x) {
    if constexpr (is_rare<Rule>) return call_rarely<Rule>(x...);
    else return Rule::of(x...);
  }
};

template <class Rule, class X, class... More>
auto call(const X& x, const More&... more) {
  return Control<typename X::Word>::template call<Rule>(x, more...);
}

}  // namespace reckon::numerics::padic
