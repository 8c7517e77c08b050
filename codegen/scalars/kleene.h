// Three-valued bools in compiled code: a pair of bits, {yes, no}; neither is "unknown". In memory they are the
// interpreter's Truth: 0 no, 1 yes, 2 unknown. The logic is Kleene's.
#pragma once

#include "codegen/scalars/scalar_code.h"
#include "ir/op.h"

namespace reckon::codegen {

class KleeneCode : public ScalarCode {
 public:
  llvm::Value* from_condition(Builder& b, llvm::Value* condition) const override {
    return truth(b, condition, b.CreateNot(condition));
  }

 protected:
  KleeneCode(llvm::LLVMContext& context, const interp::Semantics& values)
      : ScalarCode(context, values),
        truth_(llvm::StructType::get(context, {llvm::Type::getInt1Ty(context), llvm::Type::getInt1Ty(context)})) {}

  llvm::StructType* truth_type() const { return truth_; }
  llvm::Value* truth(Builder& b, llvm::Value* yes, llvm::Value* no) const {
    return b.CreateInsertValue(b.CreateInsertValue(llvm::PoisonValue::get(truth_), yes, 0), no, 1);
  }
  static llvm::Value* yes(Builder& b, llvm::Value* truth) { return b.CreateExtractValue(truth, 0); }
  static llvm::Value* no(Builder& b, llvm::Value* truth) { return b.CreateExtractValue(truth, 1); }
  /// The constant of a literal's Truth, which is no or yes.
  llvm::Constant* truth_constant(const std::byte* truth) const {
    const bool value = *truth != std::byte{0};
    llvm::Type* bit = llvm::Type::getInt1Ty(context_);
    return llvm::ConstantStruct::get(truth_, {llvm::ConstantInt::get(bit, value), llvm::ConstantInt::get(bit, !value)});
  }
  llvm::Value* truth_from_memory(Builder& b, llvm::Value* stored) const {
    return truth(b, b.CreateICmpEQ(stored, b.getInt8(1)), b.CreateICmpEQ(stored, b.getInt8(0)));
  }
  static llvm::Value* truth_to_memory(Builder& b, llvm::Value* value) {
    return b.CreateSelect(yes(b, value), b.getInt8(1), b.CreateSelect(no(b, value), b.getInt8(0), b.getInt8(2)));
  }

  /// And, or, not, and `select` between bools; null for other operations.
  llvm::Value* logic(Builder& b, ir::Op op, ir::Scalar to, llvm::ArrayRef<llvm::Value*> x) const {
    switch (op) {
      case ir::Op::logical_and:
        return truth(b, b.CreateAnd(yes(b, x[0]), yes(b, x[1])), b.CreateOr(no(b, x[0]), no(b, x[1])));
      case ir::Op::logical_or:
        return truth(b, b.CreateOr(yes(b, x[0]), yes(b, x[1])), b.CreateAnd(no(b, x[0]), no(b, x[1])));
      case ir::Op::logical_not: return truth(b, no(b, x[0]), yes(b, x[0]));
      case ir::Op::select: return to == ir::Scalar::boolean ? select_truth(b, x) : nullptr;
      default: return nullptr;
    }
  }

 private:
  /// The chosen operand if the condition is known; if it is unknown, what both operands agree on, else unknown.
  llvm::Value* select_truth(Builder& b, llvm::ArrayRef<llvm::Value*> x) const {
    const auto part = [&](unsigned k) {
      llvm::Value *left = b.CreateExtractValue(x[1], k), *right = b.CreateExtractValue(x[2], k);
      return b.CreateOr(b.CreateAnd(left, right),
                        b.CreateOr(b.CreateAnd(yes(b, x[0]), left), b.CreateAnd(no(b, x[0]), right)));
    };
    return truth(b, part(0), part(1));
  }

  llvm::StructType* truth_;
};

}  // namespace reckon::codegen
