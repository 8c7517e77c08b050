// LLVM's passes for GPU code: a short list of our own, because a user waits for a kernel (bench/latency.cpp).
#pragma once

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace reckon::codegen {

/// Optimises kernels. Bits do not depend on it: no fast-math flag is ever set.
void optimise_ptx(llvm::Module& module, llvm::TargetMachine& machine);

/// An AddPass that leaves out those of the target's passes that do not improve our code.
void add_ptx_pass(llvm::legacy::PassManagerBase& passes, llvm::Pass* pass);
void add_ptx_pass_keeping_addresses(llvm::legacy::PassManagerBase& passes, llvm::Pass* pass);

}  // namespace reckon::codegen
