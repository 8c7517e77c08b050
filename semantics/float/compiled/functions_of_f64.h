// The elementary functions of f64 in LLVM IR, correctly rounded (numerics/functions64).
#pragma once

#include <llvm/IR/Function.h>

#include "codegen/scalars/builders.h"
#include "numerics/elementary.h"

namespace reckon::codegen {

/// Calls a function of the module, which is made by its first call. It computes in two doubles (functions64/quick.h),
/// and calls a second one, with three, for the results that are not decided then. For loops that LLVM vectorises there
/// is a third function if `lanes` is above 1: of vectors of so many.
llvm::Value* call_function_of_f64(Builder& b, numerics::Function which, llvm::ArrayRef<llvm::Value*> x, unsigned lanes);
llvm::Value* call_function_of_f64(Builder& b, numerics::BinaryFunction which, llvm::ArrayRef<llvm::Value*> x,
                                  unsigned lanes);

}  // namespace reckon::codegen
