// What a composed layout (a swizzled one) does to indices that are not known as numbers.
#pragma once

#include "ir/index.h"
#include "layout/composed.h"

namespace reckon::ir {

/// What the stages of a composed layout make of the number that its inner layout gives.
IndexId after_stages(IndexStore& indices, const std::vector<layout::Stage>& stages, IndexId number);

}  // namespace reckon::ir
