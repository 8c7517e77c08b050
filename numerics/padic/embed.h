// Conversions between rationals and the ring.
#pragma once

#include <gmpxx.h>

#include <optional>
#include <string>
#include <string_view>

#include "numerics/format.h"
#include "numerics/padic/value.h"

namespace reckon::numerics::padic {

/// The residues of numerator / denominator, which are exact. Undefined if p divides the denominator.
Value from_rational(const mpq_class& x);
/// mantissa * 2^exponent.
Value from_dyadic(std::int64_t mantissa, int exponent);
/// The number that a pattern stands for; nothing for a NaN and for +inf.
std::optional<Value> from_pattern(std::uint64_t pattern, Format format);

/// Why `inf` or `nan` has no value: a message, and advice, which may be empty.
std::string refusal(std::string_view what);
const char* refusal_help(std::string_view what);

/// The rational n/d whose image the value is, if n and d are small: at most 2^29 if b and c are known (and
/// agree), 2^26 without c, 2^20 without both; a random value looks like one with probability 2^-20 or less. Nothing with
/// fewer than four digits.
std::optional<mpq_class> to_rational(const Value& x);

/// `1/3`; `4711 mod 39119^4`, with fewer digits `4711 mod 39119^3`; `undefined (sqrt)`, `-inf`.
std::string text(const Value& x);
/// The cause as a phrase: `a division`.
const char* cause_name(Cause cause);

}  // namespace reckon::numerics::padic
