// A counterexample made readable: as many elements of its inputs as may be become 0, others short numbers.
#pragma once

#include "check/trial.h"

namespace reckon::check {

/// `failed` is a trial that came out as `no`; so does what it becomes, on inputs that meet the check's conditions.
/// Blocks of elements are replaced together, and halved where that does not do (Zeller and Hildebrandt, "Simplifying and
/// isolating failure-inducing input", IEEE TSE 28, 2002). It stops after some hundred evaluations.
void shrink(const frontend::ElaboratedItem& item, const Trial& trial, const ir::Dimensions& sizes, TrialResult& failed);

}  // namespace reckon::check
