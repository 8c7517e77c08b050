#include "codegen/ptx/stack_arrays.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Transforms/Scalar/SROA.h>

#include <algorithm>

namespace reckon::codegen {
namespace {

bool calls(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
  return callee != nullptr && !callee->isIntrinsic();
}

}  // namespace

llvm::PreservedAnalyses StackArrays::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  const bool is_called = function.getCallingConv() != llvm::CallingConv::PTX_Kernel;
  if (!is_called && std::ranges::none_of(llvm::instructions(function), calls)) return llvm::PreservedAnalyses::all();
  // Arrays that can become registers do so now, because no later pass looks through the offset.
  analyses.invalidate(function, llvm::SROAPass(llvm::SROAOptions::ModifyCFG).run(function, analyses));
  llvm::SmallVector<llvm::AllocaInst*> arrays;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* array = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) arrays.push_back(array);
  }
  for (llvm::AllocaInst* array : arrays) {
    llvm::IRBuilder<> b(array->getNextNode());
    // Lane 31 is never among the lanes below one's own, so the highest bit of the mask is always 0.
    llvm::Value* lanes = b.CreateIntrinsic(b.getInt32Ty(), llvm::Intrinsic::nvvm_read_ptx_sreg_lanemask_lt, {});
    llvm::Value* zero = b.CreateLShr(lanes, 31);
    llvm::Value* moved = b.CreateGEP(b.getInt8Ty(), array, zero);
    // What marks an array's lifetime names the array itself: LLVM accepts no other address there.
    array->replaceUsesWithIf(moved, [&](llvm::Use& use) {
      const auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      return user != moved && (user == nullptr || !user->isLifetimeStartOrEnd());
    });
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace reckon::codegen
