// Circuits of kernels of PTX for programs: `kernel theirs = ptx("k.ptx", ...)` (docs/ptx.md, "In the language").
#pragma once

#include <string>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "frontend/ptx_call.h"

namespace reckon {

/// The circuit that the calls' launches have, as the text of a program that defines it by the calls' name; of several
/// calls, one with the names of their sizes. Its parameters are the calls' inputs, in their order, and its result the
/// memory that the kernel stored in, a tuple if there is more than one. E0630 for what cannot be read or run, E0631 for
/// what no kernel should do, and E0632 where there is no circuit. `notes` gets what the reader of the program should
/// know of it. The text of a call is in `sources`.
Expected<std::string> circuit_of_ptx(const std::vector<frontend::PtxCall>& calls, const SourceMap& sources,
                                     std::vector<Diagnostic>& notes);

}  // namespace reckon
