// log and log2 rounded down and up to f64, as LLVM functions without library calls, for host and PTX.
#pragma once

#include "codegen/semantics/directed.h"

namespace reckon::codegen {

/// x >= 0: the end of an interval. The result is the logarithm correctly rounded to that side; of 0 and of an infinity, the
/// limit.
llvm::Value* emit_directed_log(Builder& b, Side side, bool base_two, llvm::Value* x, Target target);

}  // namespace reckon::codegen
