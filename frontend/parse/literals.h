// The values of literal tokens.
#pragma once

#include <cstdint>
#include <string>

#include "diagnostics/diagnostic.h"
#include "frontend/ast.h"

namespace reckon::frontend {

struct NumberLiteral {
  mpq_class value;
  bool integer_spelling = false;  ///< no point and no exponent
};

struct BitPattern {
  std::string format;
  std::uint64_t bits = 0;
};

Expected<NumberLiteral> read_number(std::string_view text, SourceSpan span);
/// `f32#3fc00000`; the lexer has counted the digits.
BitPattern read_bit_pattern(std::string_view text);
/// The contents of a string in its quotes, with the escapes of a quote, a backslash, `\n`, `\t` and `\r` resolved.
Expected<std::string> read_string(std::string_view text, SourceSpan span);
/// A leaf of a quoted tree: a plain decimal integer below 2^31.
Expected<std::int64_t> read_leaf(std::string_view text, SourceSpan span);

}  // namespace reckon::frontend
