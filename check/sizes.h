// Which sizes a check tries.
#pragma once

#include <vector>

#include "frontend/elaborate.h"
#include "ir/bind.h"

namespace reckon::check {

/// Every assignment of sizes to the dimensions: given ones in all combinations (at most 1,000), and for the free ones
/// {1, 2, 3, 7, 8, 17, 64, 100} on the diagonal and on shifted diagonals, and multiples of the tiles in sight that
/// divide none of these; smallest first.
std::vector<ir::Dimensions> choose_sizes(ir::Module& module, const frontend::ElaboratedItem& item);

/// The product of all sizes; 2^63 - 1 if it does not fit.
std::int64_t index_values(const ir::Dimensions& sizes);

/// The constants by which the circuits cut index ranges: divisors in subscripts and extents, sizes of the stages of
/// schedules; ascending, from 2 to 1024.
std::vector<std::int64_t> tiles_in_sight(ir::Module& module, const frontend::ElaboratedItem& item);

}  // namespace reckon::check
