// LLVM's passes for host code: a short list of our own, because a user waits for a circuit (bench/latency.cpp). And for
// code of any target that is not optimised.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "codegen/compiled_semantics.h"

namespace reckon::codegen {

/// Optimises host code. Bits do not depend on it: no fast-math flag is ever set.
void optimise_host(llvm::Module& module, llvm::TargetMachine& machine, Vectors vectors);

/// LLVM's standard pipeline for code that is not optimised: it carries out what the code needs to be emitted.
void leave_unoptimised(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace reckon::codegen
