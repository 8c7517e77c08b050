// Diagnostics as bytes. All ranks read the same program, so that places mean the same on each of them.
#pragma once

#include <string>
#include <string_view>

#include "diagnostics/diagnostic.h"

namespace reckon::runtime::mpi {

std::string packed(const Diagnostic& diagnostic);
Diagnostic unpacked(std::string_view bytes);

}  // namespace reckon::runtime::mpi
