// The maker of each semantics (semantics.def), which is at the end of a source of its folder. `arguments` are those in
// the parentheses.
#pragma once

#include <memory>

#include "interp/semantics.h"

namespace reckon::interp {

using Maker = Expected<std::unique_ptr<Semantics>> (*)(const std::vector<SemanticsArgument>& arguments,
                                                       SourceSpan place);

#define RECKON_SEMANTICS(name, value, code, takes_profile) \
  Expected<std::unique_ptr<Semantics>> make_##name(const std::vector<SemanticsArgument>& arguments, SourceSpan place);

#include "semantics/semantics.def"

/// The diagnostic for a semantics that takes no arguments and was given some.
Diagnostic no_arguments(std::string_view semantics, const SemanticsArgument& given, SourceSpan place,
                        std::string help = {});

}  // namespace reckon::interp
