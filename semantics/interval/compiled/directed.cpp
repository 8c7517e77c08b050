#include "semantics/interval/compiled/directed.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/scalars/shared_function.h"
#include "numerics/outward.h"

namespace reckon::codegen {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

namespace {

/// By Directed::Operation: for f32, below and above; for f64, below and above.
constexpr Intrinsic::ID machine[][4] = {
    {Intrinsic::nvvm_add_rm_f, Intrinsic::nvvm_add_rp_f, Intrinsic::nvvm_add_rm_d, Intrinsic::nvvm_add_rp_d},
    {Intrinsic::nvvm_mul_rm_f, Intrinsic::nvvm_mul_rp_f, Intrinsic::nvvm_mul_rm_d, Intrinsic::nvvm_mul_rp_d},
    {Intrinsic::nvvm_div_rm_f, Intrinsic::nvvm_div_rp_f, Intrinsic::nvvm_div_rm_d, Intrinsic::nvvm_div_rp_d},
    {Intrinsic::nvvm_sqrt_rm_f, Intrinsic::nvvm_sqrt_rp_f, Intrinsic::nvvm_sqrt_rm_d, Intrinsic::nvvm_sqrt_rp_d},
    {Intrinsic::nvvm_fma_rm_f, Intrinsic::nvvm_fma_rp_f, Intrinsic::nvvm_fma_rm_d, Intrinsic::nvvm_fma_rp_d}};

}  // namespace

Value* Directed::apply(Operation operation, Side side, llvm::ArrayRef<Value*> operands) const {
  llvm::Type* type = operands[0]->getType();
  const bool f32 = type->isFloatTy();
  if (target_ == Target::ptx) {
    const std::size_t which = (f32 ? 0 : 2) + (side == Side::below ? 0 : 1);
    Value* result = b_.CreateIntrinsic(type, machine[static_cast<std::size_t>(operation)][which], operands);
    return f32 ? result : number(side, result);
  }
  llvm::SmallVector<Value*, 3> wide;
  for (Value* operand : operands) wide.push_back(f32 ? b_.CreateFPExt(operand, b_.getDoubleTy()) : operand);
  Value* result = on_host(operation, side, wide);
  return f32 ? narrow(side, result) : number(side, result);
}

Value* Directed::on_host(Operation operation, Side side, llvm::ArrayRef<Value*> x) const {
  const bool below = side == Side::below;
  NumberBuilder numbers{b_};
  numerics::Outward<NumberBuilder> outward{numbers};
  switch (operation) {
    case Operation::add: return below ? outward.add_below(x[0], x[1]) : outward.add_above(x[0], x[1]);
    case Operation::mul: return below ? outward.mul_below(x[0], x[1]) : outward.mul_above(x[0], x[1]);
    case Operation::div: return below ? outward.div_below(x[0], x[1]) : outward.div_above(x[0], x[1]);
    case Operation::sqrt: return below ? outward.sqrt_below(x[0]) : outward.sqrt_above(x[0]);
    case Operation::fma: break;
  }
  return host_fma(side, x[0], x[1], x[2]);
}

Value* Directed::add(Side side, Value* x, Value* y) const { return apply(Operation::add, side, {x, y}); }
Value* Directed::mul(Side side, Value* x, Value* y) const { return apply(Operation::mul, side, {x, y}); }
Value* Directed::div(Side side, Value* x, Value* y) const { return apply(Operation::div, side, {x, y}); }
Value* Directed::sqrt(Side side, Value* x) const { return apply(Operation::sqrt, side, {x}); }
Value* Directed::fma(Side side, Value* x, Value* y, Value* z) const { return apply(Operation::fma, side, {x, y, z}); }

Value* Directed::integer(Side side, Value* x) const { return number(side, integer_f64(side, x)); }
Value* Directed::number(Side side, Value* x) const {
  return endpoints_ == Endpoints::f32 ? b_.CreateFPExt(narrow(side, x), b_.getDoubleTy()) : x;
}

Value* Directed::narrow(Side side, Value* x) const {
  const bool below = side == Side::below;
  llvm::Type *f32 = b_.getFloatTy(), *word = b_.getInt32Ty();
  if (target_ == Target::ptx) {
    return b_.CreateIntrinsic(f32, below ? Intrinsic::nvvm_d2f_rm : Intrinsic::nvvm_d2f_rp, {x});
  }
  // Rounds to nearest, and moves to the neighbour if necessary, as numerics/outward.h does.
  Value* near = b_.CreateFPTrunc(x, f32);
  Value* wide = b_.CreateFPExt(near, b_.getDoubleTy());
  Value* bits = b_.CreateBitCast(near, word);
  Value* outward = b_.CreateOr(b_.CreateAShr(bits, 31), b_.getInt32(1));
  Value* step = b_.CreateSelect(below ? b_.CreateFCmpOGT(wide, x) : b_.CreateFCmpOLT(wide, x), outward, b_.getInt32(0));
  Value* moved = below ? b_.CreateSub(bits, step) : b_.CreateAdd(bits, step);
  return b_.CreateBitCast(moved, f32);
}

/// The ordinary case is inline; the total function exists once in the module.
Value* Directed::host_fma(Side side, Value* x, Value* y, Value* z) const {
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
  llvm::Function* either = shared_function(
      b_, below ? "reckon_fma_below" : "reckon_fma_above", 3, [&](Builder& inner, llvm::Function& function) {
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

Value* Directed::integer_f64(Side side, Value* x) const {
  const bool below = side == Side::below;
  if (target_ == Target::ptx) {
    return b_.CreateIntrinsic(b_.getDoubleTy(), below ? Intrinsic::nvvm_ll2d_rm : Intrinsic::nvvm_ll2d_rp, {x});
  }
  NumberBuilder numbers{b_};
  numerics::Outward<NumberBuilder> outward{numbers};
  Value* high = b_.CreateSIToFP(b_.CreateTrunc(b_.CreateAShr(x, 32), b_.getInt32Ty()), b_.getDoubleTy());
  Value* low = b_.CreateUIToFP(b_.CreateTrunc(x, b_.getInt32Ty()), b_.getDoubleTy());
  return below ? outward.integer_below(high, low) : outward.integer_above(high, low);
}

}  // namespace reckon::codegen
