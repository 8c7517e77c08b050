// The elementary functions of f64, rounded down or up, in LLVM IR without library calls, for host and PTX.
#pragma once

#include "ir/op.h"
#include "semantics/interval/compiled/directed.h"

namespace reckon::codegen {

/// A function of one operand in its domain. For an infinity the result is the limit, or arbitrary if there is none.
llvm::Value* emit_function_of_f64(Builder& b, ir::Op op, Side side, llvm::Value* x, Target target);

/// Requires x, y >= 0.
llvm::Value* emit_hypot_of_f64(Builder& b, Side side, llvm::Value* x, llvm::Value* y);

// These emit the bodies of LLVM functions, with their returns: logarithms_of_f64.cpp, angles_of_f64.cpp,
// erf_of_f64.cpp, roots_of_f64.cpp.
void emit_logarithm_body(Builder& b, ir::Op op, Side side, llvm::Value* x, Target target);
void emit_angle_body(Builder& b, ir::Op op, Side side, llvm::Value* x, Target target);
void emit_erf_body(Builder& b, ir::Op op, Side side, llvm::Value* x, Target target);
void emit_root_body(Builder& b, ir::Op op, Side side, llvm::Value* x, Target target);

}  // namespace reckon::codegen
