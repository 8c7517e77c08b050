// docs/reference.md, which the build makes a part of the program (cmake/ReckonReference.cmake).
#pragma once

#include <string>
#include <string_view>

namespace reckon {

std::string_view reference_page();

/// How a function or a schedule is called, by its entry: `lanes(k, S)`; empty if it has none, or no call in it.
std::string form_of(std::string_view name);

}  // namespace reckon
