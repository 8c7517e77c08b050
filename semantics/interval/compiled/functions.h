// Operations of intervals by their rules (numerics/intervals/) in LLVM IR.
#pragma once

#include <optional>

#include "semantics/interval/compiled/endpoints.h"

namespace reckon::codegen {

inline Pair unpacked(Builder& b, llvm::Value* value) {
  return {b.CreateExtractValue(value, 0), b.CreateExtractValue(value, 1)};
}

inline llvm::Value* packed(Builder& b, llvm::StructType* type, const Pair& pair) {
  auto *low = llvm::dyn_cast<llvm::Constant>(pair.low), *high = llvm::dyn_cast<llvm::Constant>(pair.high);
  if (low && high) return llvm::ConstantStruct::get(type, {low, high});
  return b.CreateInsertValue(b.CreateInsertValue(llvm::PoisonValue::get(type), pair.low, 0), pair.high, 1);
}

/// Applies the rule with the operation's name; nothing if there is none. A comparison gives {yes, no}.
std::optional<Pair> rule(const Intervals& rules, ir::Op op, llvm::ArrayRef<Pair> x);

/// Whether there is no code for the function, so that the host calls the interpreter (call.h): gamma and lgamma, and
/// with f64 endpoints erfc, atan2 and pow.
bool lacks_code(ir::Op op, Endpoints endpoints);

/// An elementary function or a remainder of f64s; nothing if it is not available, as those that lack code are not on a
/// GPU.
std::optional<Pair> emit_interval_function(Builder& b, Target target, Endpoints endpoints, ir::Op op,
                                           llvm::ArrayRef<Pair> x);

}  // namespace reckon::codegen
