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

/// Calls a function of the module, which is made by its first call. It computes in two doubles (functions64/quick.h),
/// and calls a second one, with three, for the results that are not decided then. For loops that LLVM vectorises there
/// is a third function if `lanes` is above 1: of vectors of so many. Null if there is no code for the function, on a GPU.
llvm::Value* call_function_of_f64(Builder& b, numerics::Function which, llvm::ArrayRef<llvm::Value*> x, unsigned lanes,
                                  bool on_host);
llvm::Value* call_function_of_f64(Builder& b, numerics::BinaryFunction which, llvm::ArrayRef<llvm::Value*> x, unsigned lanes,
                                  bool on_host);

}  // namespace reckon::codegen
