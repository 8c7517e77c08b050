// sin, cos and tan of intervals in LLVM IR.
#pragma once

#include "codegen/semantics/interval_rules.h"
#include "ir/op.h"

namespace reckon::codegen {

/// `op` is one of the three.
Pair emit_interval_trig(Builder& b, Target target, Endpoints endpoints, ir::Op op, Pair x);

}  // namespace reckon::codegen
