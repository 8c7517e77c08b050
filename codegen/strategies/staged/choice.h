// Whether a fold is worth having its elements brought into shared memory, and how a block does it.
#pragma once

#include <optional>

#include "codegen/place/place.h"
#include "codegen/strategies/staged/staged_lists.h"

namespace reckon::codegen {

/// The shape for a fold whose order, in `schedule` and `fused`, is set; nothing if this is not for it. A block brings
/// `lists` lists if they are given.
std::optional<StagedShape> staged_shape(ir::Module& module, const Planned& planned, const KernelBody& fold,
                                        const Numbers& code, std::optional<std::int64_t> lists = {});

}  // namespace reckon::codegen
