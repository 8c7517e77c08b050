// Bounds as decimals with few digits, rounded up so that they stay bounds.
#pragma once

#include <gmpxx.h>

#include <string>

namespace reckon::numerics {

mpz_class power_of_ten(unsigned long exponent);

/// The least decimal of `digits` significant digits that is not below value >= 0: `3.1e-8`, `0.25`, `1e20`, `0`.
std::string decimal_upward(const mpq_class& value, int digits);
/// The greatest one that is not above it.
std::string decimal_downward(const mpq_class& value, int digits);

}  // namespace reckon::numerics
