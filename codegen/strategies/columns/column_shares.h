// How blocks share reductions side by side.
#pragma once

#include <bit>
#include <cstdint>

namespace reckon::codegen {

struct ColumnShares {
  std::int64_t parts = 1;   ///< blocks for the same columns
  std::int64_t vector = 1;  ///< columns of a thread, neighbours
  std::int64_t warps = 32;
};

/// The leaves of a block under `tree`, of so many parts: a run that is a node of the tree. As many parts as there are
/// such runs have the same.
constexpr std::int64_t column_run(std::int64_t length, std::int64_t parts) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>((length + parts - 1) / parts)));
}

}  // namespace reckon::codegen
