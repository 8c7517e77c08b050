// hypot of f64, exactly: with x >= y, x = M 2^(e - 52), the squares are added as integers of 256 bits. If y is below
// 2^-60 x, the result lies between x and its neighbour.
#include <limits>

#include "codegen/scalars/shared_function.h"
#include "semantics/interval/compiled/functions_of_f64.h"

namespace reckon::codegen {

using llvm::Value;

namespace {

struct Parts {
  Value *significand, *exponent;
};

class Hypot {
 public:
  Hypot(Builder& b, Side side) : b_(b), side_(side) {}

  Value* operator()(Value* first, Value* second) {
    Value* ordered = b_.CreateFCmpOLT(first, second);
    Value *x = b_.CreateSelect(ordered, second, first), *y = b_.CreateSelect(ordered, first, second);
    const Parts large = parts(x), small = parts(y);
    Value* difference = b_.CreateSub(large.exponent, small.exponent);
    Value* alone = b_.CreateFCmpOEQ(y, number(0));
    Value* far = b_.CreateICmpSGT(difference, i64(60));
    Value* shift = b_.CreateSelect(b_.CreateOr(alone, far), i64(0), difference);
    // x's significand in units of y's last place.
    Value* moved = b_.CreateShl(wide(large.significand), wide(shift));
    Value* squares =
        b_.CreateAdd(b_.CreateMul(moved, moved), b_.CreateMul(wide(small.significand), wide(small.significand)));
    // The root in units of x's last place, or of two of them.
    Value* u = b_.CreateSIToFP(large.significand, b_.getDoubleTy());
    Value* v = b_.CreateFMul(b_.CreateSIToFP(small.significand, b_.getDoubleTy()), power_of_two(b_.CreateNeg(shift)));
    Value* near =
        b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, b_.CreateIntrinsic(llvm::Intrinsic::fma, {b_.getDoubleTy()},
                                                                          {u, u, b_.CreateFMul(v, v)}));
    Value* limit = b_.CreateShl(llvm::ConstantInt::get(b_.getContext(), llvm::APInt::getOneBitSet(256, 106)),
                                wide(b_.CreateShl(shift, 1)));
    Value* twice = b_.CreateICmpUGE(squares, limit);
    Value* guess = b_.CreateFPToSI(b_.CreateSelect(twice, b_.CreateFMul(near, number(0.5)), near), b_.getInt64Ty());
    Value* step = b_.CreateAdd(shift, b_.CreateZExt(twice, b_.getInt64Ty()));
    Value* root = searched(guess, squares, wide(b_.CreateShl(step, 1)));
    Value* exponent = b_.CreateAdd(b_.CreateSub(large.exponent, i64(52)), b_.CreateZExt(twice, b_.getInt64Ty()));
    Value* result = scaled(root, exponent);

    Value* next =
        b_.CreateBitCast(b_.CreateAdd(b_.CreateBitCast(x, b_.getInt64Ty()), i64(below() ? 0 : 1)), b_.getDoubleTy());
    result = b_.CreateSelect(far, next, result);
    return b_.CreateSelect(b_.CreateOr(alone, b_.CreateFCmpOEQ(x, number(infinity))), x, result);
  }

 private:
  bool below() const { return side_ == Side::below; }
  Value* number(double value) { return llvm::ConstantFP::get(b_.getDoubleTy(), value); }
  Value* i64(std::int64_t value) { return b_.getInt64(static_cast<std::uint64_t>(value)); }
  Value* wide(Value* x) { return b_.CreateZExt(x, b_.getIntNTy(256)); }
  /// 2^exponent, a normal number.
  Value* power_of_two(Value* exponent) {
    return b_.CreateBitCast(b_.CreateShl(b_.CreateAdd(exponent, i64(1023)), 52), b_.getDoubleTy());
  }
  Parts parts(Value* x) {
    Value* tiny = b_.CreateFCmpOLT(x, number(0x1p-1022));
    Value* bits = b_.CreateBitCast(b_.CreateSelect(tiny, b_.CreateFMul(x, number(0x1p+64)), x), b_.getInt64Ty());
    return {b_.CreateOr(b_.CreateAnd(bits, 0xfffffffffffff), 0x10000000000000),
            b_.CreateSub(b_.CreateLShr(bits, 52), b_.CreateSelect(tiny, i64(1023 + 64), i64(1023)))};
  }
  /// The largest integer, within 2 of the guess, whose square times 2^places is at most `squares`; for the side above,
  /// the least one whose square times 2^places is not below it.
  Value* searched(Value* guess, Value* squares, Value* places) {
    Value* out = b_.CreateSub(guess, i64(3));
    for (std::int64_t k = -2; k <= 3; ++k) {
      Value* y = wide(b_.CreateAdd(guess, i64(k)));
      Value* size = b_.CreateShl(b_.CreateMul(y, y), places);
      Value* counts = below() ? b_.CreateICmpULE(size, squares) : b_.CreateICmpULT(size, squares);
      out = b_.CreateAdd(out, b_.CreateZExt(counts, b_.getInt64Ty()));
    }
    return below() ? out : b_.CreateAdd(out, i64(1));
  }
  /// y 2^exponent, rounded to the side; subnormal numbers are multiples of 2^-1074.
  Value* scaled(Value* y, Value* exponent) {
    Value* cut = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, b_.CreateSub(i64(-1074), exponent), i64(0));
    cut = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, cut, i64(62));
    Value* up = below() ? i64(0) : b_.CreateSub(b_.CreateShl(i64(1), cut), i64(1));
    Value* whole = b_.CreateSIToFP(b_.CreateLShr(b_.CreateAdd(y, up), cut), b_.getDoubleTy());
    Value* left = b_.CreateAdd(exponent, cut);
    Value* half = b_.CreateAShr(left, 1);
    Value* result = b_.CreateFMul(b_.CreateFMul(whole, power_of_two(half)), power_of_two(b_.CreateSub(left, half)));
    if (!below()) return result;
    return b_.CreateSelect(b_.CreateFCmpOEQ(result, number(infinity)), number(std::numeric_limits<double>::max()),
                           result);
  }

  Builder& b_;
  Side side_;
};

}  // namespace

Value* emit_hypot_of_f64(Builder& b, Side side, Value* x, Value* y) {
  const char* name = side == Side::below ? "reckon_hypot_below" : "reckon_hypot_above";
  return b.CreateCall(shared_function(b, name, 2,
                                      [&](Builder& inner, llvm::Function& made) {
                                        made.addFnAttr(llvm::Attribute::NoInline);
                                        inner.CreateRet(Hypot(inner, side)(made.getArg(0), made.getArg(1)));
                                      }),
                      {x, y});
}

}  // namespace reckon::codegen
