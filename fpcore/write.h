// Circuits as FPCores.
#pragma once

#include "fpcore/names.h"
#include "ir/module.h"
#include "worst/record.h"

namespace reckon::fpcore {

/// The function for these sizes, written out as scalars: sums by their schedules, tensors element by element. What it
/// gives has the bits of the circuit, wherever no NaN meets `min` or `max`. E0501 and E0720 for what FPCore does not
/// have, at its place. `numbers`: what numbers without a format are.
Expected<std::string> written(ir::Module& module, const ir::Function& function, const ir::Dimensions& sizes,
                              const driver::ClosedNumbers* numbers, const interp::EvaluateOptions& options);

}  // namespace reckon::fpcore
