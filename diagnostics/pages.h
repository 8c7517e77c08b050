// The pages of docs/errors/, one for each code. The build makes them a part of the program
// (cmake/ReckonErrorPages.cmake).
#pragma once

#include <string_view>
#include <vector>

#include "diagnostics/diagnostic.h"

namespace reckon {

/// All codes, in the order of the rows of diagnostics.def.
std::vector<Code> all_codes();

/// The page about this code, in Markdown: what the mistake is, a wrong program with its message, a right one. Its first
/// line is `# E0300: ` and the code's title. Empty if the code has no page.
std::string_view page_of(Code code);

}  // namespace reckon
