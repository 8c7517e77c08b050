// The fragments that tensor-core instructions share (PTX ISA, "Matrix Fragments for mma.m16n8k*", "wgmma").
#pragma once

#include <cstdint>

#include "layout/layout.h"

namespace reckon::layout {

/// A row-major operand of a warp: lane l has row l / 4 (and 8 rows below, if there are 16), and of each 4 registers'
/// worth of columns the register l % 4. `packed` elements are in a register of 32 bits (1 where they are as wide or
/// wider). (thread,value) to row + rows * column.
Layout operand_fragment(std::int64_t rows, std::int64_t columns, std::int64_t packed);
/// An accumulator of 8 columns: lane l has row l / 4 (and 8 below), columns 2 (l % 4) and the next.
Layout accumulator_fragment(std::int64_t rows);

/// Of a warp group, warp w has rows 16 w and on: A from registers, and the accumulators.
Layout group_operand_fragment(std::int64_t columns, std::int64_t packed);
Layout group_accumulator_fragment(std::int64_t columns);
/// All of a rows x columns tile in shared memory, for each of 128 threads.
Layout group_shared_operand(std::int64_t rows, std::int64_t columns);

}  // namespace reckon::layout
