// sin, cos and tan of intervals in LLVM IR.
#pragma once

#include "codegen/semantics/interval_rules.h"
#include "ir/op.h"

namespace reckon::codegen {

/// `op` is one of the three.
Pair emit_interval_wave(Builder& b, Target target, Ends ends, ir::Op op, Pair x);

}  // namespace reckon::codegen
