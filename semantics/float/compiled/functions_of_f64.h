// The elementary functions of f64 in LLVM IR, correctly rounded (numerics/functions64).
#pragma once

#include <llvm/IR/Function.h>

#include <cstdint>

#include "codegen/scalars/builders.h"
#include "numerics/elementary.h"

namespace reckon::codegen {

/// The symbol that host code refers to for functions that functions64 does not have (numerics::has_f64_algorithm): the
/// JIT gives it the address of the function below.
inline constexpr const char* f64_call_name = "reckon_function_of_f64";

/// f(x) rounded to nearest, by MPFR, with C's calling convention. Several threads may call it at once.
double called_function_of_f64(std::int32_t function, double x);

/// Emits the function, of the arguments of `caller`; null if there is no code for it, on a GPU.
llvm::Value* function_of_f64(Builder& b, numerics::Function which, llvm::Function& caller, bool on_host);
llvm::Value* function_of_f64(Builder& b, numerics::BinaryFunction which, llvm::Function& caller);

}  // namespace reckon::codegen
