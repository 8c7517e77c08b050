// Literals as bit patterns: rounding them is the same under every compiled semantics (fpsan embeds the rounded bits).
#pragma once

#include <cstdint>
#include <optional>

#include "ir/module.h"

namespace reckon::codegen {

/// The pattern of a literal in a float format, or 0/1 of a bool. Nothing for type `number`.
std::optional<std::uint64_t> literal_bits(const ir::Literal& literal, ir::Scalar scalar);

}  // namespace reckon::codegen
