// What kernels print.
#pragma once

#include "ptx/emulate/warp.h"

namespace reckon::ptx {

/// vprintf: `extra` is the call, whose arguments are the addresses of a format and of the values.
void print(const Operation& operation, Warp& warp, Mask on);

}  // namespace reckon::ptx
