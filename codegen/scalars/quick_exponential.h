// exp and exp2 of f32s, rounded once more, by f32 arithmetic that nearly always decides: to bf16 from the GPU's
// approximation (numerics/functions/guessed_exponential.h), to f16 by bounds (numerics/functions/quick_exponential.h).
// For GPUs from sm_80 on, which round two f32s by one instruction.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>

#include "codegen/scalars/patterns.h"
#include "numerics/elementary.h"

namespace reckon::codegen {

constexpr int first_chip_with_quick_exponentials = 80;

constexpr bool has_quick_exponential(numerics::Function function, numerics::Format format) {
  return (function == numerics::Function::exp || function == numerics::Function::exp2) &&
         (format == numerics::Format::bf16 || format == numerics::Format::f16);
}

/// T(f(x)) of each x, for a function and a format T that have a quick exponential. All are computed in straight line.
/// Undecided ones are computed by `exact`, two at a time; the code for that stands there once. The builder then inserts
/// where both ways join.
llvm::SmallVector<llvm::Value*, 4> emit_quick_exponentials(Builder& b, const Patterns& patterns,
                                                           numerics::Function function, numerics::Format format,
                                                           llvm::ArrayRef<llvm::Value*> x,
                                                           llvm::function_ref<llvm::Value*(llvm::Value*)> exact);

}  // namespace reckon::codegen
