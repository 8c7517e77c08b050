// Applies or refuses the clauses of a `kernel` item (ir/kernel_clauses.h): how a GPU carries out what was placed on it.
#pragma once

#include "codegen/plan.h"

namespace reckon::codegen {

/// Whether a block can have so many threads.
bool is_block(std::int64_t threads);

/// The error (E0701) if two stages take more bytes of shared memory than a block has at most.
Diagnostic no_room_in_shared_memory(SourceSpan place, std::int64_t bytes, std::int64_t most);

/// Applies the clauses, after placement, to the kernel that they are about. An error (E0701) if they cannot be applied,
/// if they are about none of the kernels, or if they could be about several.
std::optional<Diagnostic> apply_clauses(const ir::Module& module, Planned& planned);

/// After lowering: the error if the tile that is stated or chosen does not fit in shared memory.
std::optional<Diagnostic> shared_memory_problem(const Planned& planned);

}  // namespace reckon::codegen
