#include <llvm/IR/Instructions.h>

#include "codegen/emit/emitter.h"

namespace reckon::codegen {

using kernel::Op;
using llvm::BasicBlock;

bool Emitter::emit_control(const kernel::Operation& operation) {
  switch (operation.op) {
    case Op::loop: emit_loop(operation); return true;
    case Op::while_loop: emit_while(operation); return true;
    case Op::branch: emit_branch(operation); return true;
    case Op::call: emit_call(operation); return true;
    case Op::chains: emit_chains(operation); return true;
    case Op::mma_tiles: emit_mma_tiles(operation); return true;
    case Op::mma_rows: emit_mma_rows(operation); return true;
    default: return false;
  }
}

BasicBlock* Emitter::block_before(const char* name, BasicBlock* next) {
  return BasicBlock::Create(context_, name, function_, next);
}

/// A PHI node for each parameter of the region from `first` on.
llvm::SmallVector<llvm::PHINode*, 4> Emitter::carried(const kernel::Region& region, std::size_t first,
                                                      llvm::ArrayRef<llvm::Value*> initial, BasicBlock* from) {
  llvm::SmallVector<llvm::PHINode*, 4> out;
  for (std::size_t k = 0; k < initial.size(); ++k) {
    out.push_back(b_.CreatePHI(initial[k]->getType(), 2));
    out.back()->addIncoming(initial[k], from);
    values_[region.parameters[first + k].id] = out.back();
  }
  return out;
}

void Emitter::emit_loop(const kernel::Operation& operation) {
  const kernel::Region& region = operation.regions[0];
  const Places operands = operands_of(operation);
  BasicBlock* head = b_.GetInsertBlock();
  BasicBlock* tail = block_before("after", head->getNextNode());
  BasicBlock* block = block_before("loop", tail);
  b_.CreateBr(block);
  b_.SetInsertPoint(block);
  const auto counter = carried(region, 0, operands[0], head);
  const auto phis = carried(region, 1, llvm::ArrayRef<llvm::Value*>(operands).drop_front(3), head);
  emit(region);
  if (error_) return;
  llvm::Value* advanced = b_.CreateAdd(counter[0], operands[2], "", true, true);
  llvm::Value* more = b_.CreateICmpSLT(advanced, operands[1]);
  BasicBlock* latch = b_.GetInsertBlock();
  llvm::BranchInst* back = b_.CreateCondBr(more, block, tail);
  if (!operation.unroll) back->setMetadata(llvm::LLVMContext::MD_loop, without_unrolling());
  counter[0]->addIncoming(advanced, latch);
  for (std::size_t k = 0; k < phis.size(); ++k) {
    llvm::Value* next = value(region.yields[k]);
    phis[k]->addIncoming(next, latch);
    values_[operation.result(static_cast<std::uint32_t>(k)).id] = next;
  }
  b_.SetInsertPoint(tail);
}

/// Loop metadata that keeps LLVM from unrolling a loop that is unrolled enough.
llvm::MDNode* Emitter::without_unrolling() {
  llvm::MDNode* disable = llvm::MDNode::get(context_, llvm::MDString::get(context_, "llvm.loop.unroll.disable"));
  llvm::MDNode* loop = llvm::MDNode::getDistinct(context_, {nullptr, disable});
  loop->replaceOperandWith(0, loop);
  return loop;
}

void Emitter::emit_while(const kernel::Operation& operation) {
  const kernel::Region& condition = operation.regions[0];
  const kernel::Region& body = operation.regions[1];
  const Places initial = operands_of(operation);
  BasicBlock* head = b_.GetInsertBlock();
  BasicBlock* tail = block_before("done", head->getNextNode());
  BasicBlock* header = block_before("while", tail);
  b_.CreateBr(header);
  b_.SetInsertPoint(header);
  const auto phis = carried(condition, 0, initial, head);
  emit(condition);
  if (error_) return;
  BasicBlock* block = block_before("body", tail);
  b_.CreateCondBr(value(condition.yields[0]), block, tail);
  b_.SetInsertPoint(block);
  for (std::size_t k = 0; k < phis.size(); ++k) values_[body.parameters[k].id] = phis[k];
  emit(body);
  if (error_) return;
  BasicBlock* latch = b_.GetInsertBlock();
  b_.CreateBr(header);
  for (std::size_t k = 0; k < phis.size(); ++k) {
    phis[k]->addIncoming(value(body.yields[k]), latch);
    values_[operation.result(static_cast<std::uint32_t>(k)).id] = phis[k];
  }
  b_.SetInsertPoint(tail);
}

void Emitter::emit_branch(const kernel::Operation& operation) {
  llvm::Value* condition = value(operation.operands[0]);
  BasicBlock* head = b_.GetInsertBlock();
  BasicBlock* tail = block_before("joined", head->getNextNode());
  BasicBlock* arms[2];
  for (BasicBlock*& arm : arms) arm = block_before("arm", tail);
  b_.CreateCondBr(condition, arms[0], arms[1]);
  Places results[2];
  BasicBlock* endpoints[2];
  for (std::size_t k = 0; k < 2; ++k) {
    b_.SetInsertPoint(arms[k]);
    emit(operation.regions[k]);
    if (error_) return;
    for (const kernel::Value yielded : operation.regions[k].yields) results[k].push_back(value(yielded));
    endpoints[k] = b_.GetInsertBlock();
    b_.CreateBr(tail);
  }
  b_.SetInsertPoint(tail);
  for (std::uint32_t k = 0; k < operation.results; ++k) {
    auto* phi = b_.CreatePHI(results[0][k]->getType(), 2);
    for (int arm = 0; arm < 2; ++arm) phi->addIncoming(results[arm][k], endpoints[arm]);
    values_[operation.result(k).id] = phi;
  }
}

void Emitter::emit_call(const kernel::Operation& operation) {
  llvm::Value* result = b_.CreateCall(functions_[static_cast<std::size_t>(operation.number)], operands_of(operation));
  if (operation.results == 1) {
    define(operation, result);
    return;
  }
  for (std::uint32_t k = 0; k < operation.results; ++k) {
    values_[operation.result(k).id] = b_.CreateExtractValue(result, k);
  }
}

}  // namespace reckon::codegen
