// Calls a function of a shared library on the inputs of a trial.
#pragma once

#include "frontend/elaborate.h"
#include "interp/evaluate.h"
#include "ir/bind.h"

namespace reckon::check {

/// Calls `item.library` for each element of the left circuit's result; a parameter that is not a tensor is the same for
/// all of them. `floats` loads the results. E0602 if an input is not a number of a format.
Expected<std::vector<interp::Values>> library_results(const ir::Module& module, const frontend::ElaboratedItem& item,
                                                      interp::Semantics& floats, const ir::Dimensions& sizes,
                                                      const std::vector<interp::Argument>& arguments);

}  // namespace reckon::check
