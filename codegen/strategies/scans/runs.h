// The totals of runs of tiles: of all aligned powers of two of tiles of a list, but single ones.
#pragma once

#include "codegen/strategies/scans/lists.h"

namespace reckon::codegen {

/// Writes a kernel whose blocks make the runs of one list each, level by level, of the totals in the buffers from
/// `placement.source` on. The run of the 2^k tiles from number i on is at i + 2^(k - 1).
void write_runs(KernelParts& parts, const KernelBody& body, const ScanPlacement& placement, const Kernel& kernel,
                BlockReducer& reducer);

}  // namespace reckon::codegen
