// Limits how much of a module LLVM inlines.
#pragma once

#include <llvm/IR/Module.h>

namespace reckon::codegen {

/// Bounds how many instructions LLVM may inline in a module, among calls of the module's own functions. Calls in the
/// innermost loops come first, and among them calls of small functions. LLVM alone decides by the size of each
/// function, and for PTX its threshold is eleven times that of other targets
/// (NVPTXTTIImpl::getInliningThresholdMultiplier): without the bound, a random program with 319 maxima under `padic`
/// was 70,000 lines of PTX and took ptxas 14 seconds; with it, 17,000 lines and 1.7 seconds.
void limit_inlining(llvm::Module& module);

}  // namespace reckon::codegen
