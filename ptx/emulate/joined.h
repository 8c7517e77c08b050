// Sums of products that the assembler of a chip may carry out with one rounding.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.h"

namespace reckon::ptx {

/// The lines of additions and subtractions of floats that name no rounding and take a product that names none, either:
/// "mul/add sequences with no rounding modifiers may be optimized to use fused-multiply-add instructions on the target
/// device" (PTX ISA 9.0, 9.7.3, add). The emulator rounds both, so that a chip's bits may differ there.
std::vector<std::uint32_t> lines_that_may_be_joined(const Function& function);

}  // namespace reckon::ptx
