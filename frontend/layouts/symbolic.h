// Integers and coordinates of a circuit, which are not known as numbers yet, as values.
#pragma once

#include "frontend/value.h"

namespace reckon::frontend {

/// A tuple of integers, known ones as numbers.
Value value_of(const ir::IndexStore& indices, const ir::IndexTuple& tuple);
/// One of known numbers as that.
Value value_of(const ir::IndexStore& indices, const ir::IndexLayout& layout);

}  // namespace reckon::frontend
