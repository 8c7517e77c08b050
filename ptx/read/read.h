// Reads the text of a PTX file (grammar/Ptx.g4).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ptx/module.h"

namespace reckon::ptx {

/// What is wrong with a text, at a line (from 1) and a column (bytes, from 0), over so many bytes.
struct Mistake {
  std::uint32_t line = 0, column = 0, length = 1;
  std::string message;  ///< lower case, no final full stop
};

struct ReadResult {
  Module module;
  std::optional<Mistake> mistake;  ///< the module is unusable then
};

/// Names are resolved: registers, variables, functions and labels are declared and of the right kind, opcodes and their
/// modifiers are those of PTX. Whether an instruction's operands fit it is for who runs it (ptx/emulate/). Texts of
/// more than 256 MB, or nested more than 100 levels deep, are refused.
ReadResult read(std::string text);

}  // namespace reckon::ptx
