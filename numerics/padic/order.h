// An order of the ring, for min, max, abs, sign and comparisons.
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

/// -1, 0, 1; of -inf it is -1. Nothing for an undefined value, or where the two lowest digits are 0 and others not.
std::optional<int> sign(const Value& x);

/// -1, 0, 1; nothing where one is undefined, or only higher digits tell the two apart.
std::optional<int> compare(const Value& x, const Value& y);

/// Whether the digits that both know are the same; -inf is -inf alone. Of an undefined value: no.
bool equal(const Value& x, const Value& y);

Value min(const Value& x, const Value& y);
Value max(const Value& x, const Value& y);
Value clamp(const Value& x, const Value& low, const Value& high);
Value abs(const Value& x);
Value sign_value(const Value& x);
/// |x| with the sign of y; 0 counts as positive.
Value copysign(const Value& x, const Value& y);

}  // namespace reckon::numerics::padic
