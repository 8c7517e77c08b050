// Calls a function of a shared library on the inputs of a trial.
#pragma once

#include "frontend/elaborate.h"
#include "interp/evaluate.h"
#include "ir/bind.h"

namespace reckon::check {

/// `item.library`, called for each element of the left circuit's result; a parameter that is no tensor is the same for
/// all of them. `floats` loads what it gives. E0602 for inputs that are no numbers of a format.
Expected<std::vector<interp::Values>> library_results(const ir::Module& module, const frontend::ElaboratedItem& item,
                                                      interp::Semantics& floats, const ir::Dimensions& sizes,
                                                      const std::vector<interp::Argument>& arguments);

}  // namespace reckon::check
