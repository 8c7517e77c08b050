// The modes in which floats are computed.
#pragma once

#include <compare>

#include "numerics/format.h"

namespace reckon::numerics {

/// How results are rounded, and what happens to subnormal results and operands.
struct FloatMode {
  Rounding rounding = Rounding::nearest_even;
  bool flush = false;         ///< subnormal results become zeros of their sign
  bool flush_inputs = false;  ///< subnormal operands likewise
  friend auto operator<=>(const FloatMode&, const FloatMode&) = default;
};

}  // namespace reckon::numerics
