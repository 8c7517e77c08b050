// The builders over which numerics/ writes its algorithms (numerics/builder.h, numerics/fpsan.h), with LLVM values:
// the interpreter instantiates the same sources with machine words, so the bits agree by construction.
#pragma once

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

#include <cstdint>

#include "codegen/scalars/scalar_code.h"
#include "numerics/builder.h"

namespace reckon::codegen {

/// Values are numbers, or with `lanes` above 1 vectors of so many.
struct NumberBuilder {
  using F64 = llvm::Value*;
  using I64 = llvm::Value*;
  using Bool = llvm::Value*;

  Builder& b;
  unsigned lanes = 1;

  llvm::Type* vector_of(llvm::Type* type) const { return lanes == 1 ? type : llvm::FixedVectorType::get(type, lanes); }
  llvm::Type* f64_type() const { return vector_of(b.getDoubleTy()); }
  llvm::Type* i64_type() const { return vector_of(b.getInt64Ty()); }

  F64 f64_const(double value) { return llvm::ConstantFP::get(f64_type(), value); }
  F64 add(F64 x, F64 y) { return b.CreateFAdd(x, y); }
  F64 sub(F64 x, F64 y) { return b.CreateFSub(x, y); }
  F64 mul(F64 x, F64 y) { return b.CreateFMul(x, y); }
  F64 fma(F64 x, F64 y, F64 z) { return b.CreateIntrinsic(llvm::Intrinsic::fma, {f64_type()}, {x, y, z}); }
  F64 div(F64 x, F64 y) { return b.CreateFDiv(x, y); }
  F64 sqrt(F64 x) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x); }
  F64 neg(F64 x) { return b.CreateFNeg(x); }
  Bool f_less(F64 x, F64 y) { return b.CreateFCmpOLT(x, y); }
  Bool is_nan(F64 x) { return b.CreateFCmpUNO(x, x); }
  I64 bits(F64 x) { return b.CreateBitCast(x, i64_type()); }
  F64 from_bits(I64 x) { return b.CreateBitCast(x, f64_type()); }
  I64 i64_const(std::uint64_t value) { return llvm::ConstantInt::get(i64_type(), value); }
  I64 iadd(I64 x, I64 y) { return b.CreateAdd(x, y); }
  I64 isub(I64 x, I64 y) { return b.CreateSub(x, y); }
  I64 iand(I64 x, I64 y) { return b.CreateAnd(x, y); }
  I64 ior(I64 x, I64 y) { return b.CreateOr(x, y); }
  I64 ixor(I64 x, I64 y) { return b.CreateXor(x, y); }
  I64 shl(I64 x, int distance) { return b.CreateShl(x, static_cast<std::uint64_t>(distance)); }
  I64 lshr(I64 x, int distance) { return b.CreateLShr(x, static_cast<std::uint64_t>(distance)); }
  I64 ashr(I64 x, int distance) { return b.CreateAShr(x, static_cast<std::uint64_t>(distance)); }
  Bool i_equal(I64 x, I64 y) { return b.CreateICmpEQ(x, y); }
  Bool i_less_unsigned(I64 x, I64 y) { return b.CreateICmpULT(x, y); }
  Bool i_less_signed(I64 x, I64 y) { return b.CreateICmpSLT(x, y); }
  llvm::Value* select(Bool condition, llvm::Value* x, llvm::Value* y) { return b.CreateSelect(condition, x, y); }
  Bool both(Bool x, Bool y) { return b.CreateAnd(x, y); }
};
static_assert(numerics::ArithmeticBuilder<NumberBuilder>);

struct WordBuilder {
  template <int width>
  using Word = llvm::Value*;
  using Bool = llvm::Value*;
  using V = llvm::Value*;

  Builder& b;

  template <int width>
  V constant(std::uint64_t value) {
    return llvm::ConstantInt::get(b.getContext(), llvm::APInt(64, value).trunc(width));
  }
  V add(V x, V y) { return b.CreateAdd(x, y); }
  V sub(V x, V y) { return b.CreateSub(x, y); }
  V mul(V x, V y) { return b.CreateMul(x, y); }
  V bit_and(V x, V y) { return b.CreateAnd(x, y); }
  V bit_or(V x, V y) { return b.CreateOr(x, y); }
  V bit_xor(V x, V y) { return b.CreateXor(x, y); }
  V shl(V x, int distance) { return b.CreateShl(x, static_cast<std::uint64_t>(distance)); }
  V lshr(V x, int distance) { return b.CreateLShr(x, static_cast<std::uint64_t>(distance)); }
  V ashr(V x, int distance) { return b.CreateAShr(x, static_cast<std::uint64_t>(distance)); }
  Bool equal(V x, V y) { return b.CreateICmpEQ(x, y); }
  Bool less_signed(V x, V y) { return b.CreateICmpSLT(x, y); }
  V select(Bool condition, V x, V y) { return b.CreateSelect(condition, x, y); }
  V remainder_signed(V x, V y) { return b.CreateSRem(x, y); }
  template <int from, int to>
  V sign_extend(V x) {
    return b.CreateSExt(x, b.getIntNTy(to));
  }
  template <int from, int to>
  V truncate(V x) {
    return b.CreateTrunc(x, b.getIntNTy(to));
  }
};

}  // namespace reckon::codegen
