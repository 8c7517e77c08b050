#include "codegen/scalars/words.h"

#include <cmath>

#include "ir/op.h"

namespace reckon::codegen {

using ir::Op;
using llvm::Value;

namespace {

/// Python's quotient and remainder. LLVM's have no value for a divisor of 0, nor for the least number and -1.
Value* divided(Builder& b, Op op, bool is_signed, Value* x, Value* y) {
  const auto number = [&](std::int64_t value) {
    return llvm::ConstantInt::get(x->getType(), static_cast<std::uint64_t>(value), true);
  };
  const bool quotient = op == Op::floor_div;
  Value* is_zero = b.CreateICmpEQ(y, number(0));
  if (!is_signed) {
    Value* divisor = b.CreateSelect(is_zero, number(1), y);
    return quotient ? b.CreateUDiv(x, divisor) : b.CreateURem(x, divisor);
  }
  Value* is_minus_one = b.CreateICmpEQ(y, number(-1));
  Value* divisor = b.CreateSelect(b.CreateOr(is_zero, is_minus_one), number(1), y);
  Value* rest = b.CreateSRem(x, divisor);
  // Truncated toward zero, the quotient is too large by 1 where something is left and the signs differ.
  Value* adjusts = b.CreateAnd(b.CreateICmpNE(rest, number(0)), b.CreateICmpSLT(b.CreateXor(x, divisor), number(0)));
  if (!quotient) return b.CreateSelect(adjusts, b.CreateAdd(rest, divisor), rest);
  Value* truncated = b.CreateSDiv(x, divisor);
  Value* floor = b.CreateSelect(adjusts, b.CreateSub(truncated, number(1)), truncated);
  return b.CreateSelect(is_minus_one, b.CreateNeg(x), floor);
}

}  // namespace

llvm::Type* word_type(llvm::LLVMContext& context, ir::Scalar scalar) {
  return llvm::Type::getIntNTy(context, static_cast<unsigned>(ir::integer_traits(scalar).width));
}

Value* emit_word(Builder& b, Op op, ir::Scalar type, llvm::ArrayRef<Value*> x) {
  const bool is_signed = ir::integer_traits(type).is_signed;
  const auto width = static_cast<std::uint64_t>(ir::integer_traits(type).width);
  const auto number = [&](std::uint64_t value) { return llvm::ConstantInt::get(x[0]->getType(), value); };
  // A shift by the width or more would be poison, so distances are taken modulo the width.
  const auto distance = [&] { return b.CreateAnd(x[1], number(width - 1)); };
  const auto min = [&](Value* a, Value* c) {
    return b.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, a, c);
  };
  const auto max = [&](Value* a, Value* c) {
    return b.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, a, c);
  };
  switch (op) {
    case Op::add: return b.CreateAdd(x[0], x[1]);
    case Op::sub: return b.CreateSub(x[0], x[1]);
    case Op::mul: return b.CreateMul(x[0], x[1]);
    case Op::neg: return b.CreateNeg(x[0]);
    case Op::abs: return is_signed ? b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x[0], b.getFalse()) : x[0];
    case Op::sign: {
      Value* positive = b.CreateZExt(b.CreateICmpNE(x[0], number(0)), x[0]->getType());
      return is_signed ? b.CreateSelect(b.CreateICmpSLT(x[0], number(0)), b.CreateNeg(positive), positive) : positive;
    }
    case Op::min: return min(x[0], x[1]);
    case Op::max: return max(x[0], x[1]);
    case Op::clamp: return min(max(x[0], x[1]), x[2]);
    case Op::bit_and: return b.CreateAnd(x[0], x[1]);
    case Op::bit_or: return b.CreateOr(x[0], x[1]);
    case Op::bit_xor: return b.CreateXor(x[0], x[1]);
    case Op::shift_left: return b.CreateShl(x[0], distance());
    case Op::shift_right: return is_signed ? b.CreateAShr(x[0], distance()) : b.CreateLShr(x[0], distance());
    case Op::floor_div:
    case Op::floor_mod: return divided(b, op, is_signed, x[0], x[1]);
    case Op::less: return is_signed ? b.CreateICmpSLT(x[0], x[1]) : b.CreateICmpULT(x[0], x[1]);
    case Op::less_equal: return is_signed ? b.CreateICmpSLE(x[0], x[1]) : b.CreateICmpULE(x[0], x[1]);
    case Op::equal: return b.CreateICmpEQ(x[0], x[1]);
    case Op::not_equal: return b.CreateICmpNE(x[0], x[1]);
    default: return nullptr;
  }
}

Value* word_of_word(Builder& b, ir::Scalar from, ir::Scalar to, Value* x) {
  return b.CreateIntCast(x, word_type(b.getContext(), to), ir::integer_traits(from).is_signed);
}

Value* word_of_float(Builder& b, Value* x, ir::Scalar to) {
  const auto& type = ir::integer_traits(to);
  const auto number = [&](double value) { return llvm::ConstantFP::get(x->getType(), value); };
  llvm::Type* word = word_type(b.getContext(), to);
  const auto constant = [&](std::uint64_t pattern) { return llvm::ConstantInt::get(word, pattern); };
  // Out of range the conversion gives poison, and machines differ. Both ends are powers of 2, or 0.
  const double end = std::ldexp(1.0, type.width - (type.is_signed ? 1 : 0));
  Value* above = b.CreateFCmpOGE(x, number(end));
  Value* inside = b.CreateAnd(b.CreateFCmpOGT(x, number(type.is_signed ? -end : 0)), b.CreateFCmpOLT(x, number(end)));
  Value* safe = b.CreateSelect(inside, x, number(0));
  Value* whole = type.is_signed ? b.CreateFPToSI(safe, word) : b.CreateFPToUI(safe, word);
  if (type.is_signed) {
    whole = b.CreateSelect(b.CreateFCmpOLE(x, number(-end)), constant(numerics::least_pattern(type)), whole);
  }
  return b.CreateSelect(above, constant(numerics::greatest_pattern(type)), whole);
}

Value* float_of_word(Builder& b, const Patterns& patterns, ir::Scalar from, numerics::Format to, Value* x) {
  Value* wide = b.CreateIntCast(x, b.getInt64Ty(), ir::integer_traits(from).is_signed);
  return from == ir::Scalar::u64 ? patterns.from_natural(b, to, wide) : patterns.from_index(b, to, wide);
}

}  // namespace reckon::codegen
