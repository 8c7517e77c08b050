// A tile as the clauses of a `kernel` item state it (ir/kernel_clauses.h).
#pragma once

#include <optional>
#include <vector>

#include "codegen/strategies/tiles/tile.h"
#include "ir/kernel_clauses.h"

namespace reckon::codegen {

/// The tile as the clauses say. What they leave open is taken from one of `usual`, the best first, or made to fit. A
/// sum takes `words` registers, and a block has `most_bytes` of shared memory. An error (E0701) if there is no such
/// tile.
Expected<Tile> fitted_tile(const ir::KernelClauses& clauses, const Tile& tile, const std::vector<TileShape>& usual,
                           std::int64_t words, std::int64_t most_bytes);

/// How (row, column) of a block's threads becomes a thread's number, if nothing is said: the threads of a warp have
/// parts of a few rows and columns.
layout::Layout default_arrangement(std::int64_t rows, std::int64_t columns);

}  // namespace reckon::codegen
