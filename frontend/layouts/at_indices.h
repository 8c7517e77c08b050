// What offsets and coordinates at indices of the program have in common.
#pragma once

#include <vector>

#include "frontend/value.h"
#include "ir/index.h"
#include "layout/coordinate_layout.h"
#include "layout/layout.h"

namespace reckon::frontend {

/// The integer layouts of a layout's values, all of one shape: one, or one for each leaf of the values.
std::vector<layout::Layout> components(const layout::Layout& layout);
std::vector<layout::Layout> components(const layout::CoordinateLayout& layout);

/// The leaves of the values, as constant index expressions.
std::vector<ir::IndexId> constants(ir::IndexStore& indices, const layout::IntTuple& values);

/// Integers nested as a layout's values are.
Value nested_as(ir::IndexStore& indices, const layout::Layout& layout, const std::vector<ir::IndexId>& leaves);
Value nested_as(ir::IndexStore& indices, const layout::CoordinateLayout& layout,
                const std::vector<ir::IndexId>& leaves);

}  // namespace reckon::frontend
