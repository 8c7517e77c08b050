// Short ways to parse and to look at the result.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "ast_dump.h"
#include "frontend/parse.h"

namespace reckon::frontend::testing {

struct Parsed {
  SourceMap sources;
  ParseResult result;
};

inline Parsed parse_text(std::string text, ParseAs as) {
  Parsed parsed;
  const std::uint32_t file = parsed.sources.add("t.rk", std::move(text));
  parsed.result = parse(parsed.sources, file, as);
  return parsed;
}

/// The tree of a text without mistakes; else its first diagnostic.
inline std::string tree_of(std::string_view text, ParseAs as) {
  const Parsed parsed = parse_text(std::string(text), as);
  if (!parsed.result.diagnostics.empty()) return render_text(parsed.result.diagnostics.front(), parsed.sources, false);
  return dump(parsed.result.program);
}
inline std::string expression(std::string_view text) { return tree_of(text, ParseAs::expression); }
inline std::string program(std::string_view text) { return tree_of(text, ParseAs::program); }

/// `E0100 1:5 message`, one line for each diagnostic.
inline std::string mistakes(std::string_view text, ParseAs as) {
  const Parsed parsed = parse_text(std::string(text), as);
  std::string all;
  for (const Diagnostic& diagnostic : parsed.result.diagnostics) {
    const SourceSpan span = diagnostic.primary.span;
    REQUIRE(span.known());
    const LineColumn place = parsed.sources.locate(span.file, span.begin);
    if (!all.empty()) all += '\n';
    all += code_text(diagnostic.code) + ' ' + std::to_string(place.line) + ':' + std::to_string(place.column) + ' ' +
           diagnostic.message;
  }
  return all;
}
inline std::string expression_mistakes(std::string_view text) { return mistakes(text, ParseAs::expression); }
inline std::string program_mistakes(std::string_view text) { return mistakes(text, ParseAs::program); }

/// `text` `count` times.
inline std::string repeated(std::string_view text, std::size_t count) {
  std::string all;
  all.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

}  // namespace reckon::frontend::testing
