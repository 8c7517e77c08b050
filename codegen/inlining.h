// Which calls become code of their own place.
#pragma once

#include <llvm/IR/Module.h>

namespace reckon::codegen {

/// Forbids LLVM to inline more than a budget of a module's calls of its own functions; those in the innermost loops,
/// and among them those of small functions, come first. LLVM itself goes by the size of each function alone, and
/// inlines for PTX what is eleven times as large as for others (NVPTXTTIImpl::getInliningThresholdMultiplier): a random
/// program with 319 maxima under `padic` was 70,000 lines of PTX, 14 seconds for ptxas, and is 17,000 lines, 1.7
/// seconds.
void limit_inlining(llvm::Module& module);

}  // namespace reckon::codegen
