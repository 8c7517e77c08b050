// rsqrt and cbrt of f64: an integer of 53 bits is guessed in f64, with an error of at most 2, and its neighbours are
// compared with the operand as integers of 256 bits, which hold their squares and cubes exactly. So there are no
// roundings to analyse.
#include <limits>

#include "codegen/scalars/builders.h"
#include "numerics/functions/root.h"
#include "semantics/interval/compiled/functions_of_f64.h"

namespace reckon::codegen {

using llvm::Value;

namespace {

class Root {
 public:
  Root(Builder& b, Value* x) : b_(b) {
    x_ = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    // x = significand 2^(exponent - 52).
    Value* tiny = b.CreateFCmpOLT(x_, number(0x1p-1022));
    Value* bits = b.CreateBitCast(b.CreateSelect(tiny, b.CreateFMul(x_, number(0x1p+64)), x_), b.getInt64Ty());
    exponent_ = b.CreateSub(b.CreateLShr(bits, 52), b.CreateSelect(tiny, b.getInt64(1023 + 64), b.getInt64(1023)));
    significand_ = b.CreateOr(b.CreateAnd(bits, 0xfffffffffffff), 0x10000000000000);
  }

  /// With x = m 2^(2q - 52), 2^52 <= m < 2^54: Y 2^(-53 - q) for the largest Y with m Y^2 <= 2^158, or for Y + 1.
  Value* rsqrt(Side side) {
    Value* q = b_.CreateAShr(exponent_, 1);
    Value* m = b_.CreateShl(significand_, b_.CreateAnd(exponent_, 1));
    Value* size = b_.CreateSIToFP(m, b_.getDoubleTy());
    Value* guess = b_.CreateFDiv(number(0x1p+79), b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, size));
    const auto power = [&](Value* y) { return b_.CreateMul(wide(m), b_.CreateMul(y, y)); };
    Value* y = searched(b_.CreateFPToSI(guess, b_.getInt64Ty()), power, power_of_two(158), side);
    Value* result = scaled(y, b_.CreateSub(b_.getInt64(static_cast<std::uint64_t>(-53)), q));
    result = b_.CreateSelect(b_.CreateFCmpOEQ(x_, number(0)), number(infinity), result);
    return b_.CreateSelect(b_.CreateFCmpOEQ(x_, number(infinity)), number(0), result);
  }

  /// With |x| = m 2^(3q - 52), 2^52 <= m < 2^55: Y 2^(q - 52) for the largest Y with Y^3 <= m 2^104, or for Y + 1.
  Value* cbrt(Side side) {
    Value* up = b_.CreateAdd(exponent_, b_.getInt64(3 * 400));
    Value* m = b_.CreateShl(significand_, b_.CreateURem(up, b_.getInt64(3)));
    Value* q = b_.CreateSub(b_.CreateUDiv(up, b_.getInt64(3)), b_.getInt64(400));
    NumberBuilder numbers{b_};
    Value* size = b_.CreateFMul(b_.CreateSIToFP(m, b_.getDoubleTy()), number(0x1p-52));
    Value* guess = b_.CreateFMul(numerics::cbrt_wide(numbers, size), number(0x1p+52));
    const auto power = [&](Value* y) { return b_.CreateMul(y, b_.CreateMul(y, y)); };
    Value* y = searched(b_.CreateFPToSI(guess, b_.getInt64Ty()), power, b_.CreateShl(wide(m), 104), side);
    Value* result = scaled(y, b_.CreateSub(q, b_.getInt64(52)));
    const auto is = [&](double value) { return b_.CreateFCmpOEQ(x_, number(value)); };
    return b_.CreateSelect(b_.CreateOr(is(0), is(infinity)), x_, result);
  }

 private:
  Value* number(double value) { return llvm::ConstantFP::get(b_.getDoubleTy(), value); }
  Value* wide(Value* x) { return b_.CreateZExt(x, b_.getIntNTy(256)); }
  Value* power_of_two(unsigned n) { return llvm::ConstantInt::get(b_.getContext(), llvm::APInt::getOneBitSet(256, n)); }

  /// The largest integer within 2 of the guess whose power is at most the bound; for the side above, the least one
  /// whose power is not below it.
  template <class Power>
  Value* searched(Value* guess, Power&& power, Value* bound, Side side) {
    Value* out = b_.CreateSub(guess, b_.getInt64(3));
    for (std::uint64_t step = 0; step < 6; ++step) {
      Value* candidate = b_.CreateAdd(guess, b_.getInt64(step - 2));
      Value* size = power(wide(candidate));
      Value* counts = side == Side::below ? b_.CreateICmpULE(size, bound) : b_.CreateICmpULT(size, bound);
      out = b_.CreateAdd(out, b_.CreateZExt(counts, b_.getInt64Ty()));
    }
    return side == Side::below ? out : b_.CreateAdd(out, b_.getInt64(1));
  }

  /// y 2^exponent, which is exact if both are in range.
  Value* scaled(Value* y, Value* exponent) {
    Value* power = b_.CreateBitCast(b_.CreateShl(b_.CreateAdd(exponent, b_.getInt64(1023)), 52), b_.getDoubleTy());
    return b_.CreateFMul(b_.CreateSIToFP(y, b_.getDoubleTy()), power);
  }

  Builder& b_;
  Value *x_, *exponent_, *significand_;
};

}  // namespace

void emit_root_body(Builder& b, ir::Op op, Side side, Value* x, Target) {
  Root root(b, x);
  if (op == ir::Op::rsqrt) {
    b.CreateRet(root.rsqrt(side));
    return;
  }
  // The root of -x is the opposite of the root of x, so the sides are exchanged.
  Value* negative = b.CreateFCmpOLT(x, llvm::ConstantFP::get(b.getDoubleTy(), 0.0));
  Value *below = root.cbrt(Side::below), *above = root.cbrt(Side::above);
  Value *near = side == Side::below ? below : above, *far = side == Side::below ? above : below;
  b.CreateRet(b.CreateSelect(negative, b.CreateFNeg(far), near));
}

}  // namespace reckon::codegen
