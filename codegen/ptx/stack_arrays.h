// Arrays on the stack of functions that call others.
#pragma once

#include <llvm/IR/PassManager.h>

namespace reckon::codegen {

/// In a function that is called or that calls one, adds an offset to the addresses of its stack arrays. The offset is
/// zero, but as far as ptxas knows it differs between lanes. Without it, from -O2 on, ptxas 13.0 keeps some of the
/// addresses in uniform registers, and fails to set these after a call: accesses far from the stack (2 of 6,000 random
/// programs, which -O1 compiles correctly; compute-sanitizer and the machine code showed the register). The offset does
/// not protect all addresses: kernels that recurse are assembled at -O1 besides (Plan::assembler_level). This pass has
/// to be the last one, when arrays whose subscripts are known have become registers.
struct StackArrays : llvm::PassInfoMixin<StackArrays> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace reckon::codegen
