#include "codegen/semantics/directed.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/semantics/interval_exp.h"
#include "codegen/semantics/interval_log.h"
#include "codegen/semantics/shared_function.h"
#include "numerics/outward.h"

namespace reckon::codegen {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

Value* Directed::machine(Intrinsic::ID id, llvm::ArrayRef<Value*> operands) {
  return b_.CreateIntrinsic(b_.getDoubleTy(), id, operands);
}

Value* Directed::add(Side side, Value* x, Value* y) { return number(side, add_f64(side, x, y)); }
Value* Directed::mul(Side side, Value* x, Value* y) { return number(side, mul_f64(side, x, y)); }
Value* Directed::div(Side side, Value* x, Value* y) { return number(side, div_f64(side, x, y)); }
Value* Directed::sqrt(Side side, Value* x) { return number(side, sqrt_f64(side, x)); }
Value* Directed::fma(Side side, Value* x, Value* y, Value* z) { return number(side, fma_f64(side, x, y, z)); }
Value* Directed::integer(Side side, Value* x) { return number(side, integer_f64(side, x)); }
Value* Directed::exp(Side side, Value* x) { return number(side, emit_directed_exp(b_, side, x, target_)); }

Value* Directed::exp2(Side side, Value* x) { return number(side, emit_directed_exp2(b_, side, x, target_)); }

Value* Directed::log(Side side, bool base_two, Value* x) {
  return number(side, emit_directed_log(b_, side, base_two, x, target_));
}

Value* Directed::number(Side side, Value* x) {
  if (ends_ != Ends::f32) return x;
  const bool below = side == Side::below;
  llvm::Type *narrow = b_.getFloatTy(), *word = b_.getInt32Ty();
  if (target_ == Target::ptx) {
    Value* rounded = b_.CreateIntrinsic(narrow, below ? Intrinsic::nvvm_d2f_rm : Intrinsic::nvvm_d2f_rp, {x});
    return b_.CreateFPExt(rounded, b_.getDoubleTy());
  }
  // The nearest, or its neighbour: as in numerics/outward.h.
  Value* near = b_.CreateFPTrunc(x, narrow);
  Value* wide = b_.CreateFPExt(near, b_.getDoubleTy());
  Value* bits = b_.CreateBitCast(near, word);
  Value* outward = b_.CreateOr(b_.CreateAShr(bits, 31), b_.getInt32(1));
  Value* step = b_.CreateSelect(below ? b_.CreateFCmpOGT(wide, x) : b_.CreateFCmpOLT(wide, x), outward, b_.getInt32(0));
  Value* moved = below ? b_.CreateSub(bits, step) : b_.CreateAdd(bits, step);
  return b_.CreateFPExt(b_.CreateBitCast(moved, narrow), b_.getDoubleTy());
}

Value* Directed::add_f64(Side side, Value* x, Value* y) {
  const bool below = side == Side::below;
  if (target_ == Target::ptx) return machine(below ? Intrinsic::nvvm_add_rm_d : Intrinsic::nvvm_add_rp_d, {x, y});
  NumberBuilder numbers{b_};
  numerics::Outward<NumberBuilder> outward{numbers};
  return below ? outward.add_below(x, y) : outward.add_above(x, y);
}

Value* Directed::mul_f64(Side side, Value* x, Value* y) {
  const bool below = side == Side::below;
  NumberBuilder numbers{b_};
  if (target_ == Target::ptx) {
    Value* product = machine(below ? Intrinsic::nvvm_mul_rm_d : Intrinsic::nvvm_mul_rp_d, {x, y});
    return numbers.select(numbers.is_nan(product), numbers.f64_const(0), product);
  }
  numerics::Outward<NumberBuilder> outward{numbers};
  return below ? outward.mul_below(x, y) : outward.mul_above(x, y);
}

Value* Directed::div_f64(Side side, Value* x, Value* y) {
  const bool below = side == Side::below;
  if (target_ == Target::ptx) return machine(below ? Intrinsic::nvvm_div_rm_d : Intrinsic::nvvm_div_rp_d, {x, y});
  NumberBuilder numbers{b_};
  numerics::Outward<NumberBuilder> outward{numbers};
  return below ? outward.div_below(x, y) : outward.div_above(x, y);
}

Value* Directed::sqrt_f64(Side side, Value* x) {
  const bool below = side == Side::below;
  if (target_ == Target::ptx) return machine(below ? Intrinsic::nvvm_sqrt_rm_d : Intrinsic::nvvm_sqrt_rp_d, {x});
  NumberBuilder numbers{b_};
  numerics::Outward<NumberBuilder> outward{numbers};
  return below ? outward.sqrt_below(x) : outward.sqrt_above(x);
}

Value* Directed::fma_f64(Side side, Value* x, Value* y, Value* z) {
  if (target_ == Target::host) return host_fma(side, x, y, z);
  NumberBuilder numbers{b_};
  Value* result = machine(side == Side::below ? Intrinsic::nvvm_fma_rm_d : Intrinsic::nvvm_fma_rp_d, {x, y, z});
  return numbers.select(numbers.is_nan(result), z, result);
}

/// The ordinary case in line; the total one stands in the module once.
Value* Directed::host_fma(Side side, Value* x, Value* y, Value* z) {
  const bool below = side == Side::below;
  llvm::Function* total =
      shared_function(b_, below ? "reckon_fma_below_total" : "reckon_fma_above_total", 3,
                      [&](Builder& inner, llvm::Function& function) {
                        function.addFnAttr(llvm::Attribute::NoInline);
                        NumberBuilder numbers{inner};
                        numerics::Outward<NumberBuilder> outward{numbers};
                        Value *a = function.getArg(0), *b = function.getArg(1), *c = function.getArg(2);
                        inner.CreateRet(below ? outward.fma_below(a, b, c) : outward.fma_above(a, b, c));
                      });
  llvm::Function* either =
      shared_function(b_, below ? "reckon_fma_below" : "reckon_fma_above", 3, [&](Builder& inner, llvm::Function& function) {
        function.addFnAttr(llvm::Attribute::AlwaysInline);
        NumberBuilder numbers{inner};
        numerics::Outward<NumberBuilder> outward{numbers};
        Value *a = function.getArg(0), *b = function.getArg(1), *c = function.getArg(2);
        auto* ordinary = llvm::BasicBlock::Create(inner.getContext(), "ordinary", &function);
        auto* rare = llvm::BasicBlock::Create(inner.getContext(), "rare", &function);
        inner.CreateCondBr(outward.is_ordinary(a, b, c), ordinary, rare);
        inner.SetInsertPoint(ordinary);
        inner.CreateRet(below ? outward.ordinary_fma_below(a, b, c) : outward.ordinary_fma_above(a, b, c));
        inner.SetInsertPoint(rare);
        inner.CreateRet(inner.CreateCall(total, {a, b, c}));
      });
  return b_.CreateCall(either, {x, y, z});
}

Value* Directed::integer_f64(Side side, Value* x) {
  const bool below = side == Side::below;
  if (target_ == Target::ptx) return machine(below ? Intrinsic::nvvm_ll2d_rm : Intrinsic::nvvm_ll2d_rp, {x});
  NumberBuilder numbers{b_};
  numerics::Outward<NumberBuilder> outward{numbers};
  Value* high = b_.CreateSIToFP(b_.CreateTrunc(b_.CreateAShr(x, 32), b_.getInt32Ty()), b_.getDoubleTy());
  Value* low = b_.CreateUIToFP(b_.CreateTrunc(x, b_.getInt32Ty()), b_.getDoubleTy());
  return below ? outward.integer_below(high, low) : outward.integer_above(high, low);
}

}  // namespace reckon::codegen
