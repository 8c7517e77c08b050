// Reductions side by side whose leaves lie across memory, the columns of a matrix (lower/block/columns.cpp).
#pragma once

#include <bit>

#include "codegen/plan.h"

namespace reckon::codegen {

/// Decides for kernel k, a fold whose schedule lanes_by_tree knows. One of its nodes has at most `state_bytes`;
/// `keeps_factors` is as in place.h.
/// Where it has no room, the fold's decision says so. Blocks may share the leaves of a column: then a kernel after it joins what they make.
void place_columns(ir::Module& module, Planned& planned, std::size_t k, std::int64_t state_bytes, bool keeps_factors);

/// The leaves of a block under `tree`, of so many parts: a run that is a node of the tree. As many parts as there are
/// such runs have the same.
constexpr std::int64_t column_run(std::int64_t length, std::int64_t parts) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>((length + parts - 1) / parts)));
}

}  // namespace reckon::codegen
