// Additions to the upper word of 64 bits, in 32 bits.
#pragma once

#include <llvm/IR/PassManager.h>

namespace reckon::codegen {

/// If k >= 32, x + (y << k) leaves x's lower word unchanged. A GPU's registers have 32 bits, and ptxas adds both words
/// with a carry, which is always 0. Adding a power of two to an f64's exponent is such a sum (numerics/functions/).
struct HighWordSums : llvm::PassInfoMixin<HighWordSums> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace reckon::codegen
