// A semantics of one's own: what a number is, and what the operations of the language do, as a C++ class (docs/cpp.md).
//
//   struct Dual {
//     struct Value { double value = 0, slope = 0; };
//     Value number(double x) const { return {x, 0}; }
//     Value add(const Value& a, const Value& b) const { return {a.value + b.value, a.slope + b.slope}; }
//     std::string text(const Value& v) const { return std::to_string(v.value) + " slope " + std::to_string(v.slope); }
//   };
//   session.add_semantics("dual", [] { return Dual{}; });
//   session.evaluate(...); session.call("f", {...}, {.semantics = "dual"}); `show f(1) in dual` in text
//
// The class has arithmetic alone. Reductions and their schedules, tensors, layouts and calls are the evaluator's.
//
// What a class has (`V` is `const Value&`; any function may take a `const semantics::Format&` after its operands):
//   Value number(double)                        an argument, an index, a literal that is an f64          required
//   std::string text(V)                         how a value is printed                                   required
//   Value add(V, V), fma(V, V, V), exp(V), ...  the operations, by their names in the language; one that is missing
//                                               is a message at its place
//   bool less(V, V), ...                        less, less_equal, equal, not_equal; they may give a Truth
//   Value hull(V, V)                            what `select` gives if the condition is unknown
//   Value convert(V), convert(V, from, to)      a conversion between formats
//   Value literal(const semantics::Literal&)    a number of the text; else it is rounded to the format first
//   Value range(double low, double high)        any real between them: inputs of checks `for x: 0..1`
//   bool same(V, V)                             what `check f == g` means; it may give a Truth
//   semantics::Enclosure enclosure(V)           for `within`: reals between which the value lies
//   double as_float(V)                          a float that stands for the value: results then are tensors, too
//   forms(V), summary()                         named texts of a value, and of an evaluation, for JSON
//   static constexpr semantics::Properties properties{...}
// A function may throw: semantics::NoValue where an operation has no value, and anything else. The exception becomes a
// message.
#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reckon.h"  // beside this file
#include "semantics/kernels.h"

namespace reckon::semantics {

/// Operations that follow from others, for a class that derives from `Derived<Itself>`. Its own functions go before
/// these.
template <class Self>
class Derived {
  using m = detail::Members;
  template <class Member, class... V>
  static constexpr bool has = detail::Has<Member, Self, V...>;

 public:
  template <class V>
  requires(has<m::add, V, V>&& has<m::neg, V>) V sub(const V& a, const V& b, const Format& f) {
    return call<m::add>(f, a, call<m::neg>(f, b));
  }
  template <class V>
  requires(has<m::add, V, V>&& has<m::mul, V, V>) V fma(const V& a, const V& b, const V& c, const Format& f) {
    return call<m::add>(f, call<m::mul>(f, a, b), c);
  }
  template <class V>
  requires(has<m::div, V, V>&& has<m::sqrt, V>) V rsqrt(const V& a, const Format& f) {
    return call<m::div>(f, V(detail::invoke<m::number>(self(), f, 1.0)), call<m::sqrt>(f, a));
  }
  template <class V>
  requires(has<m::less, V, V>) V min(const V& a, const V& b, const Format& f) {
    return choose(is<m::less>(f, b, a), b, a);
  }
  template <class V>
  requires(has<m::less, V, V>) V max(const V& a, const V& b, const Format& f) {
    return choose(is<m::less>(f, a, b), b, a);
  }
  template <class V>
  requires(has<m::max, V, V>&& has<m::neg, V>) V abs(const V& a, const Format& f) {
    return call<m::max>(f, a, call<m::neg>(f, a));
  }
  template <class V>
  requires(has<m::min, V, V>&& has<m::max, V, V>) V clamp(const V& a, const V& low, const V& high, const Format& f) {
    return call<m::min>(f, call<m::max>(f, a, low), high);
  }
  template <class V>
  requires(has<m::less, V, V>) Truth less_equal(const V& a, const V& b, const Format& f) {
    return negation(is<m::less>(f, b, a));
  }
  template <class V>
  requires(has<m::equal, V, V>) Truth not_equal(const V& a, const V& b, const Format& f) {
    return negation(is<m::equal>(f, a, b));
  }

 private:
  Self& self() { return static_cast<Self&>(*this); }
  template <class Member, class V, class... More>
  V call(const Format& f, const V& a, const More&... more) {
    return V(detail::invoke<Member>(self(), f, a, more...));
  }
  template <class Member, class V>
  Truth is(const Format& f, const V& a, const V& b) {
    return detail::as_result<Truth>(detail::invoke<Member>(self(), f, a, b));
  }
  static Truth negation(Truth a) { return a == Truth::unknown ? a : a == Truth::yes ? Truth::no : Truth::yes; }
  template <class V>
  V choose(Truth first, const V& a, const V& b) {
    return detail::chosen(self(), first, a, b);
  }
};

/// Values of a semantics as an argument of Session::call_on_values. Without a shape: one dimension.
template <class S>
OwnTensor values(std::span<const typename S::Value> values, std::vector<std::int64_t> shape = {}) {
  OwnTensor out;
  out.type = &typeid(S);
  out.count = values.size();
  out.shape = shape.empty() ? std::vector<std::int64_t>{static_cast<std::int64_t>(values.size())} : std::move(shape);
  auto copy = std::make_shared<std::vector<typename S::Value>>(values.begin(), values.end());
  out.data = std::shared_ptr<const void>(copy, copy->data());
  return out;
}
template <class S>
OwnTensor value(const typename S::Value& value) {
  OwnTensor out = values<S>(std::span<const typename S::Value>(&value, 1));
  out.shape.clear();
  return out;
}

/// A result as values of the class, which the result keeps. Empty if another semantics gave it, or if it is a bool or
/// an integer.
template <class S>
std::span<const typename S::Value> values_of(const Shown& shown) {
  if (!shown.own || *shown.own->type != typeid(S)) return {};
  return {static_cast<const typename S::Value*>(shown.own->data.get()), shown.own->count};
}

/// The semantics of a shared library, by their names.
using Library = std::vector<std::pair<std::string, Maker>>;

}  // namespace reckon::semantics

/// Makes a shared library of semantics: `RECKON_SEMANTICS_LIBRARY({"dual", [] { return Dual{}; }})`. Such a library
/// needs the headers alone, and is linked with nothing. The program takes it by `--semantics-library`, a session by its
/// options.
#define RECKON_SEMANTICS_LIBRARY(...)                                                      \
  extern "C" RECKON_API const ::reckon::semantics::Library* reckon_semantics_library_1() { \
    static const ::reckon::semantics::Library library{__VA_ARGS__};                        \
    return &library;                                                                       \
  }
