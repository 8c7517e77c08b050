// Elements that are made of the results of a kernel, each of the one at its own place: the kernel can compute them with
// its results, which are never in memory then.
#pragma once

#include <cstddef>
#include <optional>

#include "codegen/plan.h"

namespace reckon::codegen {

/// The only kernel that reads the results of kernel k, if it is of such elements.
std::optional<std::size_t> elements_of_results(ir::Module& module, const Planned& planned, std::size_t k);

/// Removes kernel k, whose results are in no memory from now on.
void remove_kernel(ir::Module& module, Planned& planned, std::size_t k);

/// Gives the kernels that join nodes, an item a thread, the elements that are made of their results.
void add_tails_to_joins(ir::Module& module, Planned& planned);

}  // namespace reckon::codegen
