// Integers and coordinates of a circuit, which need not be known numbers, as values.
#pragma once

#include "frontend/value.h"

namespace reckon::frontend {

/// A tuple of integers; known ones become numbers.
Value value_of(const ir::IndexStore& indices, const ir::IndexTuple& tuple);
/// A layout; one of known numbers becomes a plain layout.
Value value_of(const ir::IndexStore& indices, const ir::IndexLayout& layout);

}  // namespace reckon::frontend
