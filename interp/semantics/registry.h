// One row per semantics. Each maker stands at the end of its own file; `arguments` are what stands in the parentheses.
#pragma once

#include <memory>

#include "interp/semantics.h"

namespace reckon::interp {

using Maker = Expected<std::unique_ptr<Semantics>> (*)(const std::vector<SemanticsArgument>& arguments,
                                                       SourceSpan place);

Expected<std::unique_ptr<Semantics>> make_float(const std::vector<SemanticsArgument>& arguments, SourceSpan place);
/// With one argument or more: other roundings, flushing.
Expected<std::unique_ptr<Semantics>> make_float_mode(const std::vector<SemanticsArgument>& arguments, SourceSpan place);
Expected<std::unique_ptr<Semantics>> make_exact(const std::vector<SemanticsArgument>& arguments, SourceSpan place);
Expected<std::unique_ptr<Semantics>> make_interval(const std::vector<SemanticsArgument>& arguments, SourceSpan place);
Expected<std::unique_ptr<Semantics>> make_fpsan(const std::vector<SemanticsArgument>& arguments, SourceSpan place);
Expected<std::unique_ptr<Semantics>> make_bound(const std::vector<SemanticsArgument>& arguments, SourceSpan place);
Expected<std::unique_ptr<Semantics>> make_padic(const std::vector<SemanticsArgument>& arguments, SourceSpan place);
Expected<std::unique_ptr<Semantics>> make_accept(const std::vector<SemanticsArgument>& arguments, SourceSpan place);
Expected<std::unique_ptr<Semantics>> make_count(const std::vector<SemanticsArgument>& arguments, SourceSpan place);

/// The diagnostic for a semantics that takes no arguments and was given some.
Diagnostic no_arguments(std::string_view semantics, const SemanticsArgument& given, SourceSpan place,
                        std::string help = {});

}  // namespace reckon::interp
