#include "numerics/padic/order.h"

#include "numerics/padic/order_rules.h"

namespace reckon::numerics::padic {

namespace {

std::optional<int> from_code(std::uint64_t code) {
  return code == 0 ? std::nullopt : std::optional(static_cast<int>(code) - 2);
}
}  // namespace

std::optional<int> sign(const Value& x) { return from_code(rules::sign(open(x))); }
std::optional<int> compare(const Value& x, const Value& y) { return from_code(rules::compared(open(x), open(y))); }

bool equal(const Value& x, const Value& y) {
  if (is_finite(x) && is_finite(y)) {
    return rules::same_digits<std::uint64_t>(open(x), open(y), x.digits < y.digits ? x.digits : y.digits);
  }
  return is_infinite(x) && is_infinite(y);
}

}  // namespace reckon::numerics::padic
