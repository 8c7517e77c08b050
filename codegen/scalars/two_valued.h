// What compiled semantics share in which a bool is known and an integer is an LLVM integer: how these are stored in
// memory and in registers, and the operations on them. A semantics derives from TwoValuedCode and adds its numbers.
#pragma once

#include "codegen/scalars/scalar_code.h"
#include "codegen/scalars/words.h"
#include "ir/op.h"

namespace reckon::codegen {

class TwoValuedCode : public ScalarCode {
 public:
  using ScalarCode::ScalarCode;

  llvm::Type* memory_type(ir::Scalar scalar) const override {
    return scalar == ir::Scalar::boolean ? llvm::Type::getInt8Ty(context_)
           : ir::is_integer(scalar)      ? word_type(context_, scalar)
                                         : number_in_memory(ir::format_of(scalar));
  }
  llvm::Type* register_type(ir::Scalar scalar) const override {
    return scalar == ir::Scalar::boolean ? llvm::Type::getInt1Ty(context_)
           : ir::is_integer(scalar)      ? word_type(context_, scalar)
                                         : number_in_register(ir::format_of(scalar));
  }
  llvm::Value* from_memory(Builder& b, ir::Scalar scalar, llvm::Value* stored) const override {
    if (scalar == ir::Scalar::boolean) return b.CreateICmpNE(stored, b.getInt8(0));
    return ir::is_integer(scalar) ? stored : read_number(b, ir::format_of(scalar), stored);
  }
  llvm::Value* to_memory(Builder& b, ir::Scalar scalar, llvm::Value* value) const override {
    if (scalar == ir::Scalar::boolean) return b.CreateZExt(value, b.getInt8Ty());
    return ir::is_integer(scalar) ? value : written_number(b, ir::format_of(scalar), value);
  }
  llvm::Value* from_index(Builder& b, ir::Scalar scalar, llvm::Value* index) const override {
    if (ir::is_integer(scalar)) return b.CreateTrunc(index, word_type(context_, scalar));
    return number_of_index(b, ir::format_of(scalar), index);
  }

  llvm::Value* apply(Builder& b, ir::Op op, ir::Scalar from, ir::Scalar to,
                     llvm::ArrayRef<llvm::Value*> x) const override {
    switch (op) {
      case ir::Op::select: return b.CreateSelect(x[0], x[1], x[2]);
      case ir::Op::logical_and: return b.CreateAnd(x[0], x[1]);
      case ir::Op::logical_or: return b.CreateOr(x[0], x[1]);
      case ir::Op::logical_not: return b.CreateNot(x[0]);
      default: break;
    }
    if (ir::is_integer(from) && ir::is_integer(to) && op == ir::Op::convert) return word_of_word(b, from, to, x[0]);
    if (ir::is_integer(from) && !ir::is_float(to)) return emit_word(b, op, from, x);
    if (ir::is_integer(from) || ir::is_integer(to)) return cast_word(b, op, from, to, x[0]);
    return ir::is_float(from) ? apply_to_numbers(b, op, from, to, x) : nullptr;
  }

 protected:
  virtual llvm::Type* number_in_memory(ir::Format format) const = 0;
  virtual llvm::Type* number_in_register(ir::Format format) const = 0;
  virtual llvm::Value* read_number(Builder& b, ir::Format format, llvm::Value* stored) const = 0;
  virtual llvm::Value* written_number(Builder& b, ir::Format format, llvm::Value* value) const = 0;
  virtual llvm::Value* number_of_index(Builder& b, ir::Format format, llvm::Value* index) const = 0;
  /// A number of a format to an integer, or the reverse: `convert`, `bits` and `from_bits`.
  virtual llvm::Value* cast_word(Builder& b, ir::Op op, ir::Scalar from, ir::Scalar to, llvm::Value* x) const = 0;
  /// Every other operation whose operands are numbers; null if there is none.
  virtual llvm::Value* apply_to_numbers(Builder& b, ir::Op op, ir::Scalar from, ir::Scalar to,
                                        llvm::ArrayRef<llvm::Value*> x) const = 0;
};

}  // namespace reckon::codegen
