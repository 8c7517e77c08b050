// Chains side by side (kernel/chains.h): each row of sums is a few vectors, which stay in registers while a loop goes
// over the leaves. The region is emitted once for each vector, with vectors in the place of numbers.
#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "codegen/emit/emitter.h"

namespace reckon::codegen {

/// Numbers beside vectors become vectors of equal numbers.
void Emitter::spread(Places& operands) {
  const auto is_vector = [](llvm::Value* x) { return x->getType()->isVectorTy(); };
  const auto vector = std::ranges::find_if(operands, is_vector);
  if (vector == operands.end()) return;
  const auto lanes = llvm::cast<llvm::FixedVectorType>((*vector)->getType())->getElementCount();
  for (llvm::Value*& operand : operands)
    if (!is_vector(operand)) operand = b_.CreateVectorSplat(lanes, operand);
}

void Emitter::emit_chains(const kernel::Operation& operation) {
  const kernel::Chains& chains = program_.chains[static_cast<std::size_t>(operation.number)];
  const kernel::Region& region = operation.regions[0];
  const Places operands = operands_of(operation);
  const std::int64_t groups = chains.columns / chains.lanes;
  const auto element = [&](std::size_t k) { return element_type(program_.type(operation.operands[2 + 2 * k])); };
  const auto vector = [&](std::size_t k) -> llvm::Type* {
    if (chains.lanes == 1) return element(k);
    return llvm::FixedVectorType::get(element(k), static_cast<unsigned>(chains.lanes));
  };
  Places starts;
  for (std::size_t k = 0; k < chains.arrays(); ++k)
    starts.push_back(b_.CreateInBoundsGEP(element(k), operands[2 + 2 * k], operands[3 + 2 * k]));
  const auto place = [&](std::size_t k, llvm::Value* from, std::int64_t further) {
    return b_.CreateConstInBoundsGEP1_64(element(k), from, static_cast<std::uint64_t>(further));
  };
  const auto alignment = [&](std::size_t k) { return output_.getDataLayout().getABITypeAlign(element(k)); };
  // By row, vector of the row, and part.
  const auto each_sum = [&](llvm::function_ref<void(std::size_t k, llvm::Value * at)> body) {
    for (std::int64_t row = 0; row < chains.rows; ++row)
      for (std::int64_t group = 0; group < groups; ++group)
        for (std::size_t k = 0; k < chains.sums; ++k)
          body(k, place(k, starts[k], row * chains.pitch + group * chains.lanes));
  };
  llvm::SmallVector<llvm::Value*, 32> sums;
  each_sum([&](std::size_t k, llvm::Value* at) { sums.push_back(b_.CreateAlignedLoad(vector(k), at, alignment(k))); });

  llvm::BasicBlock* head = b_.GetInsertBlock();
  llvm::BasicBlock* tail = block_before("joined", head->getNextNode());
  llvm::BasicBlock* block = block_before("leaf", tail);
  b_.CreateBr(block);
  b_.SetInsertPoint(block);
  const auto carried_value = [&](llvm::Value* first) {
    llvm::PHINode* phi = b_.CreatePHI(first->getType(), 2);
    phi->addIncoming(first, head);
    return phi;
  };
  llvm::PHINode* leaf = carried_value(operands[0]);
  llvm::SmallVector<llvm::PHINode*, 32> carried;
  for (llvm::Value* sum : sums) carried.push_back(carried_value(sum));
  const auto of_leaf = [&](std::size_t k, std::int64_t step) {
    return b_.CreateInBoundsGEP(element(k), starts[k],
                                b_.CreateMul(leaf, b_.getInt64(static_cast<std::uint64_t>(step)), "", true, true));
  };
  const std::size_t first_row = chains.sums, first_column = first_row + chains.of_rows.size();
  Places of_rows, of_columns;
  for (std::size_t k = first_row; k < first_column; ++k)
    of_rows.push_back(of_leaf(k, chains.of_rows[k - first_row].leaf));
  for (std::size_t k = first_column; k < chains.arrays(); ++k) {
    llvm::Value* at = of_leaf(k, chains.of_columns[k - first_column]);
    for (std::int64_t group = 0; group < groups; ++group)
      of_columns.push_back(b_.CreateAlignedLoad(vector(k), place(k, at, group * chains.lanes), alignment(k)));
  }
  values_[region.parameters[0].id] = leaf;
  std::size_t next = 0;
  for (std::int64_t row = 0; row < chains.rows; ++row) {
    for (std::size_t k = first_row; k < first_column; ++k) {
      llvm::Value* at = place(k, of_rows[k - first_row], row * chains.of_rows[k - first_row].row);
      values_[region.parameters[1 + k].id] = b_.CreateLoad(element(k), at);
    }
    for (std::int64_t group = 0; group < groups; ++group) {
      for (std::size_t k = first_column; k < chains.arrays(); ++k)
        values_[region.parameters[1 + k].id] =
            of_columns[(k - first_column) * static_cast<std::size_t>(groups) + static_cast<std::size_t>(group)];
      for (std::size_t k = 0; k < chains.sums; ++k) values_[region.parameters[1 + k].id] = carried[next + k];
      emit(region);
      if (error_) return;
      for (std::size_t k = 0; k < chains.sums; ++k) sums[next + k] = value(region.yields[k]);
      next += chains.sums;
    }
  }
  llvm::Value* advanced = b_.CreateAdd(leaf, b_.getInt64(1), "", true, true);
  llvm::BasicBlock* latch = b_.GetInsertBlock();  // the region may have made blocks
  leaf->addIncoming(advanced, latch);
  for (std::size_t k = 0; k < sums.size(); ++k) carried[k]->addIncoming(sums[k], latch);
  llvm::BranchInst* back = b_.CreateCondBr(b_.CreateICmpSLT(advanced, operands[1]), block, tail);
  back->setMetadata(llvm::LLVMContext::MD_loop, without_unrolling());
  b_.SetInsertPoint(tail);
  next = 0;
  each_sum([&](std::size_t k, llvm::Value* at) { b_.CreateAlignedStore(sums[next++], at, alignment(k)); });
}

}  // namespace reckon::codegen
