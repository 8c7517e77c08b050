// What the parse tree of an item says about the spaces around its tokens and the indentation of its lines.
#pragma once

#include <Token.h>

#include <vector>

#include "frontend/parse/tree_observer.h"

namespace reckon::frontend {

/// Between two tokens stands one space, unless one of them is tight on that side.
struct TokenSpacing {
  bool tight_before = false;
  bool tight_after = false;
  bool begins_item = false;
  /// A binding or the result of a block, an entry of a profile: a line that begins with it continues no other line.
  bool begins_statement = false;
};

/// Notes the spacing of each token of the item, at the token's index. `spacing` has a place for each token of the text.
void note_spacing(grammar::ReckonParser::ItemContext& item, std::vector<TokenSpacing>& spacing);

}  // namespace reckon::frontend
