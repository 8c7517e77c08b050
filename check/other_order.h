// A circuit with another schedule, for checks such as `within bound by numpy`, whose result was summed elsewhere in
// that order.
#pragma once

#include <string>

#include "ir/module.h"

namespace reckon::check {

/// The circuit with the given schedule for every sum, every product, and every reduction by a user's function. An
/// accumulator
/// (`kahan`, `fused(S)`) is for sums alone, `fused` for sums of products. `written`: the schedule, for messages.
Expected<ir::Function> in_order(ir::Module& module, const ir::Function& function, ir::ScheduleId schedule,
                                SourceSpan at, const std::string& written);

}  // namespace reckon::check
