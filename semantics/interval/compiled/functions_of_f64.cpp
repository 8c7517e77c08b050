// Functions in fixed point of 224 bits (fixed_point.h), except for small operands, whose results lie beside them.
//
// expm1, sinh, cosh, tanh: with x = k ln2 + r, |r| < 0.36, E = e^r and J = 2^-2k / E the result is 2^k E - 1, 2^k (E -
// J) / 2, 2^k (E + J) / 2 or (E - J) / (E + J). E and 1/E = e^-r are within 2^-212, and E - J is at least 2^-26, E -
// 2^-k 2^-55: all have a relative error of at most 2^-150.
#include "semantics/interval/compiled/functions_of_f64.h"

#include "codegen/scalars/shared_function.h"
#include "semantics/interval/compiled/exp.h"
#include "semantics/interval/compiled/fixed_emitter.h"
#include "semantics/interval/compiled/log.h"
#include "semantics/interval/compiled/trig_of_f64.h"

namespace reckon::codegen {

using ir::Op;
using llvm::Value;
using namespace fixed_point;

namespace {

class Exponentials : public FixedEmitter {
 public:
  using FixedEmitter::FixedEmitter;

  Value* exponential(Op op) {
    // Beyond 750 the result overflows or is -1; the result for small operands is computed below, without this value.
    Value* tiny = less(size_, op == Op::expm1 ? 0x1p-54 : 0x1p-27);
    Value* y = b_.CreateSelect(tiny, number(1), b_.CreateSelect(less(size_, 750), size_, number(750)));
    Value* fixed = magnitude(b_, y);
    if (op == Op::expm1) {
      y = b_.CreateSelect(negative_, b_.CreateFNeg(y), y);
      fixed = b_.CreateSelect(negative_, b_.CreateNeg(fixed), fixed);
    }
    Value* turns =
        b_.CreateIntrinsic(llvm::Intrinsic::fma, {b_.getDoubleTy()}, {y, number(0x1.71547652b82fep+0), number(0.5)});
    Value* k = b_.CreateFPToSI(b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, turns), b_.getInt64Ty());
    Value* r = b_.CreateSub(fixed, b_.CreateMul(b_.CreateSExt(k, wide()), constant(b_.getContext(), fixed_ln2())));
    Value* power = emit_exp(b_, r, target_);
    return op == Op::expm1 ? expm1(tiny, k, power)
                           : hyperbolic(op, tiny, k, power, emit_exp(b_, b_.CreateNeg(r), target_));
  }

 private:
  Value* expm1(Value* tiny, Value* k, Value* power) {
    Value* one = constant_of(wide(), fraction_bits);
    Value* up = b_.CreateICmpSGE(k, i64(0));
    Value* places = b_.CreateSelect(up, b_.CreateSub(i64(fraction_bits), k), i64(fraction_bits));
    Value* difference =
        b_.CreateSub(b_.CreateSelect(up, power, shifted_right(power, b_.CreateNeg(k))), shifted_right(one, k));
    Value* size = b_.CreateSelect(negative_, b_.CreateNeg(difference), difference);
    Value* result = emit_end(b_, size, places, negative_, side_);
    // The result lies between -1 and its neighbour.
    result = b_.CreateSelect(less(x_, -38), endpoints(-1, -1 + 0x1p-53), result);
    Value* upward =
        b_.CreateXor(negative_,
                     llvm::ConstantInt::getTrue(b_.getContext()));  // result beyond x: away from zero, or toward it
    return b_.CreateSelect(
        tiny, b_.CreateSelect(upward, emit_beside(b_, x_, true, side_), emit_beside(b_, x_, false, side_)), result);
  }

  Value* hyperbolic(Op op, Value* tiny, Value* k, Value* power, Value* opposite) {
    Value* other = shifted_right(opposite, b_.CreateShl(k, 1));
    Value *difference = b_.CreateSub(power, other), *sum = b_.CreateAdd(power, other);
    Value* places = b_.CreateSub(i64(fraction_bits + 1), k);
    Value* no = llvm::ConstantInt::getFalse(b_.getContext());
    if (op == Op::cosh) {
      Value* beside_one = b_.CreateSelect(b_.CreateFCmpOEQ(x_, number(0)), number(1), endpoints(1, 1 + 0x1p-52));
      return b_.CreateSelect(tiny, beside_one, emit_end(b_, sum, places, no, side_));
    }
    if (op == Op::sinh) {
      return b_.CreateSelect(tiny, emit_beside(b_, x_, true, side_),
                             emit_end(b_, difference, places, negative_, side_));
    }
    Value* quotient =
        b_.CreateUDiv(b_.CreateShl(b_.CreateZExt(difference, twice()), fraction_bits), b_.CreateZExt(sum, twice()));
    Value* result = emit_end(b_, b_.CreateTrunc(quotient, wide()), i64(fraction_bits), negative_, side_);
    // From 20 on the result lies between 1 and its neighbour.
    Value* limit = b_.CreateSelect(negative_, endpoints(-1, -1 + 0x1p-53), endpoints(1 - 0x1p-53, 1));
    result = b_.CreateSelect(less(size_, 20), result, limit);
    return b_.CreateSelect(tiny, emit_beside(b_, x_, false, side_), result);
  }
};

void emit_exponential_body(Builder& b, Op op, Side side, Value* x, Target target) {
  b.CreateRet(Exponentials(b, side, x, target).exponential(op));
}

auto body_of(Op op) -> void (*)(Builder&, Op, Side, Value*, Target) {
  switch (op) {
    case Op::expm1:
    case Op::sinh:
    case Op::cosh:
    case Op::tanh: return emit_exponential_body;
    case Op::log1p:
    case Op::asinh:
    case Op::acosh:
    case Op::atanh: return emit_logarithm_body;
    case Op::asin:
    case Op::acos:
    case Op::atan: return emit_angle_body;
    case Op::erf: return emit_erf_body;
    case Op::rsqrt:
    case Op::cbrt: return emit_root_body;
    default: return nullptr;
  }
}

}  // namespace

Value* emit_function_of_f64(Builder& b, Op op, Side side, Value* x, Target target) {
  switch (op) {
    case Op::exp: return emit_directed_exp(b, side, Base::e, x, target);
    case Op::exp2: return emit_directed_exp(b, side, Base::two, x, target);
    case Op::exp10: return emit_directed_exp(b, side, Base::ten, x, target);
    case Op::log: return emit_directed_log(b, side, Base::e, x, target);
    case Op::log2: return emit_directed_log(b, side, Base::two, x, target);
    case Op::log10: return emit_directed_log(b, side, Base::ten, x, target);
    case Op::sin:
    case Op::cos:
    case Op::tan:
    case Op::sinpi:
    case Op::cospi:
    case Op::tanpi: return emit_trig_of_f64(b, op, side, x, target);
    default: break;
  }
  const auto body = body_of(op);
  assert(body != nullptr);
  const std::string name =
      "reckon_" + std::string(ir::traits(op).spelling) + (side == Side::below ? "_below" : "_above");
  llvm::Function* function = shared_function(b, name, 1, [&](Builder& inner, llvm::Function& made) {
    made.addFnAttr(llvm::Attribute::NoInline);
    body(inner, op, side, made.getArg(0), target);
  });
  return b.CreateCall(function, {x});
}

}  // namespace reckon::codegen
