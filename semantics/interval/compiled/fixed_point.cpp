#include "semantics/interval/compiled/fixed_point.h"

namespace reckon::codegen::fixed_point {

using llvm::Value;

llvm::GlobalVariable* table(llvm::Module& module, Target target, const char* name, llvm::ArrayRef<llvm::Constant*> values) {
  if (llvm::GlobalVariable* made = module.getGlobalVariable(name, true)) return made;
  auto* type = llvm::ArrayType::get(values[0]->getType(), values.size());
  return new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::InternalLinkage,
                                  llvm::ConstantArray::get(type, values), name, nullptr, llvm::GlobalValue::NotThreadLocal,
                                  target == Target::ptx ? 1 : 0);
}

llvm::Constant* constant(llvm::LLVMContext& context, const mpz_class& value) {
  const llvm::APInt magnitude(width, mpz_class(abs(value)).get_str(16), 16);
  return llvm::ConstantInt::get(context, value < 0 ? -magnitude : magnitude);
}

mpz_class fixed(const numerics::WideFloat& value) {
  const auto scaled = numerics::WideFloat::rounded(400, numerics::Toward::below, [&](mpfr_ptr to, mpfr_rnd_t way) {
    mpfr_mul_2ui(to, value.get(), fraction_bits, way);
  });
  mpz_class out;
  mpfr_get_z(out.get_mpz_t(), scaled.get(), MPFR_RNDN);
  return out;
}

mpz_class fixed_ln2() {
  return fixed(numerics::wide_real(mpq_class(1), numerics::RealConstant::ln2, 400, numerics::Toward::below));
}

llvm::Function* new_function(llvm::Module& module, const char* name) {
  llvm::Type* type = llvm::Type::getDoubleTy(module.getContext());
  auto* function = llvm::Function::Create(llvm::FunctionType::get(type, {type}, false), llvm::Function::InternalLinkage,
                                          name, module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr(llvm::Attribute::NoInline);
  return function;
}

Value* multiply(Builder& b, Value* x, Value* y) {
  llvm::Type* twice = b.getIntNTy(2 * width);
  Value* product = b.CreateMul(b.CreateSExt(x, twice), b.CreateSExt(y, twice));
  return b.CreateTrunc(b.CreateAShr(product, fraction_bits), b.getIntNTy(width));
}

Value* magnitude(Builder& b, Value* x) {
  llvm::Type *word = b.getInt64Ty(), *wide = b.getIntNTy(width);
  Value* bits = b.CreateBitCast(x, word);
  Value* exponent = b.CreateSub(b.CreateAnd(b.CreateLShr(bits, 52), 0x7ff), b.getInt64(1023));
  Value* significand = b.CreateOr(b.CreateAnd(bits, 0xfffffffffffff), 0x10000000000000);
  Value* places = b.CreateAnd(b.CreateAdd(exponent, b.getInt64(fraction_bits - 52)), width - 1);
  return b.CreateShl(b.CreateZExt(significand, wide), b.CreateZExt(places, wide));
}

Value* emit_exp(Builder& b, Value* r, Target target) {
  constexpr unsigned terms = 41;
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  llvm::SmallVector<llvm::Constant*, terms> values;  // 2^224 / n!
  mpz_class factorial = 1;
  for (unsigned n = 0; n < terms; ++n) {
    if (n > 0) factorial *= n;
    values.push_back(constant(b.getContext(), (mpz_class(1) << fraction_bits) / factorial));
  }
  return emit_series(b, r, table(module, target, "reckon_exp_terms", values), terms);
}

Value* emit_end(Builder& b, Value* value, Value* places, Value* negative, Side side) {
  llvm::Type *word = b.getInt64Ty(), *wide = b.getIntNTy(width);
  Value* away = side == Side::below ? negative : b.CreateNot(negative);
  Value* margin = b.CreateAdd(b.CreateLShr(value, 134), llvm::ConstantInt::get(wide, 1));
  Value* moved = b.CreateSelect(away, b.CreateAdd(value, margin), b.CreateSub(value, margin));
  Value* zeros = b.CreateTrunc(b.CreateIntrinsic(llvm::Intrinsic::ctlz, {wide}, {moved, b.getFalse()}), word);
  Value* leading = b.CreateSub(b.getInt64(width - 1), zeros);
  const auto at_least_0 = [&](Value* x) { return b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, b.getInt64(0)); };
  Value* exponent = b.CreateSub(leading, places);
  Value* lacks =
      at_least_0(b.CreateSub(b.getInt64(static_cast<std::uint64_t>(-1022)), exponent));  // where it is subnormal
  Value* shift = b.CreateAdd(b.CreateSub(leading, b.getInt64(52)), lacks);
  shift = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, at_least_0(shift), b.getInt64(width - 1));
  Value* cut = b.CreateTrunc(b.CreateLShr(moved, b.CreateZExt(shift, wide)), word);
  // The hidden bit counts one up in the exponent, and so does a carry.
  Value* field = b.CreateShl(at_least_0(b.CreateAdd(exponent, b.getInt64(1022))), 52);
  Value* size = b.CreateAdd(b.CreateAdd(field, cut), b.CreateZExt(away, word));
  Value* beyond = b.CreateSelect(away, b.getInt64(0x7ff0000000000000), b.getInt64(0x7fefffffffffffff));
  size = b.CreateSelect(b.CreateICmpSGE(exponent, b.getInt64(1024)), beyond, size);
  return b.CreateBitCast(b.CreateOr(size, b.CreateShl(b.CreateZExt(negative, word), 63)), b.getDoubleTy());
}

Value* emit_beside(Builder& b, Value* x, bool away, Side side) {
  Value* bits = b.CreateBitCast(x, b.getInt64Ty());
  Value* negative = b.CreateICmpSLT(bits, b.getInt64(0));
  Value* outward = side == Side::below ? negative : b.CreateNot(negative);
  Value* moves = b.CreateZExt(away ? outward : b.CreateNot(outward), b.getInt64Ty());
  Value* moved = away ? b.CreateAdd(bits, moves) : b.CreateSub(bits, moves);
  Value* is_zero = b.CreateFCmpOEQ(x, llvm::ConstantFP::get(b.getDoubleTy(), 0.0));
  return b.CreateSelect(is_zero, x, b.CreateBitCast(moved, b.getDoubleTy()));
}

Value* emit_series(Builder& b, Value* x, llvm::GlobalVariable* coefficients, unsigned terms) {
  llvm::BasicBlock* before = b.GetInsertBlock();
  auto* sum = llvm::BasicBlock::Create(b.getContext(), "sum", before->getParent());
  auto* done = llvm::BasicBlock::Create(b.getContext(), "done", before->getParent());
  llvm::Type *wide = b.getIntNTy(width), *word = b.getInt64Ty();
  const auto coefficient = [&](Value* n) { return b.CreateLoad(wide, b.CreateInBoundsGEP(wide, coefficients, n)); };
  Value* last = coefficient(b.getInt64(terms - 1));
  b.CreateBr(sum);
  b.SetInsertPoint(sum);
  auto* n = b.CreatePHI(word, 2);
  auto* total = b.CreatePHI(wide, 2);
  Value* next = b.CreateAdd(coefficient(n), multiply(b, x, total));
  Value* fewer = b.CreateSub(n, b.getInt64(1));
  n->addIncoming(b.getInt64(terms - 2), before);
  n->addIncoming(fewer, sum);
  total->addIncoming(last, before);
  total->addIncoming(next, sum);
  b.CreateCondBr(b.CreateICmpSGE(fewer, b.getInt64(0)), sum, done);
  b.SetInsertPoint(done);
  return next;
}

}  // namespace reckon::codegen::fixed_point
