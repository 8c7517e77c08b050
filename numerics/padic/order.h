// An order of the ring: min, max, abs, sign and comparisons use it.
//
// The sign of a value is the quadratic character of its lowest digit that is not 0: H and its multiples are positive,
// their negatives negative. Positive values are ordered by their two lowest digits, the lowest first, by its place
// among the fractions that residues are (tables.h, rank); negative ones the other way round. So it is a total order of
// what those digits tell apart, turned round by negation; squares and the values of exp and sqrt are positive. It knows
// nothing of sums: x > 0 and y > 0 do not make x + y > 0.
#pragma once

#include <optional>

#include "numerics/padic/value.h"

namespace reckon::numerics::padic {

/// -1, 0 or 1; -1 for -inf. Nothing for an undefined value, or if the two lowest digits are 0 and others are not.
std::optional<int> sign(const Value& x);

/// -1, 0 or 1; nothing if one of them is undefined, or if only higher digits distinguish the two.
std::optional<int> compare(const Value& x, const Value& y);

/// Whether the digits that are known of both are the same; -inf equals only -inf. False for an undefined value.
bool equal(const Value& x, const Value& y);

Value min(const Value& x, const Value& y);
Value max(const Value& x, const Value& y);
Value clamp(const Value& x, const Value& low, const Value& high);
Value abs(const Value& x);
Value sign_value(const Value& x);
/// |x| with the sign of y; 0 counts as positive.
Value copysign(const Value& x, const Value& y);

}  // namespace reckon::numerics::padic
