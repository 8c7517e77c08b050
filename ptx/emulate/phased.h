// What copies and barriers with phases share.
#pragma once

#include "ptx/emulate/warp.h"

namespace reckon::ptx {

/// The barrier at an address of shared memory; null, with a fault, if none was initialised there.
PhasedBarrier* phased_at(const Operation& operation, Warp& warp, std::uint64_t address);

/// So many bytes have come: the barrier of this address, which may be another block's, knows it.
void bring(const Operation& operation, Warp& warp, std::uint64_t barrier_address, std::uint64_t bytes);

/// Carries out all copies by cp.async that these lanes have begun.
void finish_copies(Warp& warp, Mask on);

}  // namespace reckon::ptx
