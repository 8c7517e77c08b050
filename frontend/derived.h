// Functions that are a few operations: they have names, since other languages have them, and no operation of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/elaborator.h"

namespace reckon::frontend {

/// isnan, isinf, isfinite, round_away, sigmoid.
const std::vector<std::string_view>& derived_functions();
bool is_derived_function(std::string_view name);
/// A call as the operations that the function stands for, element by element of a tensor.
Maybe call_derived(Elaborator& elaborator, const std::string& name, const std::vector<Value>& arguments,
                   SourceSpan at);

}  // namespace reckon::frontend
