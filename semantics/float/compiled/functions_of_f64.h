// The elementary functions of f64 in LLVM IR, correctly rounded (numerics/functions64).
#pragma once

#include <llvm/IR/Function.h>

#include "codegen/scalars/builders.h"
#include "numerics/elementary.h"

namespace reckon::codegen {

/// Emits the function, of the arguments of `caller`.
llvm::Value* function_of_f64(Builder& b, numerics::Function which, llvm::Function& caller);
llvm::Value* function_of_f64(Builder& b, numerics::BinaryFunction which, llvm::Function& caller);

}  // namespace reckon::codegen
