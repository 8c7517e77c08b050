// Literals rounded to a format, for float and fpsan.
#pragma once

#include <cstdint>

#include "ir/module.h"
#include "numerics/format.h"

namespace reckon::interp {

/// The pattern of a literal in a float format (booleans give 0 or 1). A number that becomes 0 is +0.
std::uint64_t literal_bits(const ir::Literal& literal, ir::Format format,
                           numerics::Rounding rounding = numerics::Rounding::nearest_even);

/// An integer rounded once to a format.
std::uint64_t integer_bits(std::int64_t value, ir::Format format);

}  // namespace reckon::interp
