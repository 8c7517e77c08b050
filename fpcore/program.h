// FPCore, the common format of tools for floating-point accuracy (N. Damouche et al., "Toward a standard benchmark
// format and suite for floating-point analysis", NSV 2016; FPCore 2.0), as programs of Reckon.
#pragma once

#include <string>

#include "diagnostics/diagnostic.h"

namespace reckon::fpcore {

/// A circuit for each FPCore of the file, and a `show bound(...)` for the ranges that its precondition gives the
/// arguments; an argument without one may be any number, and a text says which ones are. E0100 for what is no FPCore,
/// and E0720 for what Reckon's circuits do not have: loops whose rounds inputs decide, other precisions and roundings.
Expected<std::string> program_of(const SourceMap& sources, std::uint32_t file);

}  // namespace reckon::fpcore
