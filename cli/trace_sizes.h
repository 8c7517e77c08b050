// `reckon trace --sizes n=1000,512,300`: one circuit of launches at several sizes.
#pragma once

#include <string>

#include "cli/console.h"
#include "cli/options.h"

namespace reckon::cli {

/// Traces the kernel at each of the sizes and prints the circuit that has their names; the exit status.
int trace_sizes(const std::string& text, const TraceCommand& options, const Common& common, Console& console);

}  // namespace reckon::cli
