// What a kernel states (ir/kernel_clauses.h), obeyed or refused: how a GPU carries out what was placed on it.
#pragma once

#include "codegen/plan.h"

namespace reckon::codegen {

/// Has a block so many threads?
bool is_block(std::int64_t threads);

/// An error (E0701) if a multiprocessor has no room for so many blocks of these threads.
std::optional<Diagnostic> too_many_resident(const ir::KernelClauses::Blocks& blocks, std::int64_t threads);

/// The error (E0701) of two stages that take more bytes of shared memory than a block has.
Diagnostic no_room_in_shared_memory(SourceSpan place, std::int64_t bytes);

/// After placement: the kernel that the clauses are about obeys them. An error (E0701) if it cannot, if they are about
/// none of the kernels, or could be about several.
std::optional<Diagnostic> apply_clauses(const ir::Module& module, Planned& planned);

/// After lowering: is there room in shared memory for what was stated?
std::optional<Diagnostic> shared_memory_problem(const Planned& planned);

}  // namespace reckon::codegen
