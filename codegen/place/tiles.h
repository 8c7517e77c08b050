// Matrix products, and reductions that read like one: every leaf is made of what depends on the row of an output, and
// of what depends on its column. A block has a tile of the outputs, so that what it reads serves many of them.
#pragma once

#include "codegen/plan.h"

namespace reckon::codegen {

/// Makes the fold of kernel `k` one of tiles, if it is left to right within every output, or if `any_order` has the
/// same bits; and if it reads like a matrix product of a worthwhile size. In runs of leaves (`tile(k, seq) then S`) it
/// becomes two kernels. If it makes none, the fold's decision says why. body.schedule is known by now, without `fused`. The tile is as planned.clauses say; where it
/// cannot be, planned.refused says why.
bool place_tiles(ir::Module& module, Planned& planned, std::size_t k, bool any_order);

/// Would it do that with such a fold, whose buffer has these ends? `stated`: of whatever size, as a tile is stated. If
/// not, the decision says why.
bool has_tiles(ir::Module& module, const KernelBody& fold, const std::optional<Words>& words, bool any_order, bool stated,
               Decision& decision);

}  // namespace reckon::codegen
