#include "codegen/lower/numbers.h"

#include <llvm/IR/DataLayout.h>

#include "codegen/scalars/scalar_code.h"

namespace reckon::codegen {

Numbers::Numbers(const ScalarCode& code, const llvm::DataLayout& memory) : code_(code) {
  const auto bytes = [&](llvm::Type* type) {
    return static_cast<std::uint8_t>(memory.getTypeAllocSize(type).getFixedValue());
  };
  for (std::size_t k = 0; k < kernel::Widths::scalars; ++k) {
    const auto scalar = static_cast<ir::Scalar>(k);
    if (scalar == ir::Scalar::number) {
      // The type `number` is refused where it is met; until then it is taken to be as wide as an f64.
      widths_.given[k] = widths_.kept[k] = widths_.registers[k] = 8;
      continue;
    }
    llvm::Type* type = code.register_type(scalar);
    widths_.given[k] = bytes(code.input_type(scalar));
    widths_.kept[k] = bytes(code.memory_type(scalar));
    widths_.registers[k] = bytes(type);
    words_[k] = type->isFloatTy() || type->isDoubleTy() || type->isIntegerTy(32) || type->isIntegerTy(64);
  }
}

bool Numbers::sums_exactly() const { return code_.sums_exactly(); }
bool Numbers::picks_in_any_order() const { return code_.picks_in_any_order(); }
bool Numbers::adds_words(ir::Scalar scalar) const { return code_.adds_words(scalar); }
bool Numbers::fuses_on_tensor_cores() const { return code_.fuses_on_tensor_cores(); }
bool Numbers::applies_to_vectors(ir::Op op, ir::Scalar scalar) const { return code_.applies_to_vectors(op, scalar); }
bool Numbers::has_neutral_summand(ir::Scalar scalar) const { return code_.neutral_summand(scalar) != nullptr; }
bool Numbers::divides_quickly(ir::Scalar scalar) const { return code_.divides_quickly(scalar); }
bool Numbers::applies_rounded_quickly(ir::Op op, ir::Scalar to) const { return code_.applies_rounded_quickly(op, to); }
bool Numbers::has_undefined() const { return code_.has_undefined(); }
const Undefined* Numbers::may_be_undefined(ir::Op op) const { return code_.may_be_undefined(op); }

bool Numbers::has_literal(const ir::Literal& literal, ir::Scalar scalar) const {
  return scalar != ir::Scalar::number && code_.literal(literal, scalar) != nullptr;
}

Diagnostic Numbers::no_literal(const ir::Literal& literal, ir::Scalar scalar, SourceSpan place) const {
  return code_.no_literal(literal, scalar, place);
}

std::string Numbers::help() const { return code_.help(); }

}  // namespace reckon::codegen
