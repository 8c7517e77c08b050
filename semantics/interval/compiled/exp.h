// exp, exp2 and exp10 rounded down and up to f64, as LLVM functions without library calls, for host and PTX.
#pragma once

#include "semantics/interval/compiled/directed.h"

namespace reckon::codegen {

/// x is an endpoint of an interval. The result is the base's power, correctly rounded to that side; the limit for an
/// infinity.
llvm::Value* emit_directed_exp(Builder& b, Side side, Base base, llvm::Value* x, Target target);

}  // namespace reckon::codegen
