// Which sizes a check tries.
#pragma once

#include <vector>

#include "frontend/elaborate.h"
#include "ir/bind.h"

namespace reckon::check {

/// Every assignment of sizes to the dimensions: given ones in all combinations (at most 1,000), and for the free ones
/// {1, 2, 3, 7, 8, 17, 64, 100} on the diagonal and on shifted diagonals, smallest first.
std::vector<ir::Dimensions> choose_sizes(const std::vector<ir::SymbolId>& dimensions,
                                         const std::vector<frontend::SizeClause>& clauses);

}  // namespace reckon::check
