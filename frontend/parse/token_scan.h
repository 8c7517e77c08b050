// One pass over the raw tokens before any is parsed: malformed tokens, brackets, nesting, and where items begin. What
// is refused here never reaches the parser, whose recursion would be too deep.
#pragma once

#include <Token.h>

#include <optional>
#include <vector>

#include "diagnostics/diagnostic.h"

namespace reckon::frontend {

/// Brackets, prefix operators, binders, `if`s and stages may enclose each other this often.
inline constexpr std::size_t deepest_nesting = 1000;

/// The tokens of one item (or of a whole expression): positions begin..end-1 of the token stream.
struct Segment {
  std::size_t begin = 0;
  std::size_t end = 0;
  /// Mistakes that can be told without a parser; such a segment is not parsed.
  std::vector<Diagnostic> mistakes;
  /// The first bracket that the segment leaves open; the parser tells where the mistake is.
  std::optional<std::size_t> unclosed;
};

/// `tokens` are all tokens, hidden ones as well, with the end of the text as the last. The text is split at the
/// keywords that begin items, unless only one segment is asked for.
std::vector<Segment> scan_tokens(const std::vector<antlr4::Token*>& tokens, std::string_view text, std::uint32_t file,
                                 bool split_items);

/// A name, or a word of a clause (`length`, `seed`), which is a name elsewhere.
bool is_name(std::size_t token_type);

/// `import builtin fn let profile check show assert save`: tokens that begin an item wherever they stand.
bool begins_item(std::size_t token_type);
/// Does an item begin with the token at this position? One that begins with `kernel` or `type`, names elsewhere, is
/// known by what follows: a name, and `=`, `[` or `with`.
bool begins_item(const std::vector<antlr4::Token*>& tokens, std::size_t at);
/// Whether `x = ...`, `x: f32[3] = ...` or `f(x) = ...` stands here, as an entry of the prompt may.
bool begins_assignment(const std::vector<antlr4::Token*>& tokens, std::size_t at);

SourceSpan span_of(const antlr4::Token* token, std::uint32_t file);

}  // namespace reckon::frontend
