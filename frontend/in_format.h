// Numbers that meet a format.
#pragma once

#include "frontend/elaborator.h"

namespace reckon::frontend {

/// Whether the type is `number`, or a tensor or a tuple with numbers in it.
bool has_numbers(const ir::TypeStore& types, ir::TypeId type);

/// The value of a node of type `number` (or of tensors and tuples of them) in this float format. An expression of
/// numbers alone, such as `sqrt(2)`, is one real number: it is converted whole, and so rounded once. Where elements of
/// a list vary with an index, the elements are converted, and what is computed from them is computed in the format.
ir::NodeId in_format(Elaborator& elaborator, ir::NodeId node, ir::Scalar format);

}  // namespace reckon::frontend
