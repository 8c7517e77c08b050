// From the kernel IR to LLVM IR, for the host and for PTX. The emitter makes no decision about order, tiling or
// staging: one operation of the kernel IR becomes a few instructions, in the same order.
#pragma once

#include <llvm/IR/Module.h>

#include <optional>

#include "codegen/compile.h"
#include "codegen/emit/lines.h"
#include "codegen/scalars/scalar_code.h"
#include "kernel/program.h"

namespace reckon::codegen {

/// Adds the functions of the program to a module. The plan's buffers and dimensions are the first parameters of every
/// function; the last buffer is that of the faults, if there are any. Gives the first problem: an operation that the
/// target does not have, at its place in the circuit. With `lines`, every instruction has its place.
std::optional<Diagnostic> emit(const kernel::Program& program, const ir::Module& circuit, const Plan& plan,
                               const ScalarCode& code, Target target, llvm::Module& output, Lines* lines = nullptr);

}  // namespace reckon::codegen
