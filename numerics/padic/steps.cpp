#include "numerics/padic/steps.h"

#include "numerics/padic/arithmetic.h"
#include "numerics/padic/functions.h"
#include "numerics/padic/order.h"
#include "numerics/padic/random.h"
#include "numerics/padic/tables.h"

namespace reckon::numerics::padic {

namespace {

constexpr std::uint64_t integers = std::uint64_t{1} << 18;

enum class Key : std::uint64_t { floor = 1, round, erf, asin, atan, atan2 };

/// Two words of a value modulo p^2, mixed.
std::uint64_t mixed(Key key, std::uint64_t x, std::uint64_t y = 0) {
  return mix(mix(x * 0xd6e8feb86659fd93 + static_cast<std::uint64_t>(key)) + y * 0xa0761d6478bd642f);
}

std::uint64_t two_digits(const Value& x) { return plain(x.a) % p2; }

/// What is undefined, infinite or known too little of has no steps.
const Value* refused(const Value& x, Value& place) {
  if (is_undefined(x)) return &x;
  if (is_infinite(x)) return &(place = undefined(Cause::infinity));
  if (x.digits < 2) return &(place = undefined(Cause::step));
  return nullptr;
}

Value whole(const Value& x, Key key) {
  const std::uint64_t low = two_digits(x);
  if (low <= integers) return from_integer(static_cast<std::int64_t>(low));
  if (low >= p2 - integers) return from_integer(-static_cast<std::int64_t>(p2 - low));
  return from_integer(static_cast<std::int64_t>(mixed(key, low) % (2 * integers)) - static_cast<std::int64_t>(integers));
}

/// sign(x) * function(|x|).
template <class Function>
Value odd(const Value& x, Function&& function) {
  Value place;
  if (const Value* out = refused(x, place)) return *out;
  const auto known = sign(x);
  if (!known) return undefined(Cause::order);
  if (*known == 0) return from_integer(0);
  return *known < 0 ? neg(function(neg(x))) : function(x);
}

Value odd_mixed(const Value& x, Key key) {
  return odd(x, [key](const Value& positive) { return random_value(mixed(key, two_digits(positive)), Sign::positive); });
}

}  // namespace

Value floor(const Value& x) {
  Value place;
  if (const Value* out = refused(x, place)) return *out;
  return whole(x, Key::floor);
}
Value ceil(const Value& x) { return is_finite(x) ? neg(floor(neg(x))) : floor(x); }
Value trunc(const Value& x) { return odd(x, floor); }
Value round(const Value& x) {
  return odd(x, [](const Value& positive) { return whole(positive, Key::round); });
}
Value rem(const Value& x, const Value& y) { return sub(x, mul(y, trunc(div(x, y)))); }

Value erf(const Value& x) { return odd_mixed(x, Key::erf); }
Value asin(const Value& x) { return odd_mixed(x, Key::asin); }
Value atan(const Value& x) { return odd_mixed(x, Key::atan); }
Value acos(const Value& x) {
  static const Value right_angle = div(constant_pi(), from_integer(2));
  return sub(right_angle, asin(x));
}
Value atan2(const Value& y, const Value& x) {
  Value place;
  if (const Value* out = refused(y, place)) return *out;
  if (const Value* out = refused(x, place)) return *out;
  return random_value(mixed(Key::atan2, two_digits(y), two_digits(x)), Sign::any);
}

}  // namespace reckon::numerics::padic
