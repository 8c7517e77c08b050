// A function of C that computes a whole circuit: what a program that knows nothing of Reckon calls.
#pragma once

#include <llvm/IR/Module.h>

#include <vector>

#include "codegen/compile.h"
#include "codegen/emit/lines.h"

namespace reckon::codegen {

/// Adds the function to a module that has the plan's kernels for the host, and hides everything else in it:
///   int symbol(int64_t dimension..., parameter..., result...)
/// A parameter that is a scalar is passed by value, any other, and every result, as a pointer to its elements. It gives
/// an EntryStatus. `constants`: the contents of the plan's constant buffers, in order.
/// `lines`, if not null, gives the function its line.
void add_entry(const ir::Module& circuit, const Plan& plan, const EntryOptions& options,
               const std::vector<std::vector<std::uint8_t>>& constants, llvm::Module& output, Lines* lines);

}  // namespace reckon::codegen
