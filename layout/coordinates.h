// Coordinates of a shape: colexicographic order, the leftmost mode fastest (docs/layouts.md).
// Unlike CuTe, an index that is negative or past the end is a problem, never an extension of the last mode: CuTe and
// pycute disagree about what it would mean.
#pragma once

#include "layout/int_tuple.h"
#include "layout/problem.h"

namespace reckon::layout {

/// The natural coordinate, nested as the shape is, of an index from 0 to size - 1. The shape's leaves are positive.
Result<IntTuple> split(std::int64_t index, const IntTuple& shape);

/// The index of a coordinate: an integer for the whole shape, or a tuple of coordinates for its modes.
Result<std::int64_t> join(const IntTuple& coordinate, const IntTuple& shape);

}  // namespace reckon::layout
