// A syntax tree as the text of a program: for trees that no text was parsed for.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "frontend/ast.h"

namespace reckon::frontend {

/// A place of the tree before and after it was printed.
struct MovedPlace {
  SourceSpan before, after;
};

/// Writes the items, or else the lone expression, as text that parses to this tree. Every place in the tree becomes the
/// place in the text, which is to be file `file` of a source map; `moved` gets each with what it was before. Items are
/// `fn let check show save import kernel`; a profile is left out.
std::string print_syntax(Program& program, std::uint32_t file, std::vector<MovedPlace>& moved);

}  // namespace reckon::frontend
