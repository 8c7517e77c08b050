// Makes a counterexample readable: as many elements of its inputs as possible become 0 or false, and others become
// short numbers.
#pragma once

#include "check/trial.h"

namespace reckon::check {

/// Which inputs are made simpler: those of `bool`, or those of floats, too.
enum class Shrink : std::uint8_t { truths, everything };

/// `failed` is a trial whose result is `no`. It is replaced by a simpler one that also fails, on inputs that satisfy
/// the check's conditions. Blocks of elements are replaced together, and halved if the trial does not fail then (Zeller
/// and Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE TSE 28, 2002). It stops after some hundred
/// evaluations.
void shrink(const frontend::ElaboratedItem& item, const Trial& trial, const ir::Dimensions& sizes, TrialResult& failed,
            Shrink which = Shrink::everything);

}  // namespace reckon::check
