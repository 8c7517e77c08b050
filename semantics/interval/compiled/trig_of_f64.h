// sin, cos and tan of f64, also of pi x (sinpi, cospi, tanpi), rounded down or up, as LLVM IR: in fixed point of 224
// bits (fixed_point.h).
#pragma once

#include "ir/op.h"
#include "semantics/interval/compiled/directed.h"

namespace reckon::codegen {

/// `op` of a finite x; the result for an infinity is arbitrary.
llvm::Value* emit_trig_of_f64(Builder& b, ir::Op op, Side side, llvm::Value* x, Target target);

/// The floor of 2x, as an i64 of which only the low two bits count; x is finite.
llvm::Value* emit_half_turns_of_f64(Builder& b, llvm::Value* x);

/// The floor of x / (pi/2), as an i64 of which only the low two bits count.
llvm::Value* emit_quarter_turns_of_f64(Builder& b, llvm::Value* x, Target target);

}  // namespace reckon::codegen
