// Additions to the upper word of 64 bits, in 32 bits.
#pragma once

#include <llvm/IR/PassManager.h>

namespace reckon::codegen {

/// x + (y << k) with k >= 32 leaves x's lower word as it is. A GPU's registers have 32 bits, and ptxas adds both words,
/// with a carry that there never is. Putting a power of two on an f64's exponent is such a sum (numerics/functions/).
struct HighWordSums : llvm::PassInfoMixin<HighWordSums> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace reckon::codegen
