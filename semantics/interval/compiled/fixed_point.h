// Integers of 256 bits with 224 of them behind the point, in LLVM IR: for functions of f64 where doubles cannot decide.
#pragma once

#include <gmpxx.h>
#include <llvm/IR/Module.h>

#include "numerics/wide_float.h"
#include "semantics/interval/compiled/directed.h"

namespace reckon::codegen::fixed_point {

inline constexpr unsigned fraction_bits = 224, width = 256;

/// A constant array, which is made once for a module.
llvm::GlobalVariable* table(llvm::Module& module, Target target, const char* name, llvm::ArrayRef<llvm::Constant*> values);

llvm::Constant* constant(llvm::LLVMContext& context, const mpz_class& value);
/// A number, rounded to nearest.
mpz_class fixed(const numerics::WideFloat& value);
/// ln 2, rounded to nearest.
mpz_class fixed_ln2();

/// Makes a function `double name(double)`, internal and never inlined.
llvm::Function* new_function(llvm::Module& module, const char* name);

/// x y, truncated downward.
llvm::Value* multiply(Builder& b, llvm::Value* x, llvm::Value* y);
/// |x|, exactly; its exponent is from -60 to 29.
llvm::Value* magnitude(Builder& b, llvm::Value* x);
/// e^r for |r| < 0.36, by 41 terms of its series: each of 40 steps is within 2^-223.
llvm::Value* emit_exp(Builder& b, llvm::Value* r, Target target);

/// An f64 on the given side of +-value 2^-places (`places` is an i64); `value` is positive and has a relative error of
/// at most 2^-135. It is moved by a relative 2^-134 to that side and truncated. So it is always on its side, and it
/// is the nearest such f64 unless value is so close to a double that none of 2^64 arguments is expected to be there.
/// Beyond the largest f64, the result is that or an infinity.
llvm::Value* emit_end(Builder& b, llvm::Value* value, llvm::Value* places, llvm::Value* negative, Side side);

/// For a function whose value lies beside x: returns x or x's neighbour, away from zero or toward it, whichever is on
/// the given side; 0 for 0.
llvm::Value* emit_beside(Builder& b, llvm::Value* x, bool away, Side side);

/// The sum of coefficients[n] x^n for n < terms, by a loop; afterwards the builder is behind the loop. Each step has an
/// error of less than one last place.
llvm::Value* emit_series(Builder& b, llvm::Value* x, llvm::GlobalVariable* coefficients, unsigned terms);

}  // namespace reckon::codegen::fixed_point
