// What a kernel reads once.
#pragma once

#include <set>

#include "codegen/plan.h"

namespace reckon::codegen {

/// Elements of parameters, as they stand in the leaves of a reduction, each of which one leaf reads and nothing else
/// that is computed: no cache has a use for it. Empty if `fold` is something else.
std::set<ir::NodeId> read_once(const ir::Module& module, const Planned& planned, const KernelBody& fold);

}  // namespace reckon::codegen
