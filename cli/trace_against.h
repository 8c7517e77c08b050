// `reckon trace a.ptx --against b.ptx`: two kernels on the same arguments.
#pragma once

#include <string>

#include "api/reckon/trace.h"
#include "cli/console.h"
#include "cli/options.h"

namespace reckon::cli {

/// Says of each output that both kernels have: whether their sums add in the same orders, whether one circuit is a
/// rewrite of the other, and how far apart they can be for inputs in the ranges of the arguments.
void compare_kernels(const PtxTrace& found, const PtxTrace& other, const PtxLaunch& launch, const Common& common,
                     Console& console);

}  // namespace reckon::cli
