#include "codegen/semantics/fixed_point.h"

#include "numerics/wide_float.h"

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

mpz_class fixed_ln2() {
  const auto ln2 = numerics::wide_real(mpq_class(1), numerics::RealConstant::ln2, 400, numerics::Toward::below);
  const auto scaled = numerics::WideFloat::rounded(400, numerics::Toward::below, [&](mpfr_ptr to, mpfr_rnd_t way) {
    mpfr_mul_2ui(to, ln2.get(), fraction_bits, way);
  });
  mpz_class out;
  mpfr_get_z(out.get_mpz_t(), scaled.get(), MPFR_RNDN);
  return out;
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
