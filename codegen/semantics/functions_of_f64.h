// expm1, sinh, cosh, tanh, atan, rsqrt and cbrt of f64, rounded down or up, in LLVM IR.
#pragma once

#include "codegen/semantics/directed.h"
#include "ir/op.h"

namespace reckon::codegen {

/// Null for other functions. x lies in the domain; of an infinity the limit.
llvm::Value* emit_function_of_f64(Builder& b, ir::Op op, Side side, llvm::Value* x, Target target);

/// The two roots, by integers (roots_of_f64.cpp).
void emit_rsqrt_body(Builder& b, Side side, llvm::Value* x);
void emit_cbrt_body(Builder& b, Side side, llvm::Value* x);

}  // namespace reckon::codegen
