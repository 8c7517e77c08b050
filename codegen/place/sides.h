// A reduction as a product: the parts of a leaf that depend on the rows of a tile alone, and those that depend on its
// columns. Several dimensions of the results may be one side together: the positions of a convolution's output, which
// its channels share, are the columns (or the rows) of a product whose leaves are channels and taps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/plan.h"

namespace reckon::codegen {

/// Rows and columns below which a thread for each output does as well.
constexpr std::int64_t min_tile_side = 32;

/// The share of so many rows or columns among the places of tiles that have `side` of them each.
inline double share_of_places(std::int64_t extent, std::int64_t side) {
  return static_cast<double>(extent) / static_cast<double>((extent + side - 1) / side * side);
}

/// The parts of a leaf that depend on one side alone, as large as possible, each once.
struct LeafSides {
  std::vector<ir::NodeId> of_rows, of_columns;
};

/// With dimension `row` of the fold's space as the rows, and the last one as the columns. Nothing if some part depends
/// on both in a way that no tile serves, or none on one of them.
std::optional<LeafSides> sides_of(const ir::Module& module, const KernelBody& fold, std::size_t row);

/// A fold some of whose dimensions have become one.
struct JoinedSides {
  KernelBody fold;    ///< its last two dimensions are the rows and the columns
  ir::IndexId place;  ///< the row-major number of a result among the results of the fold as it was
};

/// Joins dimensions where tiles would otherwise have many rows or columns beyond the last one. All extents have to be
/// known. Nothing if it is no product, or better as it is.
std::optional<JoinedSides> join_sides(ir::Module& module, const KernelBody& fold);

}  // namespace reckon::codegen
