// How divisions and products rearrange their parts; the same for shapes and for strides.
#pragma once

#include "layout/int_tuple.h"
#include "layout/tiler.h"

namespace reckon::layout {

/// ((a0,b0),(a1,b1),c) -> ((a0,a1),(b0,b1,c)), as deep as the tiler's tuples go; a pair stays one under a layout. The
/// tiler has no `_`.
IntTuple gathered(const IntTuple& pairs, const Tiler& tiler);
/// The mode's elements in place of the mode; a mode of rank 1 stays as it is (as in CuTe).
IntTuple unpacked(const IntTuple& tuple, std::size_t mode);

}  // namespace reckon::layout
