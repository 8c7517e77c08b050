// What a composed layout (a swizzled one) does to indices that are not known as numbers.
#pragma once

#include "ir/index.h"

namespace reckon::layout {
class Composed;
}  // namespace reckon::layout

namespace reckon::ir {

/// What the stages of a composed layout make of the number that its inner layout gives.
IndexId after_stages(IndexStore& indices, const layout::Composed& composed, IndexId number);

}  // namespace reckon::ir
