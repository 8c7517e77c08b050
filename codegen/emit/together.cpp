// Operations that the threads of a GPU carry out together, and the numbers of threads and blocks.
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/emit/emitter.h"
#include "codegen/ptx/assembly.h"

namespace reckon::codegen {

using kernel::Op;

namespace {

/// A value of the same type, made of what is given for each part of 32 bits.
llvm::Value* by_parts(llvm::IRBuilderBase& b, llvm::Value* value,
                      llvm::function_ref<llvm::Value*(llvm::Value* part)> other) {
  llvm::Type* type = value->getType();
  if (auto* whole = llvm::dyn_cast<llvm::StructType>(type)) {
    llvm::Value* out = llvm::PoisonValue::get(type);
    for (unsigned k = 0; k < whole->getNumElements(); ++k) {
      out = b.CreateInsertValue(out, by_parts(b, b.CreateExtractValue(value, k), other), k);
    }
    return out;
  }
  const unsigned bits = static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
  llvm::Type* whole = b.getIntNTy((bits + 31) / 32 * 32);
  llvm::Value* pattern = b.CreateZExt(b.CreateBitCast(value, b.getIntNTy(bits)), whole);
  llvm::Value* out = llvm::ConstantInt::get(whole, 0);
  for (unsigned shift = 0; shift < bits; shift += 32) {
    llvm::Value* part = b.CreateTrunc(shift == 0 ? pattern : b.CreateLShr(pattern, shift), b.getInt32Ty());
    llvm::Value* wide = b.CreateZExt(other(part), whole);
    out = b.CreateOr(out, shift == 0 ? wide : b.CreateShl(wide, shift));
  }
  return b.CreateBitCast(b.CreateTrunc(out, b.getIntNTy(bits)), type);
}

/// The first word of a value that is published.
llvm::Value* published_place(llvm::IRBuilderBase& b, llvm::Value* words, llvm::Value* index, std::int64_t of_value) {
  llvm::Value* first = b.CreateMul(index, b.getInt64(static_cast<std::uint64_t>(of_value)));
  return b.CreateInBoundsGEP(b.getInt64Ty(), words, first);
}

}  // namespace

bool Emitter::emit_together(const kernel::Operation& operation) {
  const auto operand = [&](std::size_t k) { return value(operation.operands[k]); };
  switch (operation.op) {
    case Op::thread: define(operation, special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x)); return true;
    case Op::threads: define(operation, special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x)); return true;
    case Op::block: define(operation, special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x)); return true;
    case Op::blocks: define(operation, special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x)); return true;
    case Op::barrier:
      b_.CreateIntrinsic(b_.getVoidTy(), llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all, {b_.getInt32(0)});
      return true;
    case Op::barrier_or:
      define(operation, b_.CreateIntrinsic(b_.getInt1Ty(), llvm::Intrinsic::nvvm_barrier_cta_red_or_aligned_all,
                                           {b_.getInt32(0), operand(0)}));
      return true;
    case Op::warp_barrier:
      b_.CreateIntrinsic(b_.getVoidTy(), llvm::Intrinsic::nvvm_bar_warp_sync, {b_.getInt32(~0U)});
      return true;
    case Op::peers: peers(operation); return true;
    case Op::mma_f64: mma_f64(operation); return true;
    case Op::shuffle_xor: define(operation, partner_lane_value(operand(0), operation.number)); return true;
    case Op::arrive: {
      llvm::Type* word = b_.getInt32Ty();
      llvm::Value* last = b_.CreateTrunc(operand(2), word);
      llvm::Value* place = b_.CreateInBoundsGEP(word, operand(0), operand(1));
      // LLVM 22 turns atomicrmw into a relaxed operation, whatever order is given.
      llvm::Value* before = emit_assembly(b_, word, "atom.acq_rel.gpu.global.inc.u32 $0, [$1], $2;", "=r,l,r,~{memory}",
                                    {place, last}, true);
      define(operation, b_.CreateICmpEQ(before, last));
      return true;
    }
    case Op::ticket: {
      llvm::Type* word = b_.getInt32Ty();
      llvm::Value* place = b_.CreateInBoundsGEP(word, operand(0), operand(1));
      llvm::Value* before = emit_assembly(b_, word, "atom.relaxed.gpu.global.inc.u32 $0, [$1], $2;", "=r,l,r,~{memory}",
                                          {place, b_.CreateTrunc(operand(2), word)}, true);
      define(operation, b_.CreateZExt(before, b_.getInt64Ty()));
      return true;
    }
    case Op::publish: publish(operation); return true;
    case Op::look_up: look_up(operation); return true;
    case Op::launch_next:
      emit_assembly(b_, b_.getVoidTy(), "griddepcontrol.launch_dependents;", "~{memory}", {}, true);
      return true;
    case Op::await_previous: await_previous(operation); return true;
    default: return false;
  }
}

void Emitter::peers(const kernel::Operation& operation) {
  llvm::Value* index = b_.CreateTrunc(value(operation.operands[0]), b_.getInt32Ty());
  llvm::Value* same =
      b_.CreateIntrinsic(b_.getInt32Ty(), llvm::Intrinsic::nvvm_match_any_sync_i32, {b_.getInt32(~0U), index});
  llvm::Value* below = b_.CreateIntrinsic(b_.getInt32Ty(), llvm::Intrinsic::nvvm_read_ptx_sreg_lanemask_lt, {});
  const auto count = [&](llvm::Value* mask) {
    return b_.CreateZExt(b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, mask), b_.getInt64Ty());
  };
  values_[operation.result(0).id] = count(b_.CreateAnd(same, below));
  values_[operation.result(1).id] = count(same);
}

/// The number of the first leaf is for interpreters.
void Emitter::mma_f64(const kernel::Operation& operation) {
  llvm::SmallVector<llvm::Value*, 8> elements;
  for (std::size_t k = 1; k < operation.operands.size(); ++k) elements.push_back(value(operation.operands[k]));
  llvm::Function* instruction =
      llvm::Intrinsic::getOrInsertDeclaration(&output_, llvm::Intrinsic::nvvm_mma_m16n8k4_row_col_f64);
  llvm::CallInst* sums = b_.CreateCall(instruction, elements);
  sums->addFnAttr(llvm::Attribute::Convergent);  // which LLVM's declaration lacks
  for (std::uint32_t k = 0; k < operation.results; ++k) {
    values_[operation.result(k).id] = b_.CreateExtractValue(sums, k);
  }
}

llvm::Value* Emitter::special_register(llvm::Intrinsic::ID id) {
  return b_.CreateZExt(b_.CreateIntrinsic(b_.getInt32Ty(), id, {}), b_.getInt64Ty());
}

/// What the previous kernel wrote is read through pointers that the assembly returns. LLVM knows nothing of these
/// pointers, so it cannot move such a load up or turn it into a load of constant memory.
void Emitter::await_previous(const kernel::Operation& operation) {
  emit_assembly(b_, b_.getVoidTy(), "griddepcontrol.wait;", "~{memory}", {}, true);
  for (std::uint32_t k = 0; k < operation.results; ++k) {
    llvm::Value* pointer = value(operation.operands[k]);
    llvm::Value* after = emit_assembly(b_, pointer->getType(), "mov.b64 $0, $1;", "=l,l,~{memory}", {pointer}, true);
    b_.CreateAlignmentAssumption(output_.getDataLayout(), after, 16);
    values_[operation.result(k).id] = after;
  }
}

/// One store writes each part with its mark, so that whoever sees the mark has the part.
void Emitter::publish(const kernel::Operation& operation) {
  llvm::Value* place = published_place(b_, value(operation.operands[0]), value(operation.operands[1]),
                                       program_.widths.words_to_publish(program_.type(operation.operands[2]).scalar));
  static_cast<void>(by_parts(b_, value(operation.operands[2]), [&](llvm::Value* part) {
    emit_assembly(b_, b_.getVoidTy(),
                  "{\n\t.reg .b64 word;\n\tmov.b64 word, {$1, 1};\n\tst.relaxed.gpu.global.b64 [$0], word;\n\t}",
                  "l,r,~{memory}", {place, part}, true);
    place = b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), place, 1);
    return part;
  }));
}

void Emitter::look_up(const kernel::Operation& operation) {
  const kernel::Type type = program_.type(operation.result());
  llvm::Value* place = published_place(b_, value(operation.operands[0]), value(operation.operands[1]),
                                       program_.widths.words_to_publish(type.scalar));
  llvm::Value* mark = nullptr;
  values_[operation.result(0).id] = by_parts(b_, llvm::Constant::getNullValue(this->type(type)), [&](llvm::Value*) {
    llvm::Value* word =
        emit_assembly(b_, b_.getInt64Ty(), "ld.relaxed.gpu.global.b64 $0, [$1];", "=l,l,~{memory}", {place}, true);
    place = b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), place, 1);
    mark = mark ? b_.CreateAnd(mark, word) : word;
    return b_.CreateTrunc(word, b_.getInt32Ty());
  });
  values_[operation.result(1).id] =
      b_.CreateICmpNE(b_.CreateTrunc(b_.CreateLShr(mark, 32), b_.getInt32Ty()), b_.getInt32(0));
}

/// A shuffle moves 32 bits.
llvm::Value* Emitter::partner_lane_value(llvm::Value* value, std::int64_t bit) {
  constexpr std::uint32_t last_lane = 31;
  return by_parts(b_, value, [&](llvm::Value* part) {
    return b_.CreateIntrinsic(b_.getInt32Ty(), llvm::Intrinsic::nvvm_shfl_sync_bfly_i32,
                              {b_.getInt32(~0U), part, b_.getInt32(static_cast<std::uint32_t>(bit)),
                               b_.getInt32(last_lane)});
  });
}

}  // namespace reckon::codegen
