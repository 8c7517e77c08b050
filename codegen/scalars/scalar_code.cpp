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

}  // namespace reckon::codegen
