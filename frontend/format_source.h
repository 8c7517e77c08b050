// The text of a program as `reckon fmt` writes it.
#pragma once

#include "diagnostics/diagnostic.h"

namespace reckon::frontend {

struct FormattedSource {
  std::string text;
  /// Mistakes of syntax: the text is then empty.
  std::vector<Diagnostic> diagnostics;
};

/// Spaces and indentation change, and nothing else does: the tokens and the comments stay, in their order, and so do the
/// line breaks of the author; a line break is added before an item that follows another one on its line. Formatting
/// the result again gives the same text.
FormattedSource format_source(const SourceMap& sources, std::uint32_t file);

}  // namespace reckon::frontend
