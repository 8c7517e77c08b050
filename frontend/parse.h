// From text to the syntax tree. This header hides ANTLR from all other code.
#pragma once

#include "diagnostics/diagnostic.h"
#include "frontend/ast.h"

namespace reckon::frontend {

struct ParseResult {
  Program program;
  std::vector<Diagnostic> diagnostics;
  /// The first syntax error is at the end of the text, so more input could correct it (the REPL goes on reading).
  bool incomplete = false;
};

enum class ParseAs : std::uint8_t {
  program,     ///< items
  expression,  ///< one expression
  entry,       ///< a REPL line: items, or one expression
};

/// Parses one file of the map. Reports several independent mistakes; items without mistakes are kept.
ParseResult parse(const SourceMap& sources, std::uint32_t file, ParseAs as);

/// The grammar's keywords, for completion.
const std::vector<std::string>& keywords();
/// Whether the word is a keyword that can be no name: one that the grammar's rule `name` does not have.
bool is_reserved(const std::string& word);
/// What a `kernel` item may state: `tile`, `values`, ...
const std::vector<std::string>& kernel_clauses();

}  // namespace reckon::frontend
