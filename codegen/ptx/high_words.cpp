#include "codegen/ptx/high_words.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

namespace reckon::codegen {

llvm::PreservedAnalyses HighWordSums::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  using namespace llvm::PatternMatch;
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::Value *x = nullptr, *y = nullptr;
    std::uint64_t distance = 0;
    if (!instruction.getType()->isIntegerTy(64) ||
        !match(&instruction, m_c_Add(m_OneUse(m_Shl(m_Value(y), m_ConstantInt(distance))), m_Value(x))) ||
        distance < 32 || distance > 63) {
      continue;
    }
    llvm::IRBuilder<> b(&instruction);
    llvm::Type* word = b.getInt32Ty();
    llvm::Value* upper =
        b.CreateAdd(b.CreateTrunc(b.CreateLShr(x, 32), word), b.CreateShl(b.CreateTrunc(y, word), distance - 32));
    llvm::Value* both = b.CreateOr(b.CreateShl(b.CreateZExt(upper, b.getInt64Ty()), 32),
                                   b.CreateZExt(b.CreateTrunc(x, word), b.getInt64Ty()));
    instruction.replaceAllUsesWith(both);
    instruction.eraseFromParent();
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace reckon::codegen
