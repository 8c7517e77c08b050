// The elementary functions of intervals in LLVM IR: the interpreter's rules (interp/semantics/interval_functions.h)
// with selections in place of branches.
//
// With f32 ends, on every target, an end is one evaluation of numerics/functions/sided.h at the point where the
// function is extreme, rounded on to f32. With f64 ends it is one of functions_of_f64.h and its kin; for atan2 and pow
// the host calls the interpreter's own code (host/interval_call.h).
#pragma once

#include "codegen/semantics/interval_rules.h"
#include "ir/op.h"

namespace reckon::codegen {

/// f(x) or f(x, y); nothing where it is not available.
std::optional<Pair> emit_interval_function(Builder& b, Target target, Endpoints endpoints, ir::Op op,
                                           llvm::ArrayRef<Pair> x);

/// Whether no value of the operands lies in the domain, an i1; null if one always does, or `op` is no such function.
llvm::Value* emit_outside_domain(Builder& b, Target target, Endpoints endpoints, ir::Op op, llvm::ArrayRef<Pair> x);

}  // namespace reckon::codegen
