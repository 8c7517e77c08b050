// In fixed point, with 224 bits behind the point. Let x = 2^e m, 1 <= m < 2. A table gives c, where c / 256 is near the
// reciprocal of m. Then m c / 256 = 1 + r exactly, |r| < 2^-6.9, and
//   log(x) = e ln2 - log(c / 256) + log(1 + r), the last by 34 log_terms of its series.
// Each of the three is within 2^-213, so all of it is within 2^-210. A logarithm that is not 0 is at least 2^-53.01, and
// none comes nearer than 2^-118 to a double, relative to it (Lefevre and Muller, "Worst cases for correct rounding of the
// elementary functions in double precision", ARITH 2001), but for log(1) and log2 of powers of 2, which are exact. So
// truncation rounds toward 0, and adding one last place rounds away from it. log10 is log times 1 / ln 10; that no
// log10(x) comes nearer than 2^-118 to a double is expected of 2^64 arguments, not proven, but for the powers of 10. Their
// logarithms are the only ones within 2^-64 of an integer: the f64 nearest to 10^k, k outside of 0..22, differs from it by
// 2^-62.5 of it or more.
#include "semantics/interval/compiled/log.h"

#include <limits>

#include "semantics/interval/compiled/fixed_point.h"

namespace reckon::codegen {

using llvm::Value;
using namespace fixed_point;

namespace {

constexpr unsigned log_terms = 35, pieces = 128;

/// The integer c for m from 1 + j / 128 to 1 + (j + 1) / 128. The first is 256, so that log(1) is exactly 0.
unsigned reciprocal(unsigned j) {
  const unsigned middle = 2 * (pieces + j) + 1;  // the middle of the range of m, in units of 1 / 256
  return j == 0 ? 256 : (2 * 65536 + middle) / (2 * middle);
}

struct Tables {
  llvm::GlobalVariable *reciprocals, *logarithms, *series;
};

Tables tables(llvm::Module& module, Target target) {
  llvm::LLVMContext& context = module.getContext();
  llvm::SmallVector<llvm::Constant*, pieces> reciprocals, logarithms;
  for (unsigned j = 0; j < pieces; ++j) {
    reciprocals.push_back(llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), reciprocal(j)));
    const auto log = numerics::wide_function(numerics::Function::log, 400, numerics::Toward::below, reciprocal(j) / 256.0);
    logarithms.push_back(constant(context, -fixed(log)));
  }
  llvm::SmallVector<llvm::Constant*, log_terms> series{constant(context, 0)};
  for (int n = 1; n < static_cast<int>(log_terms); ++n) {
    const mpz_class coefficient = (mpz_class(1) << fraction_bits) / n;
    series.push_back(constant(context, n % 2 == 1 ? coefficient : mpz_class(-coefficient)));
  }
  return {table(module, target, "reckon_log_reciprocals", reciprocals), table(module, target, "reckon_log_of_reciprocals", logarithms),
          table(module, target, "reckon_log_terms", series)};
}

}  // namespace

FixedLog emit_fixed_log(Builder& b, Value* value, Value* places, Target target) {
  llvm::Type *word = b.getInt64Ty(), *wide = b.getIntNTy(width);
  Value* zeros = b.CreateTrunc(b.CreateIntrinsic(llvm::Intrinsic::ctlz, {wide}, {value, b.getFalse()}), word);
  Value* leading = b.CreateSub(b.getInt64(width - 1), zeros);
  // The leading bit is moved to the place of 1.
  Value* up = b.CreateSub(b.getInt64(fraction_bits), leading);
  const auto by = [&](Value* distance) {
    return b.CreateZExt(b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, distance, b.getInt64(0)), wide);
  };
  Value* m = b.CreateLShr(b.CreateShl(value, by(up)), by(b.CreateNeg(up)));
  Value* j = b.CreateAnd(b.CreateTrunc(b.CreateLShr(m, fraction_bits - 7), word), pieces - 1);

  const Tables from = tables(*b.GetInsertBlock()->getModule(), target);
  Value* c = b.CreateLoad(word, b.CreateInBoundsGEP(word, from.reciprocals, j));
  Value* one = constant(b.getContext(), mpz_class(1) << fraction_bits);
  Value* r = b.CreateSub(b.CreateLShr(b.CreateMul(m, b.CreateZExt(c, wide)), 8), one);
  Value* of_c = b.CreateLoad(wide, b.CreateInBoundsGEP(wide, from.logarithms, j));
  return {b.CreateSub(leading, places), b.CreateAdd(emit_series(b, r, from.series, log_terms), of_c)};
}

namespace {

llvm::Function* directed_function(llvm::Module& module, Side side, Base base, Target target) {
  const bool below = side == Side::below;
  const char* names[][2] = {{"reckon_log_below", "reckon_log_above"},
                            {"reckon_log2_below", "reckon_log2_above"},
                            {"reckon_log10_below", "reckon_log10_above"}};
  const char* name = names[static_cast<int>(base)][below ? 0 : 1];
  if (llvm::Function* made = module.getFunction(name)) return made;
  llvm::Function* function = new_function(module, name);
  llvm::LLVMContext& context = module.getContext();
  Builder b(llvm::BasicBlock::Create(context, "entry", function));
  llvm::Type *word = b.getInt64Ty(), *wide = b.getIntNTy(width);
  const auto i64 = [&](std::int64_t value) { return b.getInt64(static_cast<std::uint64_t>(value)); };
  const auto number = [&](double value) { return llvm::ConstantFP::get(b.getDoubleTy(), value); };
  Value* x = function->getArg(0);
  Value* tiny = b.CreateFCmpOLT(x, number(0x1p-1022));
  Value* bits = b.CreateBitCast(b.CreateSelect(tiny, b.CreateFMul(x, number(0x1p+64)), x), word);
  Value* e = b.CreateSub(b.CreateAnd(b.CreateLShr(bits, 52), i64(0x7ff)), b.CreateSelect(tiny, i64(1023 + 64), i64(1023)));
  Value* fraction = b.CreateAnd(bits, i64(0xfffffffffffff));
  Value* significand = b.CreateOr(fraction, i64(0x10000000000000));
  Value* value = b.CreateShl(b.CreateZExt(significand, wide), fraction_bits - 52);
  Value* of_m = emit_fixed_log(b, value, b.CreateSub(i64(fraction_bits), e), target).rest;
  Value* exponent = b.CreateSExt(e, wide);
  Value* sum = nullptr;
  if (base == Base::two) {
    const auto log2e = numerics::wide_real(mpq_class(1), numerics::RealConstant::log2e, 400, numerics::Toward::below);
    sum = b.CreateAdd(b.CreateShl(exponent, fraction_bits), multiply(b, of_m, constant(context, fixed(log2e))));
  } else {
    sum = b.CreateAdd(b.CreateMul(exponent, constant(context, fixed_ln2())), of_m);
    if (base == Base::ten) {
      const auto ln10 = numerics::wide_function(numerics::Function::log, 400, numerics::Toward::below, 10.0);
      const auto log10e = numerics::WideFloat::rounded(400, numerics::Toward::below, [&](mpfr_ptr to, mpfr_rnd_t way) {
        mpfr_ui_div(to, 1, ln10.get(), way);
      });
      sum = multiply(b, sum, constant(context, fixed(log10e)));
    }
  }

  Value* zero = llvm::ConstantInt::get(wide, 0);
  Value* negative = b.CreateICmpSLT(sum, zero);
  Value* size = b.CreateSelect(negative, b.CreateNeg(sum), sum);
  Value* leading = b.CreateSub(i64(width - 1), b.CreateTrunc(b.CreateIntrinsic(llvm::Intrinsic::ctlz, {wide}, {size, b.getFalse()}), word));
  Value* shift = b.CreateAnd(b.CreateSub(leading, i64(52)), i64(width - 1));
  Value* cut = b.CreateTrunc(b.CreateLShr(size, b.CreateZExt(shift, wide)), word);
  Value* power_of_two = b.CreateICmpEQ(fraction, i64(0));
  Value* exact = base == Base::two ? power_of_two : b.CreateAnd(power_of_two, b.CreateICmpEQ(e, i64(0)));
  Value* away = b.CreateAnd(b.CreateNot(exact), below ? negative : b.CreateNot(negative));
  // The hidden bit adds one to the exponent, and so does a carry.
  Value* field = b.CreateShl(b.CreateAdd(b.CreateSub(leading, i64(fraction_bits)), i64(1022)), 52);
  Value* magnitude = b.CreateAdd(b.CreateAdd(field, cut), b.CreateZExt(away, word));
  Value* sign = b.CreateShl(b.CreateZExt(negative, word), 63);
  Value* result = b.CreateBitCast(b.CreateOr(magnitude, sign), b.getDoubleTy());
  const double infinity = std::numeric_limits<double>::infinity();
  result = b.CreateSelect(b.CreateICmpEQ(sum, zero), number(0), result);
  if (base == Base::ten) {
    const auto power = [&](unsigned bit) {
      return llvm::ConstantInt::get(context, llvm::APInt::getOneBitSet(width, bit));
    };
    Value* whole = b.CreateAShr(b.CreateAdd(sum, power(fraction_bits - 1)), fraction_bits);
    Value* off = b.CreateSub(sum, b.CreateShl(whole, fraction_bits));
    Value* integer = b.CreateICmpULT(b.CreateAdd(off, power(fraction_bits - 100)), power(fraction_bits - 99));
    result = b.CreateSelect(integer, b.CreateSIToFP(b.CreateTrunc(whole, word), b.getDoubleTy()), result);
  }
  result = b.CreateSelect(b.CreateFCmpOEQ(x, number(infinity)), number(infinity), result);
  b.CreateRet(b.CreateSelect(b.CreateFCmpOEQ(x, number(0)), number(-infinity), result));
  return function;
}

}  // namespace

Value* emit_directed_log(Builder& b, Side side, Base base, Value* x, Target target) {
  return b.CreateCall(directed_function(*b.GetInsertBlock()->getModule(), side, base, target), {x});
}

}  // namespace reckon::codegen
