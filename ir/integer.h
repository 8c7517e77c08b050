// The integer types of ir::Scalar with exact integers.
#pragma once

#include <gmpxx.h>

#include <string>

#include "ir/type.h"
#include "numerics/integer.h"

namespace reckon::ir {

mpz_class least_integer(Scalar type);
mpz_class greatest_integer(Scalar type);
/// Whether the number is one of the type.
bool has_integer(Scalar type, const mpq_class& number);
/// The pattern of the number modulo 2^width.
std::uint64_t integer_pattern(Scalar type, const mpz_class& number);
/// The number of a pattern.
mpz_class integer_of(Scalar type, std::uint64_t pattern);
/// In decimal.
std::string integer_text(Scalar type, std::uint64_t pattern);
/// `i8#fd`, as a literal.
std::string integer_pattern_text(Scalar type, std::uint64_t pattern);
/// "an integer from -128 to 127".
std::string integers_text(Scalar type);
/// "an `i8`", "a `u8`".
std::string with_article(Scalar type);

/// The type that holds the bit pattern of a format: u32, and u64 for f64.
constexpr Scalar pattern_scalar(Scalar format) { return format == Scalar::f64 ? Scalar::u64 : Scalar::u32; }

}  // namespace reckon::ir
