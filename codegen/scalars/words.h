// Integers in LLVM IR, the same under `float` and `fpsan`: of the type's width.
#pragma once

#include "codegen/scalars/patterns.h"

namespace reckon::codegen {

llvm::Type* word_type(llvm::LLVMContext& context, ir::Scalar scalar);
/// Operations on integers of the type, and comparisons, which give an i1; null for those that integers do not have.
/// For a divisor of 0, a quotient and a remainder are some number.
llvm::Value* emit_word(Builder& b, ir::Op op, ir::Scalar type, llvm::ArrayRef<llvm::Value*> x);
/// An integer of another type, modulo 2^width.
llvm::Value* word_of_word(Builder& b, ir::Scalar from, ir::Scalar to, llvm::Value* x);
/// A float or double as an integer: truncated toward zero; a value out of range becomes the nearest number of the type,
/// and NaN becomes 0.
llvm::Value* word_of_float(Builder& b, llvm::Value* x, ir::Scalar to);
/// An integer as a number of a format, as its register holds it: rounded once.
llvm::Value* float_of_word(Builder& b, const Patterns& patterns, ir::Scalar from, numerics::Format to, llvm::Value* x);

}  // namespace reckon::codegen
