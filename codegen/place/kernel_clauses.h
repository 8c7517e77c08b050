// What a kernel states (ir/kernel_clauses.h), obeyed or refused: how a GPU carries out what was placed on it.
#pragma once

#include "codegen/plan.h"

namespace reckon::codegen {

/// A shape of tile, and the thread's part of it, that the compiler would choose by itself.
struct TileShape {
  std::int64_t rows, columns, depth, thread_rows, thread_columns;
  std::uint32_t blocks;
};

/// The tile with what the clauses say; what they leave open as in one of `usual`, the best first, or made to fit. A sum
/// has `words` registers. An error (E0701) where there is no such tile.
Expected<Tile> fitted_tile(const ir::KernelClauses& clauses, const Tile& tile, const std::vector<TileShape>& usual,
                           std::int64_t words);

/// How (row, column) of a block's threads becomes a thread's number, if nothing is said: the threads of a warp have
/// parts of a few rows and columns.
layout::Layout default_arrangement(std::int64_t rows, std::int64_t columns);

/// After placement, what the clauses say of kernels that have no tiles. An error (E0701) if they are about none of the
/// kernels, or could be about several.
std::optional<Diagnostic> apply_clauses(const ir::Module& module, Planned& planned);

/// After lowering: is there room in shared memory for what was stated?
std::optional<Diagnostic> shared_memory_problem(const Planned& planned);

}  // namespace reckon::codegen
