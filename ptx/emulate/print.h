// What kernels print.
#pragma once

#include "ptx/emulate/warp.h"

namespace reckon::ptx {

/// vprintf: `extra` is the call, whose arguments are the addresses of a format and of the values.
void print(const Operation& operation, Warp& warp, Mask on);
/// __assertfail: `extra` is the call, whose arguments are the addresses of the condition and the file, the line, and
/// the address of the function's name. A fault that says so.
void fail_assertion(const Operation& operation, Warp& warp, Mask on);

}  // namespace reckon::ptx
