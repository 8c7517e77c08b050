// A tile, or a thread's part, at indices of the program; and what offsets and coordinates at indices have in common.
#pragma once

#include <string>
#include <vector>

#include "frontend/elaborator.h"
#include "ir/index.h"
#include "layout/coordinate_layout.h"
#include "layout/layout.h"

namespace reckon::frontend {

/// Whether it is a call of `local_tile`, `local_partition` or a partition of a tiled operation, with layouts of known
/// numbers.
bool takes_indices(const std::string& name, const std::vector<Value>& values);
Maybe part_at_indices(Elaborator& elaborator, const std::string& name, const std::vector<Value>& values,
                      const std::vector<SourceSpan>& spans, SourceSpan at);

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
