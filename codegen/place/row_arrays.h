// What a kernel of rows keeps between its steps.
#pragma once

#include "codegen/plan.h"

namespace reckon::codegen {

/// The arrays for a row of so many elements: those that later steps read, and the parameters that several steps read.
/// None if they are too large or no plain numbers; then they stay in registers. A loop over a thread's elements is a
/// fraction of the code that registers need, where every element has its own; that is soon compiled, and leaves room
/// for more threads.
RowArrays rows_in_shared_memory(ir::Module& module, const Planned& planned, const KernelBody& rows,
                                std::int64_t length);

/// How many rows a thread has to keep at the same time, one at least.
std::uint32_t rows_kept(ir::Module& module, const Planned& planned, const KernelBody& rows);

/// All of a row in registers.
RowArrays rows_in_registers(ir::Module& module, const Planned& planned, const KernelBody& rows);

}  // namespace reckon::codegen
