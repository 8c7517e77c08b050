// The parse trees of a text, for code that asks how the text is written and not only what it means.
#pragma once

#include <ReckonParser.h>

#include <vector>

#include "frontend/parse.h"

namespace reckon::frontend {

/// Receives all tokens of a text, hidden ones as well, and the trees of its items. Both live during the calls only.
class TreeObserver {
 public:
  TreeObserver() = default;
  TreeObserver(const TreeObserver&) = delete;
  TreeObserver& operator=(const TreeObserver&) = delete;
  virtual ~TreeObserver() = default;

  /// Called for each item that has no syntax error, in their order.
  virtual void item(const std::vector<antlr4::Token*>& tokens, grammar::ReckonParser::ItemContext& item) = 0;
  /// Called once, after the last item.
  virtual void end(const std::vector<antlr4::Token*>& tokens) = 0;
};

/// As `parse`; the observer, if there is one, is called unless the text is refused as a whole.
ParseResult parse_observed(const SourceMap& sources, std::uint32_t file, ParseAs as, TreeObserver* observer);

}  // namespace reckon::frontend
