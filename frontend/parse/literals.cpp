#include "frontend/parse/literals.h"

#include <fmt/format.h>

#include <charconv>

#include "diagnostics/codes/bad_literal.h"
#include "diagnostics/codes/bad_quoted_tree.h"
#include "numerics/format.h"

namespace reckon::frontend {

namespace {

/// Long literals are not repeated in messages.
std::string shortened(std::string_view text) {
  constexpr std::size_t longest = 40;
  return text.size() <= longest ? std::string(text) : fmt::format("{}...", text.substr(0, longest - 3));
}

}  // namespace

Expected<NumberLiteral> read_number(std::string_view text, SourceSpan span) {
  // Short decimal integers are nearly all of the numbers in a program.
  constexpr std::size_t surely_small = 9;
  if (text.size() <= surely_small && text.find_first_not_of("0123456789") == std::string_view::npos) {
    unsigned long small = 0;
    std::from_chars(text.data(), text.data() + text.size(), small);
    return NumberLiteral{mpq_class(small), true};
  }
  const std::optional<mpq_class> value = numerics::parse_number(text);
  if (!value) {
    return Diagnostic(code::bad_literal, span,
                      fmt::format("`{}` is too large or too small to be held exactly", shortened(text)))
        .note("the exponent of a literal lies within -100000..100000");
  }
  const bool hexadecimal = text.starts_with("0x");
  const bool whole = text.find_first_of(hexadecimal ? ".pP" : ".eE") == std::string_view::npos;
  return NumberLiteral{*value, whole};
}

BitPattern read_bit_pattern(std::string_view text) {
  const std::size_t mark = text.find('#');
  const std::string_view digits = text.substr(mark + 1);
  BitPattern pattern{std::string(text.substr(0, mark)), 0};
  std::from_chars(digits.data(), digits.data() + digits.size(), pattern.bits, 16);
  return pattern;
}

Expected<std::string> read_string(std::string_view text, SourceSpan span) {
  std::string contents;
  contents.reserve(text.size());
  for (std::size_t at = 1; at + 1 < text.size(); ++at) {
    if (text[at] != '\\') {
      contents += text[at];
      continue;
    }
    ++at;
    switch (text[at]) {
      case '"':
      case '\\': contents += text[at]; break;
      case 'n': contents += '\n'; break;
      case 't': contents += '\t'; break;
      case 'r': contents += '\r'; break;
      default: {
        const auto begin = static_cast<std::uint32_t>(span.begin + at - 1);
        return Diagnostic(code::bad_literal, {span.file, begin, begin + 2}, "this escape is not known",
                          "unknown escape")
            .help("strings know `\\\"`, `\\\\`, `\\n`, `\\t` and `\\r`");
      }
    }
  }
  return contents;
}

Expected<std::int64_t> read_leaf(std::string_view text, SourceSpan span) {
  std::int64_t leaf = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), leaf);
  if (error != std::errc{} || end != text.data() + text.size() || leaf >= (std::int64_t{1} << 31)) {
    return Diagnostic(code::bad_quoted_tree, span, fmt::format("`{}` is not the number of a leaf", shortened(text)),
                      "not a leaf")
        .help("a quoted tree has leaf numbers and pairs: `'((0 1) 2)`");
  }
  return leaf;
}

}  // namespace reckon::frontend
