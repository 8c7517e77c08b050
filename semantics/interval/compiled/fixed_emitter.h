// What the functions of f64 in fixed point (functions_of_f64.h) share.
#pragma once

#include "semantics/interval/compiled/fixed_point.h"

namespace reckon::codegen::fixed_point {

class FixedEmitter {
 public:
  FixedEmitter(Builder& b, Side side, llvm::Value* x, Target target)
      : b_(b),
        side_(side),
        target_(target),
        x_(x),
        size_(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x)),
        negative_(b.CreateICmpSLT(b.CreateBitCast(x, b.getInt64Ty()), b.getInt64(0))) {}

 protected:
  using Value = llvm::Value;

  llvm::Type* wide() { return b_.getIntNTy(width); }
  llvm::Type* twice() { return b_.getIntNTy(2 * width); }
  Value* number(double value) { return llvm::ConstantFP::get(b_.getDoubleTy(), value); }
  Value* i64(std::int64_t value) { return b_.getInt64(static_cast<std::uint64_t>(value)); }
  /// 2^places
  Value* constant_of(llvm::Type* type, unsigned places) {
    return llvm::ConstantInt::get(type, llvm::APInt::getOneBitSet(type->getIntegerBitWidth(), places));
  }
  Value* less(Value* x, double bound) { return b_.CreateFCmpOLT(x, number(bound)); }
  Value* clamped(Value* value, std::int64_t low, std::int64_t high) {
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                    b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, i64(low)), i64(high));
  }
  Value* shifted_right(Value* value, Value* places) {
    return b_.CreateLShr(value, b_.CreateZExt(clamped(places, 0, width - 1), wide()));
  }
  Value* sum_of_one_and(Value* fixed) { return b_.CreateAdd(constant_of(wide(), fraction_bits), fixed); }
  /// The number on the requested side.
  Value* endpoints(double below, double above) { return number(side_ == Side::below ? below : above); }
  /// The exponent and the 53-bit significand of |x|, which is a normal number.
  Value* exponent_of_size() {
    return b_.CreateSub(b_.CreateLShr(b_.CreateBitCast(size_, b_.getInt64Ty()), 52), i64(1023));
  }
  Value* significand_of_size() {
    return b_.CreateOr(b_.CreateAnd(b_.CreateBitCast(size_, b_.getInt64Ty()), 0xfffffffffffff), 0x10000000000000);
  }
  /// slope |x| (1 + second x^2 + fourth x^4) with the sign of x, for |x| < 2^-27 and not 0, also if it is subnormal.
  /// The coefficients are fixed-point numbers; for |x| < 2^-60 they are left out. Arbitrary unless `small`.
  Value* near_zero(Value* small, llvm::Constant* slope, llvm::Constant* second, llvm::Constant* fourth);
  /// The root of an i512 that is 0 or between 2^300 and 2^450, with an error of at most 2; for 0 the result is 1.
  Value* root(Value* square);

  Builder& b_;
  Side side_;
  Target target_;
  Value *x_, *size_, *negative_;
};

}  // namespace reckon::codegen::fixed_point
