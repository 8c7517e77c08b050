// Literals as bit patterns: rounding them is the same under every compiled semantics (fpsan embeds the rounded bits).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ir/module.h"
#include "numerics/padic/value.h"

namespace reckon::codegen {

/// The pattern of a literal in a float format, or 0/1 of a bool. Nothing for type `number`.
std::optional<std::uint64_t> literal_bits(const ir::Literal& literal, ir::Scalar scalar);

/// Why a NaN is refused there, in the interpreter's words.
inline constexpr const char* nan_has_no_interval = "`nan` is no real number, so it has no value under `interval`";

/// The tightest numbers of a format (f64 or f32) around what a literal stands for, as the interpreter's `interval` has it.
/// An infinity is some real beyond the largest f64. Nothing for NaN, bools and type `number`.
struct LiteralEndpoints {
  double low, high;
};
std::optional<LiteralEndpoints> literal_endpoints(const ir::Literal& literal, ir::Scalar scalar, ir::Format endpoints);

/// The element of the ring `padic`, as the interpreter has it; nothing for `inf`, NaN, bools and type `number`.
std::optional<numerics::padic::Value> literal_in_ring(const ir::Literal& literal, ir::Scalar scalar);
/// Why there is none, in the interpreter's words.
Diagnostic no_element(const std::string& what, SourceSpan place);
Diagnostic no_element(const ir::Literal& literal, ir::Scalar scalar, SourceSpan place);

}  // namespace reckon::codegen
