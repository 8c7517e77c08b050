#include "codegen/emit/emit.h"

#include "codegen/emit/emitter.h"

namespace reckon::codegen {

using kernel::Kind;
using kernel::Op;

std::optional<Diagnostic> emit(const kernel::Program& program, const ir::Module& circuit, const Plan& plan,
                               const ScalarCode& code, Target target, llvm::Module& output, Lines* lines) {
  return Emitter(program, circuit, plan, code, target, output, lines).run();
}

Emitter::Emitter(const kernel::Program& program, const ir::Module& circuit, const Plan& plan, const ScalarCode& code,
                 Target target, llvm::Module& output, Lines* lines)
    : program_(program),
      circuit_(circuit),
      plan_(plan),
      code_(code),
      target_(target),
      output_(output),
      lines_(lines),
      context_(output.getContext()),
      b_(output.getContext()),
      values_(program.types.size(), nullptr) {}

std::optional<Diagnostic> Emitter::run() {
  for (std::size_t k = 0; k < program_.functions.size(); ++k) declare(k);
  for (std::size_t k = 0; k < program_.functions.size() && !error_; ++k) fill(k);
  return error_;
}

unsigned Emitter::address_space(kernel::Space space) const {
  if (target_ == Target::host || space == kernel::Space::local) return 0;
  return space == kernel::Space::global ? 1 : 3;
}

llvm::Type* Emitter::type(kernel::Type type) const {
  switch (type.kind) {
    case Kind::number:
      return type.scalar == ir::Scalar::number ? llvm::Type::getDoubleTy(context_) : code_.register_type(type.scalar);
    case Kind::flag: return llvm::Type::getInt1Ty(context_);
    case Kind::memory: return llvm::PointerType::get(context_, address_space(type.space));
    default: return llvm::Type::getInt64Ty(context_);
  }
}

llvm::Constant* Emitter::constant(const kernel::Constant& constant) {
  using Which = kernel::Constant::Kind;
  switch (constant.kind) {
    case Which::integer: return llvm::ConstantInt::get(type(constant.type), constant.value);
    case Which::bits: return code_.constant(constant.type.scalar, constant.value);
    case Which::literal: return code_.literal(program_.literals[constant.value], constant.type.scalar);
    case Which::neutral: return code_.neutral_summand(constant.type.scalar);
    case Which::zero: break;
  }
  return llvm::Constant::getNullValue(type(constant.type));
}

llvm::Value* Emitter::value(kernel::Value value) {
  llvm::Value*& known = values_[value.id];
  if (known == nullptr) {
    if (const kernel::Constant* fixed = program_.as_constant(value)) known = constant(*fixed);
  }
  return known;
}

Emitter::Places Emitter::operands_of(const kernel::Operation& operation) {
  Places out;
  for (const kernel::Value operand : operation.operands) out.push_back(value(operand));
  return out;
}

void Emitter::emit(const kernel::Region& region) {
  for (const std::uint32_t number : region.operations) {
    if (error_) return;
    emit(program_.operations[number]);
  }
}

void Emitter::emit(const kernel::Operation& operation) {
  if (lines_) b_.SetCurrentDebugLocation(lines_->at(operation.origin));
  if (kernel::is_integer(operation.op)) {
    define(operation, integer(operation));
    return;
  }
  switch (operation.op) {
    case Op::select: {
      const Places x = operands_of(operation);
      define(operation, b_.CreateSelect(x[0], x[1], x[2]));
      return;
    }
    case Op::leaf:
    case Op::node:
    case Op::root: define(operation, value(operation.operands[0])); return;
    default: break;
  }
  static_cast<void>(emit_number(operation) || emit_memory(operation) || emit_together(operation) ||
                    emit_control(operation));
}

llvm::Value* Emitter::integer(const kernel::Operation& operation) {
  const Places operands = operands_of(operation);
  llvm::Value* x = operands[0];
  llvm::Value* y = operands.size() > 1 ? operands[1] : nullptr;
  const bool is_signed = operation.fits != kernel::Fits::unknown;
  const bool is_unsigned = operation.fits == kernel::Fits::always;
  llvm::Type* word = b_.getInt64Ty();
  switch (operation.op) {
    case Op::add: return b_.CreateAdd(x, y, "", is_unsigned, is_signed);
    case Op::sub: return b_.CreateSub(x, y, "", is_unsigned, is_signed);
    case Op::mul: return b_.CreateMul(x, y, "", is_unsigned, is_signed);
    case Op::shl: return b_.CreateShl(x, y, "", is_unsigned, is_signed);
    case Op::mul_high: {
      llvm::Type* wide = b_.getIntNTy(128);
      llvm::Value* product = b_.CreateMul(b_.CreateZExt(x, wide), b_.CreateZExt(y, wide));
      return b_.CreateTrunc(b_.CreateLShr(product, 64), word);
    }
    case Op::udiv: return b_.CreateUDiv(x, y);
    case Op::urem: return b_.CreateURem(x, y);
    case Op::sdiv: return b_.CreateSDiv(x, y);
    case Op::srem: return b_.CreateSRem(x, y);
    case Op::bit_and: return b_.CreateAnd(x, y);
    case Op::bit_or: return b_.CreateOr(x, y);
    case Op::bit_xor: return b_.CreateXor(x, y);
    case Op::lshr: return b_.CreateLShr(x, y);
    case Op::ashr: return b_.CreateAShr(x, y);
    case Op::minimum: return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y);
    case Op::maximum: return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y);
    case Op::leading_zeros: return b_.CreateIntrinsic(llvm::Intrinsic::ctlz, {word}, {x, b_.getFalse()});
    case Op::trailing_zeros: return b_.CreateIntrinsic(llvm::Intrinsic::cttz, {word}, {x, b_.getFalse()});
    case Op::reversed_bits: return b_.CreateIntrinsic(llvm::Intrinsic::bitreverse, {word}, {x});
    case Op::equal: return b_.CreateICmpEQ(x, y);
    case Op::not_equal: return b_.CreateICmpNE(x, y);
    case Op::less: return b_.CreateICmpSLT(x, y);
    case Op::less_equal: return b_.CreateICmpSLE(x, y);
    case Op::greater: return b_.CreateICmpSGT(x, y);
    case Op::greater_equal: return b_.CreateICmpSGE(x, y);
    case Op::below: return b_.CreateICmpULT(x, y);
    case Op::above: return b_.CreateICmpUGT(x, y);
    case Op::odd: return b_.CreateTrunc(x, b_.getInt1Ty());
    default: return b_.CreateZExt(x, word);
  }
}

}  // namespace reckon::codegen
