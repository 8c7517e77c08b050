#include "semantics/interval/compiled/fixed_emitter.h"

namespace reckon::codegen::fixed_point {

/// Takes a root of the 62 leading bits in f64, then Newton's iteration y = (y + N / y) / 2. The errors are at most
/// 2^-29, 2^-58, 2^-116, 2^-232.
llvm::Value* FixedEmitter::root(Value* square) {
  llvm::Type* word = b_.getInt64Ty();
  Value* n =
      b_.CreateSelect(b_.CreateICmpEQ(square, llvm::ConstantInt::get(twice(), 0)), constant_of(twice(), 0), square);
  Value* zeros = b_.CreateTrunc(b_.CreateIntrinsic(llvm::Intrinsic::ctlz, {twice()}, {n, b_.getFalse()}), word);
  Value* cut = clamped(b_.CreateSub(i64(2 * width - 62), zeros), 0, 2 * width - 1);
  cut = b_.CreateAnd(cut, ~std::uint64_t{1});
  Value* top = b_.CreateTrunc(b_.CreateLShr(n, b_.CreateZExt(cut, twice())), word);
  Value* guess = b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, b_.CreateUIToFP(top, b_.getDoubleTy()));
  Value* y =
      b_.CreateShl(b_.CreateZExt(b_.CreateFPToUI(guess, word), twice()), b_.CreateZExt(b_.CreateLShr(cut, 1), twice()));
  for (int step = 0; step < 3; ++step) y = b_.CreateLShr(b_.CreateAdd(y, b_.CreateUDiv(n, y)), 1);
  return b_.CreateTrunc(y, wide());
}

llvm::Value* FixedEmitter::near_zero(Value* small, llvm::Constant* slope, llvm::Constant* second,
                                     llvm::Constant* fourth) {
  Value* tiny = less(size_, 0x1p-60);
  Value* part =
      b_.CreateSelect(tiny, llvm::ConstantInt::get(wide(), 0),
                      magnitude(b_, b_.CreateSelect(b_.CreateAnd(small, b_.CreateNot(tiny)), size_, number(0x1p-30))));
  Value* z = multiply(b_, part, part);
  Value* factor = b_.CreateAdd(sum_of_one_and(multiply(b_, z, second)), multiply(b_, multiply(b_, z, z), fourth));
  // The leading bit of a subnormal number is in another place.
  Value* subnormal = less(size_, 0x1p-1022);
  Value* bits =
      b_.CreateBitCast(b_.CreateSelect(subnormal, b_.CreateFMul(size_, number(0x1p+64)), size_), b_.getInt64Ty());
  Value* exponent = b_.CreateSub(b_.CreateLShr(bits, 52), b_.CreateSelect(subnormal, i64(1023 + 64), i64(1023)));
  Value* m = b_.CreateOr(b_.CreateAnd(bits, 0xfffffffffffff), 0x10000000000000);
  Value* value = multiply(b_, multiply(b_, b_.CreateShl(b_.CreateZExt(m, wide()), fraction_bits - 52), factor), slope);
  return emit_end(b_, value, b_.CreateSub(i64(fraction_bits), exponent), negative_, side_);
}

}  // namespace reckon::codegen::fixed_point
