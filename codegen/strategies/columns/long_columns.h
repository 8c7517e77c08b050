// Long columns of which there are few: more threads are needed than the columns' own strategy finds.
#pragma once

#include "codegen/place/place.h"

namespace reckon::codegen {

/// Splits each reduction of the plan, by `lanes(L, tree) then S` or `tree`, that has many leaves across memory and few
/// results. A kernel before it folds runs of leaves of a lane, aligned and a power of two long, which are nodes of the
/// lane's tree: one for each thread, whose neighbours read neighbours in memory. What is left is the same order of
/// these nodes.
void split_long_columns(const Placing& placing);

}  // namespace reckon::codegen
