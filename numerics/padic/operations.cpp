// The operations of operations.def on values, by their rules; those that arithmetic.h has are not defined again.
#include "numerics/padic/arithmetic.h"
#include "numerics/padic/defined_rules.h"
#include "numerics/padic/functions.h"
#include "numerics/padic/order.h"
#include "numerics/padic/order_rules.h"
#include "numerics/padic/step_rules.h"
#include "numerics/padic/steps.h"

namespace reckon::numerics::padic {

namespace {
template <class Rule, class... X>
Value by(const X&... x) {
  return closed(Rule::of(opened<std::uint64_t>(x)...));
}
}  // namespace

#define RECKON_OPERANDS_1 const Value& x
#define RECKON_OPERANDS_2 const Value &x, const Value &y
#define RECKON_OPERANDS_3 const Value &x, const Value &y, const Value &z
#define RECKON_NAMES_1 x
#define RECKON_NAMES_2 x, y
#define RECKON_NAMES_3 x, y, z
#define RECKON_RING(name, arity, Rule) \
  Value name(RECKON_OPERANDS_##arity) { return by<rules::Rule>(RECKON_NAMES_##arity); }
#define RECKON_RING_INLINE(name, arity, Rule)
#define RECKON_RING_NAMED(name, arity, Rule, function)
#include "numerics/padic/operations.def"
Value sign_value(const Value& x) { return by<rules::SignValue>(x); }

}  // namespace reckon::numerics::padic
