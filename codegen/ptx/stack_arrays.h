// Arrays on the stack of functions that call others.
#pragma once

#include <llvm/IR/PassManager.h>

namespace reckon::codegen {

/// Where a function is called, or calls one, gives the addresses of its stack arrays an offset that is zero, for all
/// that ptxas knows another one for each lane. Without it ptxas 13.0 keeps some of them in uniform registers from -O2
/// on, and forgets to set these after a call: accesses far from the stack (2 of 6,000 random programs, which -O1
/// compiles correctly; compute-sanitizer and the machine code showed the register). It does not hide all of them:
/// kernels that recurse are assembled at -O1 besides (Plan::assembler_level). The last pass: arrays whose
/// subscripts are known have become registers by then.
struct StackArrays : llvm::PassInfoMixin<StackArrays> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace reckon::codegen
