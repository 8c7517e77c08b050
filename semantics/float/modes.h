#pragma once

#include "interp/semantics.h"

namespace reckon::interp {

/// `float` with one argument or more: other roundings, flushing.
Expected<std::unique_ptr<Semantics>> make_float_mode(const std::vector<SemanticsArgument>& arguments, SourceSpan place);

}  // namespace reckon::interp
