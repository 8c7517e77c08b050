// `check f == g in algebra`: are two circuits the same function of real numbers? (docs/algebra.md.)
#pragma once

#include "check/check.h"

namespace reckon::check {

/// If the two circuits have one normal form, the check holds and is proved. If they only agree in `padic`, it holds as
/// agreed, and the outcome also says whether fpsan agrees. Neither agreement nor a difference in the ring is trusted:
/// if `exact` tells the results apart on some real inputs, the check fails, and these inputs are the witness. A
/// difference in the ring that no real inputs confirm is undecided, unless a proof shows that the circuits are equal.
/// An inequality (`<=`, `>=`) is proved step by step, or evaluated under `exact` on real inputs. E0603 for other
/// relations.
Expected<Outcome> run_algebra(ir::Module& module, const frontend::ElaboratedItem& item,
                              const Options& options = {});

}  // namespace reckon::check
