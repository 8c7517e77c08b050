// Reads the text that kernel/printer.h writes, and states the grammar of.
#pragma once

#include <string_view>

#include "kernel/program.h"

namespace reckon::kernel {

/// The program of a text. `file` is the text's number in a SourceMap, for places. Text that does not follow the
/// grammar, or that names what is not there or not yet, is E0710; what the verifier is for is left to it. Literals and
/// tables are numbered in the order of the text.
Expected<Program> parse_kernels(std::string_view text, std::uint32_t file = SourceSpan::no_file);

}  // namespace reckon::kernel
