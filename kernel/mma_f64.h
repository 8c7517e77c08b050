// The shape of `mma_f64` (program.h): the products of f64 that a warp of sm_90 joins to its sums in one instruction.
// Source: PTX ISA 9.0, 9.7.15.5, "Matrix Fragments for mma.m16n8k4 with .f64 floating point type".
#pragma once

#include <cstdint>

namespace reckon::kernel {

struct MmaF64 {
  static constexpr std::int64_t rows = 16, columns = 8, leaves = 4;  ///< of a warp
  static constexpr std::uint32_t factors = 3, sums = 4;              ///< of a thread
  /// Neighbouring sums of a thread in a row; from its first row to its second.
  static constexpr std::int64_t together = 2, rows_apart = 8;
};

}  // namespace reckon::kernel
