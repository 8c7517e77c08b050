// exp and exp2 of f32s, rounded once more to bf16 or f16, in f32 arithmetic (numerics/functions/quick_exponential.h),
// for GPUs from sm_80 on, which round two f32s by one instruction.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>

#include "codegen/scalars/patterns.h"
#include "numerics/elementary.h"

namespace reckon::codegen {

constexpr int first_chip_with_quick_exponentials = 80;

/// T(f(x)) of each x, for a function and a format T that have a quick exponential. All are computed in straight line.
/// Undecided ones are computed by `exact`, two at a time; the code for that stands there once. The builder then inserts
/// where both ways join.
llvm::SmallVector<llvm::Value*, 4> emit_quick_exponentials(Builder& b, const Patterns& patterns,
                                                           numerics::Function function, numerics::Format format,
                                                           llvm::ArrayRef<llvm::Value*> x,
                                                           llvm::function_ref<llvm::Value*(llvm::Value*)> exact);

}  // namespace reckon::codegen
