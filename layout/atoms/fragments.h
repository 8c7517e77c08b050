// The fragments that tensor-core instructions share (PTX ISA, "Matrix Fragments for mma.m16n8k*", "wgmma").
#pragma once

#include <cstdint>

#include "layout/layout.h"

namespace reckon::layout {

/// A row-major operand of a warp. Lane l has row l / 4 (and the row 8 below, if there are 16 rows), and register l % 4
/// of each group of columns that fills 4 registers. A register of 32 bits holds `packed` elements (1 if they have 32
/// bits or more). (thread,value) to row + rows * column.
Layout operand_fragment(std::int64_t rows, std::int64_t columns, std::int64_t packed);
/// An accumulator of 8 columns: lane l has row l / 4 (and the row 8 below), and columns 2 (l % 4) and the next.
Layout accumulator_fragment(std::int64_t rows);

/// In a warp group, warp w has the rows from 16 w on: those of A from registers, and of the accumulators.
Layout group_operand_fragment(std::int64_t columns, std::int64_t packed);
Layout group_accumulator_fragment(std::int64_t columns);
/// A rows x columns tile in shared memory, of which each of 128 threads has all elements.
Layout group_shared_operand(std::int64_t rows, std::int64_t columns);

}  // namespace reckon::layout
