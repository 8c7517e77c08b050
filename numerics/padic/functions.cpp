#include "numerics/padic/functions.h"

#include "numerics/padic/arithmetic.h"
#include "numerics/padic/defined_rules.h"

namespace reckon::numerics::padic {

namespace {
template <class Rule, class... X>
Value by(const X&... x) {
  return closed(Rule::of(opened<std::uint64_t>(x)...));
}
}  // namespace

// clang-format off
Value exp(const Value& x) { return by<rules::Exp>(x); }
Value log(const Value& x) { return by<rules::Log>(x); }
Value sqrt(const Value& x) { return by<rules::Sqrt>(x); }
Value rsqrt(const Value& x) { return by<rules::Rsqrt>(x); }
Value cbrt(const Value& x) { return by<rules::Cbrt>(x); }
Value sin(const Value& x) { return by<rules::Sin>(x); }
Value cos(const Value& x) { return by<rules::Cos>(x); }
Value tan(const Value& x) { return by<rules::Tan>(x); }
Value exp2(const Value& x) { return by<rules::Exp2>(x); }
Value expm1(const Value& x) { return by<rules::Expm1>(x); }
Value log2(const Value& x) { return by<rules::Log2>(x); }
Value log1p(const Value& x) { return by<rules::Log1p>(x); }
Value sinh(const Value& x) { return by<rules::Sinh>(x); }
Value cosh(const Value& x) { return by<rules::Cosh>(x); }
Value tanh(const Value& x) { return by<rules::Tanh>(x); }
Value asinh(const Value& x) { return by<rules::Asinh>(x); }
Value acosh(const Value& x) { return by<rules::Acosh>(x); }
Value atanh(const Value& x) { return by<rules::Atanh>(x); }
Value hypot(const Value& x, const Value& y) { return by<rules::Hypot>(x, y); }
Value pow(const Value& x, const Value& y) { return by<rules::Pow>(x, y); }
// clang-format on

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
const Value& one_half() {
  static const Value made = div(from_integer(1), from_integer(2));
  return made;
}

Value constant_e() { return exp(from_integer(1)); }
Value constant_ln2() { return ln2(); }
Value constant_log2e() { return log2e(); }
Value constant_pi() {
  // A square in every part.
  const Value root{form<std::uint64_t>(3141592653589793238 % p4), 14159, 26, 4, {}};
  return mul(root, root);
}

}  // namespace reckon::numerics::padic
