#include "codegen/scalars/scalar_code.h"

namespace reckon::codegen {

namespace {

/// Bytes of the largest value that code computes with.
constexpr std::size_t max_value_bytes = 64;

}  // namespace

llvm::Constant* ScalarCode::literal(const ir::Literal& literal, ir::Scalar scalar) const {
  alignas(16) std::byte value[max_value_bytes] = {};
  if (scalar == ir::Scalar::number || values_.literal(literal, scalar, value)) return nullptr;
  return constant_of(scalar, value);
}

Diagnostic ScalarCode::no_literal(const ir::Literal& literal, ir::Scalar scalar, SourceSpan place) const {
  alignas(16) std::byte value[max_value_bytes] = {};
  return at_place(*values_.literal(literal, scalar, value), place);
}

llvm::SmallVector<llvm::Value*, 4> ScalarCode::apply_rounded(Builder& b, ir::Op op, ir::Scalar to,
                                                             llvm::ArrayRef<llvm::Value*> x) const {
  llvm::SmallVector<llvm::Value*, 4> out;
  for (llvm::Value* each : x) {
    llvm::Value* value = apply(b, op, ir::Scalar::f32, ir::Scalar::f32, each);
    if (value != nullptr) value = apply(b, ir::Op::convert, ir::Scalar::f32, to, value);
    if (value == nullptr) return {};
    out.push_back(value);
  }
  return out;
}

}  // namespace reckon::codegen
