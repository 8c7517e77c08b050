// Proves over the reals, by normal form (prove/prove.h), a check that a ring can only support by agreement.
#pragma once

#include "check/check.h"
#include "prove/prove.h"

namespace reckon::check {

/// Makes `proved` of an outcome that holds as `agreed`, if the check asks for equality and its two circuits have one
/// normal form; says so in its evidence. For `algebra`, which is about the reals: what holds under
/// `fpsan` is about fpsan, whose constants and divisions are not those of the reals. Whether it was proved.
bool strengthen(ir::Module& module, const frontend::ElaboratedItem& item, Outcome& outcome);

/// The same with the proof at hand, or without one.
bool strengthen(const std::optional<ir::Proof>& proof, const frontend::ElaboratedItem& item, Outcome& outcome);
/// The proof that the check asks for, if it asks for equality and there is one.
std::optional<ir::Proof> proof_of(ir::Module& module, const frontend::ElaboratedItem& item);

}  // namespace reckon::check
