// Pieces of circuits as the language writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/program.h"

namespace reckon::trace {

/// A constant: `f32(0.1)`, the shortest decimal that rounds to it, which is what its source has had.
std::string number_text(std::uint64_t bits, numerics::Format format);
/// An operation on these operands; nothing if the language has none.
std::optional<std::string> act_text(Act act, numerics::Format format, const std::vector<std::string>& operands);
/// `f32[4, 255]`
std::string type_text(const Argument& argument);

}  // namespace reckon::trace
