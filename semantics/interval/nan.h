// What the interval semantics says about NaNs, interpreted and compiled.
#pragma once

#include "diagnostics/codes/undefined_result.h"
#include "interp/semantics.h"

namespace reckon::interp {

/// Why a NaN is refused as an argument and as a literal.
inline Fault nan_has_no_interval() {
  return {code::undefined_result, "`nan` is no real number, so it has no value under `interval`", ""};
}

}  // namespace reckon::interp
