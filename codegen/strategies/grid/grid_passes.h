// How the blocks of a grid share a list.
#pragma once

#include <cstdint>
#include <vector>

namespace reckon::codegen {

/// How many runs a list is cut into that the blocks of a grid share.
enum class GridRuns : std::uint8_t {
  balanced,  ///< about as many runs as a run has block rows; then one block does the rest
  many,      ///< many small runs, whose nodes are cut into runs again,
  few,       ///< a few runs, after which one block does the rest
};

/// The most runs of a pass; `many` has more if its runs would be too long otherwise. A power of two.
constexpr std::int64_t default_blocks(GridRuns pass) { return pass == GridRuns::many ? 1024 : 64; }

/// The list is cut into runs, the nodes of the runs are cut again, and so on.
struct GridPasses {
  struct Pass {
    GridRuns runs{};
    std::uint32_t nodes = 0;  ///< the first of the buffers for the nodes of the runs
  };
  std::vector<Pass> passes;
  std::int64_t max_block_rows = 0;  ///< limit for a run of GridRuns::many
  std::uint32_t counters = 0;       ///< buffer of role `counters`: of each item one for the whole, one for each group
};

}  // namespace reckon::codegen
