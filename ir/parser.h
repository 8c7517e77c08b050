// Reads the text that ir/printer.h writes; that header states the grammar.
#pragma once

#include <string_view>
#include <vector>

#include "ir/module.h"

namespace reckon::ir {

/// The functions of an IR text, built in `module` (whose own list of functions stays as it is; schedule definitions are
/// added to its store). `file` is the text's number in a SourceMap, for places. Text that does not follow the grammar,
/// that names what is not there, or whose types do not fit is E0710; what the verifier is for is left to it.
Expected<std::vector<Function>> parse_ir(Module& module, std::string_view text,
                                         std::uint32_t file = SourceSpan::no_file);

}  // namespace reckon::ir
