// The order of a plan's kernels.
//
// A value that one kernel computes by itself, since it needs it once, may get a buffer of its own later, when another
// kernel needs it more often. The first kernel then reads that buffer, too, so it has to stand after the kernel that
// writes it.
#pragma once

#include "codegen/plan.h"

namespace reckon::codegen {

/// Puts kernels behind those whose buffers they may read, and otherwise leaves them in their order. The kernels of a
/// loop stay together.
void order_kernels(const ir::Module& module, Planned& planned);

}  // namespace reckon::codegen
