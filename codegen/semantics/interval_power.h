// x^y of intervals in LLVM IR: for x > 0; for x = 0 and y >= 0; for x < 0 at the integers inside y.
#pragma once

#include "codegen/semantics/interval_rules.h"

namespace reckon::codegen {

/// With f32 ends.
Pair emit_interval_power(Builder& b, Target target, Pair x, Pair y);

/// Whether there is no value, an i1.
llvm::Value* emit_outside_power(Rules& rules, Builder& b, Pair x, Pair y);

}  // namespace reckon::codegen
