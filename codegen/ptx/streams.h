// How the second-level cache treats what a kernel reads.
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

#include "kernel/program.h"

namespace reckon::codegen {

using kernel::Stream;

void mark_as_stream(llvm::LoadInst& load, Stream stream);

/// Gives marked loads their cache policy. LLVM has no such loads, so they become inline assembly. The pass runs after
/// the passes that join neighbouring loads.
struct Streams : llvm::PassInfoMixin<Streams> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace reckon::codegen
