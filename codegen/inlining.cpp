#include "codegen/inlining.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <vector>

namespace reckon::codegen {
namespace {

/// The limit on inlined LLVM instructions in a module. With three times as many, ptxas takes ten times as long for
/// random programs under `padic`. Among the circuits of tests/gpu, examples and bench/gpu, some of unknown size under
/// `padic` have more (with known sizes they are shorter), and one under intervals.
constexpr std::size_t max_inlined = 6'000;

/// The function whose body may replace the call; null if the instruction is no such call.
llvm::Function* inlinable(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && !callee->isDeclaration() && !call->isNoInline() ? callee : nullptr;
}

class Sizes {
 public:
  /// The instructions of a function, with those of all calls that may be inlined in it.
  std::size_t of(const llvm::Function& function) {
    if (const auto known = sizes_.find(&function); known != sizes_.end()) return known->second;
    std::size_t size = function.getInstructionCount();
    sizes_[&function] = size;  // ends the recursion for functions that call themselves
    for (const llvm::Instruction& instruction : llvm::instructions(function))
      if (const llvm::Function* callee = inlinable(instruction)) size += of(*callee);
    return sizes_[&function] = size;
  }

 private:
  llvm::DenseMap<const llvm::Function*, std::size_t> sizes_;
};

struct Site {
  llvm::CallInst* call;
  unsigned depth;    ///< of loops around it
  std::size_t size;  ///< instructions of the called function
};

}  // namespace

void limit_inlining(llvm::Module& module) {
  std::vector<Site> sites;
  Sizes sizes;
  for (llvm::Function& function : module) {
    // A function that is always inlined is counted where it is inlined.
    if (function.isDeclaration() || function.hasFnAttribute(llvm::Attribute::AlwaysInline)) continue;
    std::vector<llvm::CallInst*> calls;
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (inlinable(instruction)) calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
    if (calls.empty()) continue;
    const llvm::DominatorTree dominators(function);
    const llvm::LoopInfo loops(dominators);
    for (llvm::CallInst* call : calls)
      sites.push_back({call, loops.getLoopDepth(call->getParent()), sizes.of(*call->getCalledFunction())});
  }
  std::ranges::stable_sort(sites, [](const Site& x, const Site& y) {
    return std::pair(y.depth, x.size) < std::pair(x.depth, y.size);
  });
  std::size_t left = max_inlined;
  for (const Site& site : sites) {
    if (site.size <= left) left -= site.size;
    else site.call->addFnAttr(llvm::Attribute::NoInline);
  }
}

}  // namespace reckon::codegen
