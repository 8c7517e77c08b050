#include "codegen/scalars/remainder.h"

#include <llvm/IR/Module.h>

#include <string>

namespace reckon::codegen {
namespace {

using llvm::BasicBlock;

/// Long division of the significands, a bit at a time, as C libraries without a divider do it.
llvm::Function* make_remainder(llvm::Module& module, llvm::Type* type, const std::string& name) {
  llvm::LLVMContext& context = module.getContext();
  const bool is_double = type->isDoubleTy();
  const unsigned width = is_double ? 64 : 32;
  const unsigned mantissa = is_double ? 52 : 23;
  auto* function = llvm::Function::Create(llvm::FunctionType::get(type, {type, type}, false),
                                          llvm::Function::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  llvm::Value* x = function->getArg(0);
  llvm::Value* y = function->getArg(1);
  auto block = [&](const char* label) { return BasicBlock::Create(context, label, function); };
  BasicBlock *entry = block("entry"), *invalid = block("invalid"), *finite = block("finite"),
             *smaller = block("smaller"), *start = block("start"), *step = block("step"), *last = block("last"),
             *zero = block("zero"), *pack = block("pack");

  Builder b(entry);
  llvm::Type* word = b.getIntNTy(width);
  auto constant = [&](std::uint64_t value) { return llvm::ConstantInt::get(word, value); };
  const std::uint64_t sign_mask = std::uint64_t{1} << (width - 1);
  const std::uint64_t infinity = (((std::uint64_t{1} << (width - 1 - mantissa)) - 1) << mantissa);
  const std::uint64_t hidden = std::uint64_t{1} << mantissa;
  llvm::Value* x_bits = b.CreateBitCast(x, word);
  llvm::Value* sign = b.CreateAnd(x_bits, constant(sign_mask));
  llvm::Value* x_magnitude = b.CreateAnd(x_bits, constant(~sign_mask & (width == 64 ? ~0ull : 0xffffffffull)));
  llvm::Value* y_magnitude =
      b.CreateAnd(b.CreateBitCast(y, word), constant(~sign_mask & (width == 64 ? ~0ull : 0xffffffffull)));
  llvm::Value* bad = b.CreateOr(b.CreateICmpUGE(x_magnitude, constant(infinity)),
                          b.CreateOr(b.CreateICmpUGT(y_magnitude, constant(infinity)),
                                     b.CreateICmpEQ(y_magnitude, constant(0))));
  b.CreateCondBr(bad, invalid, finite);

  b.SetInsertPoint(invalid);
  b.CreateRet(llvm::ConstantFP::getNaN(type));

  b.SetInsertPoint(finite);
  b.CreateCondBr(b.CreateICmpULT(x_magnitude, y_magnitude), smaller, start);
  b.SetInsertPoint(smaller);
  b.CreateRet(x);

  // Significands with the hidden bit in place, also of subnormals, whose exponents then go below 1.
  b.SetInsertPoint(start);
  auto leading_shift = [&](llvm::Value* value) {
    llvm::Value* zeros = b.CreateIntrinsic(llvm::Intrinsic::ctlz, {word}, {value, b.getFalse()});
    return b.CreateSub(zeros, constant(width - 1 - mantissa));
  };
  auto unpack = [&](llvm::Value* magnitude, llvm::Value*& exponent, llvm::Value*& significand) {
    llvm::Value* stored = b.CreateLShr(magnitude, mantissa);
    llvm::Value* is_subnormal = b.CreateICmpEQ(stored, constant(0));
    llvm::Value* shift = b.CreateSelect(is_subnormal, leading_shift(magnitude), constant(0));
    exponent = b.CreateSelect(is_subnormal, b.CreateSub(constant(1), shift), stored);
    llvm::Value* normal = b.CreateOr(b.CreateAnd(magnitude, constant(hidden - 1)), constant(hidden));
    significand = b.CreateSelect(is_subnormal, b.CreateShl(magnitude, shift), normal);
  };
  llvm::Value *x_exponent, *x_significand, *y_exponent, *y_significand;
  unpack(x_magnitude, x_exponent, x_significand);
  // An infinite divisor cannot come here: a finite dividend is smaller.
  unpack(y_magnitude, y_exponent, y_significand);
  b.CreateCondBr(b.CreateICmpSGT(x_exponent, y_exponent), step, last);

  b.SetInsertPoint(step);
  auto* exponent = b.CreatePHI(word, 2);
  auto* significand = b.CreatePHI(word, 2);
  auto reduce = [&](llvm::Value* value) {
    return b.CreateSelect(b.CreateICmpUGE(value, y_significand), b.CreateSub(value, y_significand), value);
  };
  llvm::Value* next_significand = b.CreateShl(reduce(significand), 1);
  llvm::Value* next_exponent = b.CreateSub(exponent, constant(1));
  exponent->addIncoming(x_exponent, start);
  exponent->addIncoming(next_exponent, step);
  significand->addIncoming(x_significand, start);
  significand->addIncoming(next_significand, step);
  b.CreateCondBr(b.CreateICmpSGT(next_exponent, y_exponent), step, last);

  b.SetInsertPoint(last);
  auto* remaining = b.CreatePHI(word, 2);
  remaining->addIncoming(x_significand, start);
  remaining->addIncoming(next_significand, step);
  llvm::Value* rest = reduce(remaining);
  b.CreateCondBr(b.CreateICmpEQ(rest, constant(0)), zero, pack);
  b.SetInsertPoint(zero);
  b.CreateRet(b.CreateBitCast(sign, type));

  b.SetInsertPoint(pack);
  llvm::Value* shift = leading_shift(rest);
  llvm::Value* normalised = b.CreateShl(rest, shift);
  llvm::Value* result_exponent = b.CreateSub(y_exponent, shift);
  llvm::Value* is_normal = b.CreateICmpSGT(result_exponent, constant(0));
  llvm::Value* normal = b.CreateOr(b.CreateAnd(normalised, constant(hidden - 1)), b.CreateShl(result_exponent, mantissa));
  llvm::Value* distance = b.CreateSelect(is_normal, constant(0), b.CreateSub(constant(1), result_exponent));
  llvm::Value* magnitude = b.CreateSelect(is_normal, normal, b.CreateLShr(normalised, distance));
  b.CreateRet(b.CreateBitCast(b.CreateOr(magnitude, sign), type));
  return function;
}

}  // namespace

llvm::Value* emit_remainder(Builder& b, llvm::Value* dividend, llvm::Value* divisor) {
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  const std::string name = dividend->getType()->isDoubleTy() ? "reckon_remainder_f64" : "reckon_remainder_f32";
  llvm::Function* function = module.getFunction(name);
  if (!function) function = make_remainder(module, dividend->getType(), name);
  return b.CreateCall(function, {dividend, divisor});
}

}  // namespace reckon::codegen
