// What the integer operations of the kernel IR compute.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kernel/program.h"

namespace reckon::kernel {

/// The result for indices as 64-bit words (flags: 0 or 1). `bits`: 64, or 1 for operands that are flags. Nothing where
/// it has no value: a division by 0, a shift by 64 or more, or a result that is not what `fits` says.
std::optional<std::uint64_t> integer_result(Op op, std::span<const std::uint64_t> operands, Fits fits, int bits = 64);

}  // namespace reckon::kernel
