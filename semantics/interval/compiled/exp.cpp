// Two evaluations. The fast one is the interpreter's (semantics/interval/exp.h), operation by operation: it computes
// exp(x) = (near + error) 2^e within 2^-68, which decides all but one argument in about 2^15, for |x| <= 700. All other
// arguments are evaluated in fixed point, with 224 bits behind the point:
//   exp(x) = 2^k exp(r), r = x - k ln2, |r| < 0.35, exp(r) by 41 terms of its series.
// x is a multiple of 2^-106 if |x| >= 2^-54, hence exact; k ln2 is within 2^-213 and each of the 40 steps of the sum within
// 2^-223, so all of it is within 2^-212. No exp(x) comes nearer than 2^-160 to a double, relative to it, for
// |x| >= 2^-54 (Lefevre and Muller, "Worst cases for correct rounding of the elementary functions in double precision", ARITH 2001), so that
// truncation rounds down, and adding one last place rounds up. For smaller |x|, exp(x) lies beside 1 on the side of x.
// exp2 is always evaluated in fixed point, with r = (x - k) ln2; at integers it is exact. So is exp10, with r = x ln10 -
// k ln2; at integers from 0 to 22 it is exact, where the sum may lie below it by its error. That no other 10^x,
// |x| >= 2^-56, comes nearer than 2^-160 to a double is expected of 2^64 arguments, not proven.
#include "semantics/interval/compiled/exp.h"

#include <limits>

#include "semantics/interval/compiled/fixed_point.h"

namespace reckon::codegen {

using llvm::Value;
using namespace fixed_point;

namespace {

double nearest(const numerics::WideFloat& x) { return mpfr_get_d(x.get(), MPFR_RNDN); }

double rest(const numerics::WideFloat& value, double high) {
  return nearest(numerics::WideFloat::rounded(200, numerics::Toward::below, [&](mpfr_ptr out, mpfr_rnd_t way) {
    mpfr_sub_d(out, value.get(), high, way);
  }));
}

/// The high and low parts of 2^(j / 256) = high + low, alternating.
llvm::GlobalVariable* powers(llvm::Module& module, Target target) {
  llvm::SmallVector<llvm::Constant*, 512> values;
  llvm::Type* type = llvm::Type::getDoubleTy(module.getContext());
  for (int j = 0; j < 256; ++j) {
    const auto power = numerics::wide_function(numerics::Function::exp2, 200, numerics::Toward::below, j / 256.0);
    const double high = nearest(power);
    values.push_back(llvm::ConstantFP::get(type, high));
    values.push_back(llvm::ConstantFP::get(type, rest(power, high)));
  }
  return table(module, target, "reckon_powers", values);
}

llvm::Function* exact_function(llvm::Module& module, Side side, Base base, Target target) {
  const bool below = side == Side::below;
  const char* names[][2] = {{"reckon_exp_below_exactly", "reckon_exp_above_exactly"},
                            {"reckon_exp2_below", "reckon_exp2_above"},
                            {"reckon_exp10_below", "reckon_exp10_above"}};
  const char* name = names[static_cast<int>(base)][below ? 0 : 1];
  if (llvm::Function* made = module.getFunction(name)) return made;
  llvm::Function* function = new_function(module, name);
  llvm::LLVMContext& context = module.getContext();
  Builder b(llvm::BasicBlock::Create(context, "entry", function));
  llvm::Type *word = b.getInt64Ty(), *wide = b.getIntNTy(width);
  const auto i64 = [&](std::int64_t value) { return b.getInt64(static_cast<std::uint64_t>(value)); };
  const auto number = [&](double value) { return llvm::ConstantFP::get(b.getDoubleTy(), value); };
  const auto clamped = [&](Value* value, std::int64_t low, std::int64_t high) {
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                   b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, i64(low)), i64(high));
  };
  Value* x = function->getArg(0);
  Value* size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  const double least = base == Base::ten ? 0x1p-56 : 0x1p-54;
  Value* ordinary = b.CreateAnd(b.CreateFCmpOGE(size, number(least)), b.CreateFCmpOLE(size, number(1200)));
  Value* y = b.CreateSelect(ordinary, x, number(1));

  // y in fixed point: its significand, shifted by its exponent.
  Value* bits = b.CreateBitCast(y, word);
  Value* exponent = b.CreateSub(b.CreateAnd(b.CreateLShr(bits, 52), i64(0x7ff)), i64(1023));
  Value* significand = b.CreateOr(b.CreateAnd(bits, i64(0xfffffffffffff)), i64(0x10000000000000));
  Value* magnitude = b.CreateShl(b.CreateZExt(significand, wide),
                                 b.CreateZExt(b.CreateAdd(exponent, i64(fraction_bits - 52)), wide));
  Value* exact_y = b.CreateSelect(b.CreateICmpSLT(bits, i64(0)), b.CreateNeg(magnitude), magnitude);
  constexpr double octaves[] = {0x1.71547652b82fep+0, 1, 0x1.a934f0979a371p+1};  // log2 of the base
  Value* turns = b.CreateIntrinsic(llvm::Intrinsic::fma, {b.getDoubleTy()},
                                   {y, number(octaves[static_cast<int>(base)]), number(0.5)});
  Value* k = b.CreateFPToSI(b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, turns), word);
  llvm::Constant* ln2 = constant(context, fixed_ln2());
  Value* whole_turns = b.CreateSExt(k, wide);
  Value* r = nullptr;
  if (base == Base::two) {
    r = multiply(b, b.CreateSub(exact_y, b.CreateShl(whole_turns, fraction_bits)), ln2);
  } else {
    Value* natural = exact_y;
    if (base == Base::ten) {
      const auto ln10 = numerics::wide_function(numerics::Function::log, 400, numerics::Toward::below, 10.0);
      natural = multiply(b, exact_y, constant(context, fixed(ln10)));
    }
    r = b.CreateSub(natural, b.CreateMul(whole_turns, ln2));
  }
  Value* next = emit_exp(b, r, target);
  Value* exact = b.getFalse();
  if (base != Base::e) {
    Value* whole = b.CreateFCmpOEQ(b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, y), y);
    Value* from = b.CreateFCmpOGE(y, number(base == Base::two ? -1074 : 0));
    exact = b.CreateAnd(whole, b.CreateAnd(from, b.CreateFCmpOLE(y, number(base == Base::two ? 1200 : 22))));
  }
  if (base == Base::ten) {
    Value* up = llvm::ConstantInt::get(context, llvm::APInt::getOneBitSet(width, fraction_bits - 100));
    next = b.CreateSelect(exact, b.CreateAdd(next, up), next);
  }

  // The value is between 0.7 and 1.42, so its leading bit is that of 1 or the next lower one.
  Value* small = b.CreateICmpSLT(next, llvm::ConstantInt::get(context, llvm::APInt(width, 1).shl(fraction_bits)));
  Value* scale = b.CreateSub(k, b.CreateZExt(small, word));
  Value* subnormal = clamped(b.CreateSub(i64(-1022), scale), 0, 60);
  Value* shift = b.CreateAdd(b.CreateSub(i64(fraction_bits - 52), b.CreateZExt(small, word)), subnormal);
  Value* cut = b.CreateTrunc(b.CreateLShr(next, b.CreateZExt(shift, wide)), word);
  // The significand's hidden bit adds one to the exponent, and so does a carry.
  Value* field = b.CreateShl(clamped(b.CreateAdd(scale, i64(1022)), 0, 2045), 52);
  Value* step = b.CreateSelect(exact, i64(0), i64(below ? 0 : 1));
  Value* rounded = b.CreateBitCast(b.CreateAdd(b.CreateAdd(field, cut), step), b.getDoubleTy());
  const double infinity = std::numeric_limits<double>::infinity();
  const double beyond = below ? std::numeric_limits<double>::max() : infinity;
  Value* result = b.CreateSelect(b.CreateICmpSGE(scale, i64(1024)), number(beyond), rounded);

  Value* positive = b.CreateFCmpOGT(x, number(0));
  Value* beside_one = b.CreateSelect(positive, number(below ? 1 : 1 + 0x1p-52), number(below ? 1 - 0x1p-53 : 1));
  Value* far = b.CreateSelect(positive, number(beyond), number(below ? 0 : std::numeric_limits<double>::denorm_min()));
  result = b.CreateSelect(ordinary, result, b.CreateSelect(b.CreateFCmpOLT(size, number(1)), beside_one, far));
  result = b.CreateSelect(b.CreateFCmpOEQ(x, number(0)), number(1), result);
  result = b.CreateSelect(b.CreateFCmpOEQ(x, number(infinity)), number(infinity), result);
  b.CreateRet(b.CreateSelect(b.CreateFCmpOEQ(x, number(-infinity)), number(0), result));
  return function;
}

llvm::Function* directed_function(llvm::Module& module, Side side, Target target) {
  const bool below = side == Side::below;
  const char* name = below ? "reckon_exp_below" : "reckon_exp_above";
  if (llvm::Function* made = module.getFunction(name)) return made;
  llvm::Function* exactly = exact_function(module, side, Base::e, target);
  llvm::Function* function = new_function(module, name);
  function->removeFnAttr(llvm::Attribute::NoInline);
  auto* certain = llvm::BasicBlock::Create(module.getContext(), "certain", function);
  auto* rare = llvm::BasicBlock::Create(module.getContext(), "rare", function);
  Builder b(llvm::BasicBlock::Create(module.getContext(), "entry", function, certain));
  NumberBuilder f{b};
  const auto c = [&](double value) { return f.f64_const(value); };
  llvm::GlobalVariable* table = powers(module, target);
  const auto at = [&](Value* index, std::uint64_t part) {
    Value* place = b.CreateAdd(b.CreateShl(index, 1), b.getInt64(part));
    return b.CreateLoad(b.getDoubleTy(), b.CreateInBoundsGEP(b.getDoubleTy(), table, place));
  };
  const auto ln2 = numerics::wide_real(mpq_class(1, 256), numerics::RealConstant::ln2, 200, numerics::Toward::below);
  const double ln2_high = nearest(numerics::WideFloat::rounded(
      34, numerics::Toward::below, [&](mpfr_ptr to, mpfr_rnd_t way) { mpfr_set(to, ln2.get(), way); }));
  const double ln2_low = rest(ln2, ln2_high);

  Value* x = function->getArg(0);
  Value* magic = c(0x1.8p+52);
  Value* shifted = f.add(f.mul(x, c(0x1.71547652b82fep+8)), magic);
  Value* k = f.sub(shifted, magic);
  Value* bits = f.bits(shifted);
  Value* j = f.iand(bits, b.getInt64(255));
  Value* first = f.fma(f.neg(k), c(ln2_high), x);
  Value* second = f.mul(k, c(ln2_low));
  Value* r = f.sub(first, second);
  Value* part = f.sub(r, first);
  Value* r_low = f.sub(f.sub(first, f.sub(r, part)), f.add(second, part));
  Value* series = f.fma(r, c(1.0 / 720), c(1.0 / 120));
  for (double each : {1.0 / 24, 1.0 / 6, 0.5}) series = f.fma(r, series, c(each));
  Value* p = f.mul(f.mul(r, r), series);
  Value* s = f.add(r, p);
  Value* s_low = f.add(f.add(f.sub(r, s), p), f.fma(r_low, r, r_low));
  Value *t = at(j, 0), *t_low = at(j, 1);
  Value* product = f.mul(t, s);
  Value* product_error = f.fma(t, s, f.neg(product));
  Value* sum = f.add(t, product);
  Value* sum_error = f.add(f.sub(t, sum), product);
  Value* low = f.add(sum_error, f.add(product_error, f.fma(t, s_low, f.fma(t_low, s, t_low))));
  Value* near = f.add(sum, low);
  Value* error = f.add(f.sub(sum, near), low);
  Value* far_enough = b.CreateFCmpOGT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, error), c(0x1p-68));
  Value* in_range = b.CreateFCmpOLE(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x), c(700));
  b.CreateCondBr(b.CreateAnd(far_enough, in_range), certain, rare);

  b.SetInsertPoint(certain);
  Value* moves = below ? f.f_less(error, c(0)) : f.f_less(c(0), error);
  Value* step = b.CreateZExt(moves, b.getInt64Ty());
  Value* pattern = below ? f.isub(f.bits(near), step) : f.iadd(f.bits(near), step);
  Value* exponent = f.shl(f.iand(bits, b.getInt64(~std::uint64_t{255})), 44);
  b.CreateRet(f.from_bits(f.iadd(pattern, exponent)));

  b.SetInsertPoint(rare);
  b.CreateRet(b.CreateCall(exactly, {x}));
  return function;
}

}  // namespace

Value* emit_directed_exp(Builder& b, Side side, Base base, Value* x, Target target) {
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  return b.CreateCall(base == Base::e ? directed_function(module, side, target)
                                      : exact_function(module, side, base, target),
                      {x});
}

}  // namespace reckon::codegen
