// What is known of the indices of the binders around an expression: their ranges.
#pragma once

#include <optional>

#include "frontend/elaborator.h"

namespace reckon::frontend {

/// The subscript of a dimension, or of a mode of a layout, as an integer; reports one that is none.
std::optional<ir::IndexId> subscript_of(Elaborator& elaborator, const Value& value, SourceSpan at);
/// The subscript of a dimension, or of a mode of a layout: an index that stands alone takes its range from the extent.
void note_range(Elaborator& elaborator, ir::IndexId subscript, ir::IndexId extent, const Expr& written);
/// Whether an index of the program stays below the extent; reports one that may not. It is asked where nothing checks
/// the index later (unlike the subscript of an element).
bool stays_below(Elaborator& elaborator, ir::IndexId index, ir::IndexId extent, const Expr& written);

}  // namespace reckon::frontend
