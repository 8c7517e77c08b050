// LLVM's passes for host code: a short list of our own, because a user waits for a circuit (bench/latency.cpp).
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "codegen/compiled_semantics.h"

namespace reckon::codegen {

/// Optimises host code. Bits do not depend on it: no fast-math flag is ever set.
void optimise_host(llvm::Module& module, llvm::TargetMachine& machine, Vectors vectors);

}  // namespace reckon::codegen
