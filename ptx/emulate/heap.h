// Memory that kernels allocate.
#pragma once

#include "ptx/emulate/warp.h"

namespace reckon::ptx {

/// malloc: `extra` is the call. Lanes that find the heap full get 0.
void allocate_in_heap(const Operation& operation, Warp& warp, Mask on);
/// free: `extra` is the call. A fault if `malloc` did not give an address, or it was given back before.
void free_in_heap(const Operation& operation, Warp& warp, Mask on);

}  // namespace reckon::ptx
