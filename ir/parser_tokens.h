// The tokens of printed circuits and kernels. For their parsers alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnostics/source.h"

namespace reckon::ir::detail {

struct Token {
  enum class Kind : std::uint8_t {
    name,      ///< a word
    integer,   ///< decimal digits
    variable,  ///< %3, %t3
    value,     ///< %v3
    string,    ///< "..."
    bits,      ///< f32#3fc00000
    sign,      ///< punctuation, of one or two characters
    bad,       ///< what is none of these
    end,
  } kind{};
  std::string_view text;
  SourceSpan span;
};

/// Ends with a token of kind `end`; `;` begins a comment.
std::vector<Token> tokenize(std::string_view text, std::uint32_t file);

/// What a token of kind string stands for.
std::string unquote(std::string_view token);

}  // namespace reckon::ir::detail
