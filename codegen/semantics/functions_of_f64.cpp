// In fixed point of 224 bits (fixed_point.h), but for small operands, whose results are beside them.
//
// expm1, sinh, cosh, tanh: with x = k ln2 + r, |r| < 0.36, E = e^r and J = 2^-2k / E the result is 2^k E - 1, 2^k (E - J) / 2,
// 2^k (E + J) / 2 or (E - J) / (E + J). E and 1/E = e^-r are within 2^-212, and E - J is at least 2^-26, E - 2^-k 2^-55: all are
// within 2^-150 of themselves.
// atan: of t = |x| or 1 / |x|, whichever is at most 1: with c = j / 64 next to t it is atan(c), from a table, and atan(u),
// u = (t - c) / (1 + t c), at most 2^-7, by 17 terms of its series. Within 2^-220, and at least 2^-28.
#include "codegen/semantics/functions_of_f64.h"

#include "codegen/semantics/fixed_point.h"
#include "codegen/semantics/shared_function.h"
#include "numerics/wide_float.h"

namespace reckon::codegen {

using ir::Op;
using llvm::Value;
using namespace fixed_point;

namespace {

class Emitter {
 public:
  Emitter(Builder& b, Side side, Value* x, Target target)
      : b_(b), side_(side), x_(x), target_(target), negative_(b.CreateICmpSLT(b.CreateBitCast(x, b.getInt64Ty()), b.getInt64(0))) {}

  Value* exponential(Op op) {
    size_ = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x_);
    // Beyond 750 all is overflow, or -1; what is small is not looked at.
    Value* tiny = less(size_, op == Op::expm1 ? 0x1p-54 : 0x1p-27);
    Value* y = b_.CreateSelect(tiny, number(1), b_.CreateSelect(less(size_, 750), size_, number(750)));
    Value* fixed = magnitude(b_, y);
    if (op == Op::expm1) {
      y = b_.CreateSelect(negative_, b_.CreateFNeg(y), y);
      fixed = b_.CreateSelect(negative_, b_.CreateNeg(fixed), fixed);
    }
    Value* turns = b_.CreateIntrinsic(llvm::Intrinsic::fma, {b_.getDoubleTy()}, {y, number(0x1.71547652b82fep+0), number(0.5)});
    Value* k = b_.CreateFPToSI(b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, turns), b_.getInt64Ty());
    Value* r = b_.CreateSub(fixed, b_.CreateMul(b_.CreateSExt(k, wide()), constant(b_.getContext(), fixed_ln2())));
    Value* power = emit_exp(b_, r, target_);
    return op == Op::expm1 ? expm1(tiny, k, power) : hyperbolic(op, tiny, k, power, emit_exp(b_, b_.CreateNeg(r), target_));
  }

  Value* atan() {
    size_ = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x_);
    Value* tiny = less(size_, 0x1p-27);
    Value* large = b_.CreateFCmpOGT(size_, number(1));
    Value* itself = magnitude(b_, b_.CreateSelect(b_.CreateOr(tiny, large), number(1), size_));
    // 1 / |x| = 2^(52 - e) / M.
    Value* bits = b_.CreateBitCast(size_, b_.getInt64Ty());
    Value* exponent = clamped(b_.CreateSub(b_.CreateLShr(bits, 52), i64(1023)), 0, width - 1);
    Value* significand = b_.CreateOr(b_.CreateAnd(bits, 0xfffffffffffff), 0x10000000000000);
    Value* one_over = b_.CreateUDiv(constant_of(twice(), fraction_bits + 52), b_.CreateZExt(significand, twice()));
    Value* inverse = b_.CreateLShr(b_.CreateTrunc(one_over, wide()), b_.CreateZExt(exponent, wide()));
    Value* t = b_.CreateSelect(large, inverse, itself);

    Value* j = b_.CreateLShr(b_.CreateAdd(t, constant_of(wide(), fraction_bits - 7)), fraction_bits - 6);
    Value* c = b_.CreateShl(j, fraction_bits - 6);
    Value* above = b_.CreateShl(b_.CreateSExt(b_.CreateSub(t, c), twice()), fraction_bits);
    Value* below = b_.CreateAdd(constant_of(wide(), fraction_bits), multiply(b_, t, c));
    Value* u = b_.CreateTrunc(b_.CreateSDiv(above, b_.CreateSExt(below, twice())), wide());
    llvm::GlobalVariable* angles = angle_table();
    Value* of_c = b_.CreateLoad(wide(), b_.CreateInBoundsGEP(wide(), angles, b_.CreateTrunc(j, b_.getInt64Ty())));
    Value* angle = b_.CreateAdd(of_c, multiply(b_, u, emit_series(b_, multiply(b_, u, u), series(), atan_terms)));
    angle = b_.CreateSelect(large, b_.CreateSub(constant(b_.getContext(), scaled(half_pi())), angle), angle);
    return b_.CreateSelect(tiny, emit_beside(b_, x_, false, side_), emit_end(b_, angle, i64(fraction_bits), negative_, side_));
  }

 private:
  static constexpr unsigned atan_terms = 17, pieces = 64;

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
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, i64(low)), i64(high));
  }
  Value* shifted_right(Value* value, Value* places) {
    return b_.CreateLShr(value, b_.CreateZExt(clamped(places, 0, width - 1), wide()));
  }
  Value* ends(double below, double above) { return number(side_ == Side::below ? below : above); }

  Value* expm1(Value* tiny, Value* k, Value* power) {
    Value* one = constant_of(wide(), fraction_bits);
    Value* up = b_.CreateICmpSGE(k, i64(0));
    Value* places = b_.CreateSelect(up, b_.CreateSub(i64(fraction_bits), k), i64(fraction_bits));
    Value* difference = b_.CreateSub(b_.CreateSelect(up, power, shifted_right(power, b_.CreateNeg(k))), shifted_right(one, k));
    Value* size = b_.CreateSelect(negative_, b_.CreateNeg(difference), difference);
    Value* result = emit_end(b_, size, places, negative_, side_);
    // Between -1 and its neighbour.
    result = b_.CreateSelect(less(x_, -38), ends(-1, -1 + 0x1p-53), result);
    Value* upward = b_.CreateXor(negative_, llvm::ConstantInt::getTrue(b_.getContext()));  // from x on: away from zero, or toward it
    return b_.CreateSelect(tiny, b_.CreateSelect(upward, emit_beside(b_, x_, true, side_), emit_beside(b_, x_, false, side_)), result);
  }

  Value* hyperbolic(Op op, Value* tiny, Value* k, Value* power, Value* opposite) {
    Value* other = shifted_right(opposite, b_.CreateShl(k, 1));
    Value *difference = b_.CreateSub(power, other), *sum = b_.CreateAdd(power, other);
    Value* places = b_.CreateSub(i64(fraction_bits + 1), k);
    Value* no = llvm::ConstantInt::getFalse(b_.getContext());
    if (op == Op::cosh) {
      Value* beside_one = b_.CreateSelect(b_.CreateFCmpOEQ(x_, number(0)), number(1), ends(1, 1 + 0x1p-52));
      return b_.CreateSelect(tiny, beside_one, emit_end(b_, sum, places, no, side_));
    }
    if (op == Op::sinh) {
      return b_.CreateSelect(tiny, emit_beside(b_, x_, true, side_), emit_end(b_, difference, places, negative_, side_));
    }
    Value* quotient = b_.CreateUDiv(b_.CreateShl(b_.CreateZExt(difference, twice()), fraction_bits), b_.CreateZExt(sum, twice()));
    Value* result = emit_end(b_, b_.CreateTrunc(quotient, wide()), i64(fraction_bits), negative_, side_);
    // From 20 on between 1 and its neighbour.
    Value* limit = b_.CreateSelect(negative_, ends(-1, -1 + 0x1p-53), ends(1 - 0x1p-53, 1));
    result = b_.CreateSelect(less(size_, 20), result, limit);
    return b_.CreateSelect(tiny, emit_beside(b_, x_, false, side_), result);
  }

  static numerics::WideFloat half_pi() {
    return numerics::wide_real(mpq_class(1, 2), numerics::RealConstant::pi, 400, numerics::Toward::below);
  }
  static mpz_class scaled(const numerics::WideFloat& x) {
    mpz_class out;
    const auto shifted = numerics::WideFloat::rounded(400, numerics::Toward::below, [&](mpfr_ptr to, mpfr_rnd_t way) {
      mpfr_mul_2ui(to, x.get(), fraction_bits, way);
    });
    mpfr_get_z(out.get_mpz_t(), shifted.get(), MPFR_RNDN);
    return out;
  }
  llvm::GlobalVariable* angle_table() {
    llvm::SmallVector<llvm::Constant*, pieces + 1> values;
    for (unsigned j = 0; j <= pieces; ++j) {
      values.push_back(constant(b_.getContext(), scaled(numerics::wide_function(numerics::Function::atan, 400, numerics::Toward::below,
                                                                                static_cast<double>(j) / pieces))));
    }
    return table(*b_.GetInsertBlock()->getModule(), target_, "reckon_angles", values);
  }
  llvm::GlobalVariable* series() {
    llvm::SmallVector<llvm::Constant*, atan_terms> values;
    for (int n = 0; n < static_cast<int>(atan_terms); ++n) {
      const mpz_class size = (mpz_class(1) << fraction_bits) / (2 * n + 1);
      values.push_back(constant(b_.getContext(), n % 2 == 0 ? size : mpz_class(-size)));
    }
    return table(*b_.GetInsertBlock()->getModule(), target_, "reckon_atan_terms", values);
  }

  Builder& b_;
  Side side_;
  Value* x_;
  Target target_;
  Value *negative_, *size_ = nullptr;
};

}  // namespace

Value* emit_function_of_f64(Builder& b, Op op, Side side, Value* x, Target target) {
  constexpr Op all[] = {Op::expm1, Op::sinh, Op::cosh, Op::tanh, Op::atan, Op::rsqrt, Op::cbrt};
  if (std::find(std::begin(all), std::end(all), op) == std::end(all)) return nullptr;
  const std::string name = "reckon_" + std::string(ir::traits(op).spelling) + (side == Side::below ? "_below" : "_above");
  llvm::Function* function = shared_function(b, name, 1, [&](Builder& inner, llvm::Function& made) {
    made.addFnAttr(llvm::Attribute::NoInline);
    if (op == Op::rsqrt) emit_rsqrt_body(inner, side, made.getArg(0));
    else if (op == Op::cbrt) emit_cbrt_body(inner, side, made.getArg(0));
    else {
      Emitter emitter(inner, side, made.getArg(0), target);
      inner.CreateRet(op == Op::atan ? emitter.atan() : emitter.exponential(op));
    }
  });
  return b.CreateCall(function, {x});
}

}  // namespace reckon::codegen
