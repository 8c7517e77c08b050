#include "codegen/scalars/words.h"

#include "ir/op.h"

namespace reckon::codegen {

using ir::Op;

llvm::Value* emit_word(Builder& b, Op op, llvm::ArrayRef<llvm::Value*> x) {
  // A shift by 32 or more would be poison, so distances are taken modulo 32.
  const auto distance = [&] { return b.CreateAnd(x[1], 31); };
  switch (op) {
    case Op::add: return b.CreateAdd(x[0], x[1]);
    case Op::sub: return b.CreateSub(x[0], x[1]);
    case Op::mul: return b.CreateMul(x[0], x[1]);
    case Op::neg: return b.CreateNeg(x[0]);
    case Op::min: return b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, x[0], x[1]);
    case Op::max: return b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, x[0], x[1]);
    case Op::bit_and: return b.CreateAnd(x[0], x[1]);
    case Op::bit_or: return b.CreateOr(x[0], x[1]);
    case Op::bit_xor: return b.CreateXor(x[0], x[1]);
    case Op::shift_left: return b.CreateShl(x[0], distance());
    case Op::shift_right: return b.CreateLShr(x[0], distance());
    case Op::less: return b.CreateICmpULT(x[0], x[1]);
    case Op::less_equal: return b.CreateICmpULE(x[0], x[1]);
    case Op::equal: return b.CreateICmpEQ(x[0], x[1]);
    case Op::not_equal: return b.CreateICmpNE(x[0], x[1]);
    default: return nullptr;
  }
}

llvm::Value* word_of_float(Builder& b, llvm::Value* x) {
  const auto number = [&](double value) { return llvm::ConstantFP::get(x->getType(), value); };
  // Out of range the conversion gives poison, and machines differ.
  llvm::Value* above = b.CreateFCmpOGE(x, number(0x1p32));
  llvm::Value* inside = b.CreateAnd(b.CreateFCmpOGT(x, number(0)), b.CreateFCmpOLT(x, number(0x1p32)));
  llvm::Value* whole = b.CreateFPToUI(b.CreateSelect(inside, x, number(0)), b.getInt32Ty());
  return b.CreateSelect(above, b.getInt32(0xffffffffu), whole);
}

}  // namespace reckon::codegen
