// Integers of 256 bits with 224 of them behind the point, in LLVM IR: for functions of f64 where doubles cannot decide.
#pragma once

#include <gmpxx.h>
#include <llvm/IR/Module.h>

#include "codegen/semantics/scalar_code.h"

namespace reckon::codegen::fixed_point {

inline constexpr unsigned fraction_bits = 224, width = 256;

/// A constant array, made once for a module.
llvm::GlobalVariable* table(llvm::Module& module, Target target, const char* name, llvm::ArrayRef<llvm::Constant*> values);

llvm::Constant* constant(llvm::LLVMContext& context, const mpz_class& value);
/// ln 2, to the nearest.
mpz_class fixed_ln2();

/// double name(double), internal, never inlined.
llvm::Function* new_function(llvm::Module& module, const char* name);

/// x y, cut off downward.
llvm::Value* multiply(Builder& b, llvm::Value* x, llvm::Value* y);
/// The sum of coefficients[n] x^n for n < terms, by a loop: the builder stands behind it afterwards. Each step is off by
/// less than one last place.
llvm::Value* emit_series(Builder& b, llvm::Value* x, llvm::GlobalVariable* coefficients, unsigned terms);

}  // namespace reckon::codegen::fixed_point
