// exp and exp2 rounded down and up to f64, as LLVM functions without library calls, for host and PTX.
#pragma once

#include "semantics/interval/compiled/directed.h"

namespace reckon::codegen {

/// x is an endpoint of an interval. The result is exp(x), correctly rounded to that side; the limit for an infinity.
llvm::Value* emit_directed_exp(Builder& b, Side side, llvm::Value* x, Target target);
llvm::Value* emit_directed_exp2(Builder& b, Side side, llvm::Value* x, Target target);

}  // namespace reckon::codegen
