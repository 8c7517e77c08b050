// Indices as numbers of an integer type.
#pragma once

#include "ir/module.h"

namespace reckon::ir {

/// The numbers of the type that indices can be: those of u64 end with the greatest index.
IndexRange word_range(Scalar type);

/// Whether the index is a number of the type wherever the sizes and variables in it are numbers of u32, as those of
/// tensors are.
bool is_word(Module& module, IndexId index, Scalar type);

}  // namespace reckon::ir
