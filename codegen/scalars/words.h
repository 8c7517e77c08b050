// u32 in LLVM IR, the same under `float` and `fpsan`: an i32.
#pragma once

#include "codegen/scalars/patterns.h"

namespace reckon::codegen {

/// Operations on u32, and comparisons, which give an i1; null for those that u32 does not have.
llvm::Value* emit_word(Builder& b, ir::Op op, llvm::ArrayRef<llvm::Value*> x);
/// A float or double as u32: truncated toward zero; a value out of range becomes the nearest u32, and NaN becomes 0.
llvm::Value* word_of_float(Builder& b, llvm::Value* x);

}  // namespace reckon::codegen
