// The rules of numerics/intervals/ as an algebra (array_semantics.h): an operation that may have no value gives a
// fault, and a comparison a Truth. The rules in words are in semantics/interval/interval.cpp.
//
// `Endpoints` is the arithmetic of the endpoints (interval_endpoints.h, semantics/interval/wide_endpoints.h). Each end
// of a result is one correctly rounded evaluation, so both ends are the nearest possible.
#pragma once

#include "diagnostics/codes/undefined_result.h"
#include "interp/algebra/array_semantics.h"
#include "interp/algebra/interval_endpoints.h"
#include "numerics/intervals/functions.h"
#include "numerics/intervals/undefined.h"

namespace reckon::interp {

template <class End>
using IntervalOf = numerics::intervals::Interval<End>;

namespace interval_faults {
constexpr FaultText as_fault(const numerics::intervals::Reason& reason) {
  return {code::undefined_result, reason.message, reason.help};
}
inline constexpr FaultText by_zero = as_fault(numerics::intervals::by_zero);
inline constexpr FaultText no_integer = as_fault(numerics::intervals::no_integer);
inline constexpr FaultText outside_domain = as_fault(numerics::intervals::outside_domain);
}  // namespace interval_faults

template <class Endpoints>
struct IntervalFunctions : numerics::intervals::Functions<Endpoints> {
  using Rules = numerics::intervals::Functions<Endpoints>;
  using V = typename Rules::V;
  using Function = numerics::Function;
  using Rules::Rules;

  // `out` may be an operand. Null is success.
#define RECKON_PARTIAL(name, reason)                                      \
  const FaultText* name(V& out, const V& a, const V& b) const {           \
    if (this->name##_is_undefined(a, b)) return &interval_faults::reason; \
    out = Rules::name(a, b);                                              \
    return nullptr;                                                       \
  }
#include "numerics/intervals/partial.def"

  /// A function that has a value for all numbers never fails.
  const FaultText* of(Function f, V& out, const V& a) const {
    if (!numerics::is_everywhere(f) && this->is_undefined(f, a)) return &interval_faults::outside_domain;
    out = Rules::of(f, a);
    return nullptr;
  }
  const FaultText* sqrt(V& out, const V& a) const { return of(Function::sqrt, out, a); }
#define RECKON_FUNCTION(name)                                                                           \
  V name(const V& a) const requires(numerics::is_everywhere(Function::name)) { return Rules::name(a); } \
  const FaultText* name(V& out, const V& a) const requires(!numerics::is_everywhere(Function::name)) {  \
    return of(Function::name, out, a);                                                                  \
  }
#include "numerics/functions.def"
  /// A function that has a value everywhere.
  V of(Function f, const V& a) const { return Rules::of(f, a); }

  /// A conversion between formats changes nothing.
  V convert(const IntervalFunctions&, const V& value) const { return value; }

  Truth less(const V& a, const V& b) const { return as_truth(Rules::less(a, b)); }
  Truth less_equal(const V& a, const V& b) const { return as_truth(Rules::less_equal(a, b)); }
  Truth equal(const V& a, const V& b) const { return as_truth(Rules::equal(a, b)); }
  Truth not_equal(const V& a, const V& b) const { return as_truth(Rules::not_equal(a, b)); }

 private:
  static Truth as_truth(const numerics::intervals::Answer<bool>& answer) {
    return answer.yes ? Truth::yes : (answer.no ? Truth::no : Truth::unknown);
  }
};

}  // namespace reckon::interp
