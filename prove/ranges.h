// Ranges that the body of a sum divides.
#pragma once

#include <optional>
#include <vector>

#include "prove/terms.h"

namespace reckon::ir::normal {

/// The sum over shorter ranges, if the body has a condition that shortens one.
std::optional<PolynomialId> cut_range(Terms& t, std::vector<Binder> binders, MonomialId body);
/// The sum with two ranges for one, if the body has a quotient of the range's variable.
std::optional<PolynomialId> split_range(Terms& t, std::vector<Binder> binders, MonomialId body);

}  // namespace reckon::ir::normal
