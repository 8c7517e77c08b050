// Inputs at and near the boundaries of two circuits' conditions, where the operands of a comparison are equal. Random
// inputs almost never have x = y for `x <= y`, or satisfy `x > 100`.
#pragma once

#include "check/rational_points.h"
#include "frontend/elaborate.h"
#include "ir/bind.h"

namespace reckon::check {

/// Arguments for both circuits at these sizes (those of `left`'s dimensions), one tensor per parameter. Of random
/// inputs within the ranges, one element at a time is moved to where the two sides of a comparison (comparisons.h) of
/// either circuit are equal, as far as they are by floats. First come the floats nearest to the rational points, then the
/// points at those borders, then those one float
/// and some way beside them, and points at the borders of two comparisons at once. Empty where no comparison depends on
/// the inputs, or a parameter is a tuple. Equal seeds give equal points.
std::vector<std::vector<ir::HostTensor>> condition_points(ir::Module& module, const ir::Function& left,
                                                          const ir::Function& right, const ir::Dimensions& sizes,
                                                          const std::vector<frontend::RangeClause>& ranges,
                                                          std::int64_t seed, const RationalPoints& rational);

}  // namespace reckon::check
