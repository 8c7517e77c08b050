// Integers of 256 bits with 224 of them behind the point, in LLVM IR: for functions of f64 where doubles cannot decide.
#pragma once

#include <gmpxx.h>
#include <llvm/IR/Module.h>

#include "semantics/interval/compiled/directed.h"

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
/// |x|, whose exponent is from -60 to 29, exactly.
llvm::Value* magnitude(Builder& b, llvm::Value* x);
/// e^r for |r| < 0.36, by 41 terms of its series: each of 40 steps is within 2^-223.
llvm::Value* emit_exp(Builder& b, llvm::Value* r, Target target);

/// An f64 on one side of +-value 2^-places (`places` is an i64), where `value` is positive and known within 2^-135 of
/// itself: it is moved by 2^-134 of itself to that side and cut off. So it is on its side whatever the hardest case is,
/// and the nearest one unless value comes so close to a double, which none of 2^64 is to be expected to. Beyond the
/// largest f64 that or an infinity.
llvm::Value* emit_end(Builder& b, llvm::Value* value, llvm::Value* places, llvm::Value* negative, Side side);

/// For x and a function beside x: x, or the neighbour of x away from zero or toward it, whichever is on that side; 0 of
/// 0.
llvm::Value* emit_beside(Builder& b, llvm::Value* x, bool away, Side side);

/// The sum of coefficients[n] x^n for n < terms, by a loop: the builder stands behind it afterwards. Each step is off by
/// less than one last place.
llvm::Value* emit_series(Builder& b, llvm::Value* x, llvm::GlobalVariable* coefficients, unsigned terms);

}  // namespace reckon::codegen::fixed_point
