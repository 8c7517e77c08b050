// Which elements a kernel reads only once.
#pragma once

#include <map>
#include <set>

#include "codegen/plan.h"

namespace reckon::codegen {

/// In how many places the kernels read each parameter.
std::map<ir::NodeId, int> parameter_reads(const ir::Module& module, const Planned& planned);

/// Elements of parameters, as they stand in the leaves of a reduction, each of which one leaf reads and nothing else
/// that is computed: no cache has a use for it. Empty if `fold` is something else.
std::set<ir::NodeId> single_use_reads(const ir::Module& module, const Planned& planned,
                                      const std::map<ir::NodeId, int>& reads, const KernelBody& fold);

}  // namespace reckon::codegen
