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

}  // namespace reckon::codegen::fixed_point
