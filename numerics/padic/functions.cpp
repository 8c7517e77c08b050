#include "numerics/padic/functions.h"

#include "numerics/padic/arithmetic.h"
#include "numerics/padic/defined_rules.h"
#include "numerics/padic/step_rules.h"

namespace reckon::numerics::padic {

const Value& ln2() {
  static const Value made = [] {
    Value out = log(from_integer(2));
    out.exponential = {1, 1, 1};
    return out;
  }();
  return made;
}
const Value& log2e() {
  static const Value made = div(from_integer(1), ln2());
  return made;
}
const Value& ln10() {
  static const Value made = log(from_integer(10));
  return made;
}
const Value& log10e() {
  static const Value made = div(from_integer(1), ln10());
  return made;
}
const Value& one_half() {
  static const Value made = div(from_integer(1), from_integer(2));
  return made;
}

const Value& half_turn() {
  static const Value made = constant_pi();
  return made;
}
const Value& right_angle() {
  static const Value made = div(constant_pi(), from_integer(2));
  return made;
}

Value constant_e() { return exp(from_integer(1)); }
Value constant_ln2() { return ln2(); }
Value constant_log2e() { return log2e(); }
Value constant_pi() {
  // The root of pi; pi is its square in every part.
  const Value root{form<std::uint64_t>(3141592653589793238 % p4), 14159, 26, 4, {}};
  return mul(root, root);
}

}  // namespace reckon::numerics::padic
