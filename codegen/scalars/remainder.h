// The exact remainder of truncated division for f32 and f64, by integer steps: LLVM's frem is not exact on every
// target.
#pragma once

#include "codegen/scalars/scalar_code.h"

namespace reckon::codegen {

/// A call of the module's remainder function, which is made when it is first needed.
llvm::Value* emit_remainder(Builder& b, llvm::Value* dividend, llvm::Value* divisor);

}  // namespace reckon::codegen
