#include "numerics/padic/arithmetic.h"

#include <cstdlib>

namespace reckon::numerics::padic {

Value add_any(const Value& x, const Value& y) { return closed(rules::AddAny::of(open(x), open(y))); }
Value mul_any(const Value& x, const Value& y) { return closed(rules::MulAny::of(open(x), open(y))); }

std::uint64_t inverse(std::uint64_t x) { return rules::inverse(x); }

Value from_integer(std::int64_t n) { return closed(rules::from_integer(static_cast<std::uint64_t>(n))); }

HalfInteger half_integer(const Value& x) {
  const auto found = rules::half_integer(open(x));
  if (!found.known) return {};
  const auto twice = static_cast<std::int32_t>(found.twice);
  return {true, found.negative ? -twice : twice};
}

Value integer_power(const Value& x, std::int32_t n) {
  return closed(
      rules::integer_power<std::uint64_t>(open(x), static_cast<std::uint64_t>(std::abs(std::int64_t{n})), n < 0));
}

}  // namespace reckon::numerics::padic
