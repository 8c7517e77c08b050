// How the blocks of a grid share a list.
#pragma once

#include <cstdint>
#include <vector>

namespace reckon::codegen {

/// How many runs a list is cut into that the blocks of a grid share.
enum class GridRuns : std::uint8_t {
  balanced,  ///< about as many as a run has block rows: one block does the rest
  many,      ///< each a small run: what they become is cut once more,
  few,       ///< and then one block does the rest
};

/// Runs of a pass, at most, or (many) as long as they are short; a power of two.
constexpr std::int64_t default_blocks(GridRuns pass) { return pass == GridRuns::many ? 1024 : 64; }

/// The list is cut into runs, what they become is again, and so on.
struct GridPasses {
  struct Pass {
    GridRuns runs{};
    std::uint32_t nodes = 0;  ///< the buffers of what the runs become
  };
  std::vector<Pass> passes;
  std::int64_t max_block_rows = 0;  ///< of a run of GridRuns::many
  std::uint32_t counters = 0;       ///< the buffer of role `counters`: of each item, for the whole, and for each group
};

}  // namespace reckon::codegen
