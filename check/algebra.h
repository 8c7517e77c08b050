// `check f == g in algebra`: are two circuits the same function of real numbers? (docs/algebra.md.)
#pragma once

#include "check/check.h"

namespace reckon::check {

/// Agreement in `padic` holds, and is a proof where the two have one normal form; what fpsan says of them stands beside
/// it. A difference in the ring is only suspected, and agreement without a proof is doubted: where `exact` tells two
/// results apart on real inputs it fails, and they are the witness. A difference that the reals do not show is a proof's
/// business, or undecided. E0603 for any relation but `==`.
Expected<Outcome> run_algebra(ir::Module& module, const frontend::ElaboratedItem& item,
                              const Options& options = {});

}  // namespace reckon::check
