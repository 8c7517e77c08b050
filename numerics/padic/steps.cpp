#include "numerics/padic/steps.h"

#include "numerics/padic/arithmetic.h"
#include "numerics/padic/functions.h"
#include "numerics/padic/step_rules.h"

namespace reckon::numerics::padic {

namespace {
template <class Rule, class... X>
Value by(const X&... x) {
  return closed(Rule::of(opened<std::uint64_t>(x)...));
}
}  // namespace

const Value& right_angle() {
  static const Value made = div(constant_pi(), from_integer(2));
  return made;
}

// clang-format off
Value floor(const Value& x) { return by<rules::Floor>(x); }
Value ceil(const Value& x) { return by<rules::Ceil>(x); }
Value trunc(const Value& x) { return by<rules::Trunc>(x); }
Value round(const Value& x) { return by<rules::Round>(x); }
Value rem(const Value& x, const Value& y) { return by<rules::Rem>(x, y); }
Value erf(const Value& x) { return by<rules::Erf>(x); }
Value asin(const Value& x) { return by<rules::Asin>(x); }
Value acos(const Value& x) { return by<rules::Acos>(x); }
Value atan(const Value& x) { return by<rules::Atan>(x); }
Value atan2(const Value& y, const Value& x) { return by<rules::Atan2>(y, x); }
// clang-format on

}  // namespace reckon::numerics::padic
