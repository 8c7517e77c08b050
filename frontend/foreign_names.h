// Names that Python, C and CUDA have and Reckon does not, and what stands for them here: the help texts of E0200 and E0203.
#pragma once

#include <string_view>

namespace reckon::frontend {

/// Empty for a name of which nothing is known.
std::string_view foreign_name_help(std::string_view name);
std::string_view foreign_type_help(std::string_view name);

}  // namespace reckon::frontend
