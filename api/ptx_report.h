// Costs of a launch by lines of the source.
#pragma once

#include <vector>

#include "api/reckon/ptx.h"
#include "ptx/emulate/profile.h"
#include "ptx/module.h"

namespace reckon {

/// Operations of one line together, by file and line: of the user's source where there is one.
std::vector<PtxLine> cost_lines(const ptx::Module& module, const std::vector<ptx::OperationCounts>& operations);

}  // namespace reckon
