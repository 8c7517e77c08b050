// docs/reference.md, which the build makes a part of the program (cmake/ReckonReference.cmake).
#pragma once

#include <string_view>

namespace reckon {

std::string_view reference_page();

}  // namespace reckon
