// Functions that are a few operations: they have names, since other languages have them, and no operation of their own.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/elaborator.h"

namespace reckon::frontend {

/// Their names. A new function needs a row in derived.cpp, and an entry in docs/reference.md.
std::vector<std::string_view> derived_functions();
/// A call as the operations that the function stands for, element by element of a tensor; nothing if no such function has
/// the name.
std::optional<Maybe> call_derived(Elaborator& elaborator, const std::string& name, const std::vector<Value>& arguments,
                                  SourceSpan at);

}  // namespace reckon::frontend
