// Proofs of checks that trials can only support: over the reals, by normal form (prove/prove.h), and of bits, where both
// sides carry out the same operations (prove/operations.h).
#pragma once

#include <string_view>

#include "check/check.h"

namespace reckon::check {

/// What a proof rests on, as the evidence of a verdict names it.
using Proof = std::optional<std::string_view>;

/// That both sides are the same over the reals, if the check asks for equality and there is a proof.
Proof proof_of_algebra(ir::Module& module, const frontend::ElaboratedItem& item);

/// That both sides have the same bits under any semantics whose values are floats, if the check asks for equality and
/// there is a proof.
Proof proof_of_bits(ir::Module& module, const frontend::ElaboratedItem& item);

/// That the left side is at most the right one (or at least, if the check asks that) over the reals, if there is a
/// proof.
Proof proof_of_inequality(ir::Module& module, const frontend::ElaboratedItem& item);

/// Adds the steps of a proof that verify/ has checked to the evidence of a proved outcome, as lines and as JSON; a
/// note, where the proof is of another kind and has no such steps.
void explain(ir::Module& module, const frontend::ElaboratedItem& item, Outcome& outcome);

/// Makes `proved` of an outcome that holds and is not proved yet, if there is a proof, and says so in its evidence. The
/// proof is of what the outcome is about: what holds under `fpsan` is about fpsan, whose constants and divisions are not
/// those of the reals. Whether it became proved.
bool strengthen(const Proof& proof, const frontend::ElaboratedItem& item, Outcome& outcome);

}  // namespace reckon::check
