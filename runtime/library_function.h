// Functions of shared libraries, opened while a program is read.
#pragma once

#include <memory>
#include <string>

#include "diagnostics/diagnostic.h"
#include "ir/library_function.h"

namespace reckon::runtime {

/// The function of that name, or E0605 at `place`, which says what was found instead of a library for this machine or
/// instead of the function. If no file has the name, and the name has no folder, the library is searched where the
/// system keeps its libraries (`libm.so.6`). The library stays loaded as long as the function lives. Its code runs in
/// this process.
Expected<std::shared_ptr<const ir::LibraryFunction>> find_function(const std::string& path, const std::string& symbol,
                                                                   SourceSpan place);

}  // namespace reckon::runtime
