// Intervals that contain no number. If an operation has no value for any number of its operands, the result is the
// empty interval, and so is that of every operation on an empty interval. Both of its endpoints are NaN. The rules of
// numerics/intervals/ never see it.
//   * A comparison with an empty interval is unknown, since no pair of values decides it.
//   * The hull of an empty interval and another is the other one: `select` on unknown is what either branch may give.
#pragma once

#include <limits>

#include "interp/algebra/interval_rules.h"

namespace reckon::interp {

/// `Inner` is an algebra of intervals that are never empty.
template <class Inner>
struct WithEmpty : Inner {
  using Value = typename Inner::Value;
  using V = Value;

  /// Receives the first fault that left an element empty; null: nobody needs it.
  const FaultText** cause = nullptr;

  WithEmpty() = default;
  explicit WithEmpty(Inner inner) : Inner(std::move(inner)) {}

  static V empty() {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    V out;
    out.low = nan;
    out.high = nan;
    return out;
  }
  static bool is_empty(const V& x) { return !(x.low == x.low); }

#define RECKON_SCALAR(name, arity, spelling, result) RECKON_OPERATION_##result(name, arity)
#define RECKON_OPERATION_same(name, arity)                                                                            \
  template <class... T>                                                                                               \
  requires(sizeof...(T) == arity && requires(const Inner& inner, const T&... x) { inner.name(x...); })                \
  V name(const T&... x) const {                                                                                       \
    return (is_empty(x) || ...) ? empty() : Inner::name(x...);                                                        \
  }                                                                                                                   \
  template <class... T>                                                                                               \
  requires(sizeof...(T) == arity && requires(const Inner& inner, V& out, const T&... x) { inner.name(out, x...); })   \
  const FaultText* name(V& out, const T&... x) const {                                                                \
    if ((is_empty(x) || ...)) {                                                                                       \
      out = empty();                                                                                                  \
    } else if (const FaultText* fault = Inner::name(out, x...)) {                                                     \
      out = empty();                                                                                                  \
      if (cause != nullptr && *cause == nullptr) *cause = fault;                                                      \
    }                                                                                                                 \
    return nullptr;                                                                                                   \
  }
#define RECKON_OPERATION_truth(name, arity)                                                                           \
  Truth name(const V& a, const V& b) const {                                                                          \
    return is_empty(a) || is_empty(b) ? Truth::unknown : Inner::name(a, b);                                           \
  }
#define RECKON_OPERATION_logic(name, arity)
#define RECKON_OPERATION_choose(name, arity)
#define RECKON_OPERATION_cast(name, arity)
#include "ir/ops.def"
#undef RECKON_OPERATION_same
#undef RECKON_OPERATION_truth
#undef RECKON_OPERATION_logic
#undef RECKON_OPERATION_choose
#undef RECKON_OPERATION_cast

  V hull(const V& a, const V& b) const { return is_empty(a) ? b : is_empty(b) ? a : Inner::hull(a, b); }
};

}  // namespace reckon::interp
