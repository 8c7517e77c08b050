// Functions of shared libraries, opened while a program is read.
#pragma once

#include <memory>
#include <string>

#include "diagnostics/diagnostic.h"
#include "ir/library_function.h"

namespace reckon::runtime {

/// The function of that name, or E0605 at `place`: what there is instead of a library for this machine, or instead of
/// the function. A name without a folder that no file has is looked for where the system keeps its libraries
/// (`libm.so.6`). The library stays loaded as long as the function does. Code of the library runs in this process.
Expected<std::shared_ptr<const ir::LibraryFunction>> find_function(const std::string& path, const std::string& symbol,
                                                                   SourceSpan place);

}  // namespace reckon::runtime
