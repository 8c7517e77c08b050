// log, log2 and log10 rounded down and up to f64, as LLVM functions without library calls, for host and PTX.
#pragma once

#include "semantics/interval/compiled/directed.h"

namespace reckon::codegen {

/// x >= 0 is an endpoint of an interval. The result is the logarithm, correctly rounded to that side; for 0 and for an
/// infinity it is the limit.
llvm::Value* emit_directed_log(Builder& b, Side side, Base base, llvm::Value* x, Target target);

/// log of a positive number value 2^-places in fixed point of 224 bits (fixed_point.h): exponent ln2 + rest, exactly 0
/// for 1. `value` is an i256, `places` an i64. The rest is within 2^-213.
struct FixedLog {
  llvm::Value *exponent, *rest;  ///< an i64, and an i256
};
FixedLog emit_fixed_log(Builder& b, llvm::Value* value, llvm::Value* places, Target target);

}  // namespace reckon::codegen
