// Indices as numbers of u32.
#pragma once

#include "ir/module.h"

namespace reckon::ir {

/// The numbers of u32.
inline constexpr IndexRange word_range{0, 0xffffffff};

/// Whether the index is a number of u32 wherever the sizes and variables in it are such numbers, as those of tensors are.
bool is_word(Module& module, IndexId index);

}  // namespace reckon::ir
