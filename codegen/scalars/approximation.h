// The instructions behind `approx.exp2` and its kin (PTX ISA, "Floating Point Instructions": ex2, lg2, sin, cos, tanh,
// sqrt, rsqrt, rcp, div), in the forms that keep subnormals. The chip decides what they give.
#pragma once

#include <optional>
#include <string>

#include "ir/op.h"
#include "numerics/format.h"

namespace reckon::codegen {

/// The form of approx.exp2 of f32 that flushes subnormals, of the argument and of the result.
inline constexpr char flushing_exp2[] = "ex2.approx.ftz.f32";

struct Approximation {
  std::string instruction;  ///< `ex2.approx.f32`
  /// The first chip (80 for sm_80) whose lowest PTX version has it.
  int first_chip = 0;
};

/// Nothing if GPUs have no such instruction: f32 has all, f16 exp2 and tanh.
std::optional<Approximation> approximation(ir::Op op, numerics::Format format);

}  // namespace reckon::codegen
