// Checks proofs, step by step, without knowing how they were found. docs/proofs.md states the rules.
#pragma once

#include <optional>
#include <string>

#include "proof/proof.h"

namespace reckon::verify {

/// Why a proof is refused: the first step that does not follow (from 0; the number of steps if the whole is wrong).
struct Refusal {
  std::size_t step = 0;
  std::string reason;
};

/// Nothing if every step follows from those before, none of its hypotheses is left, and the last is the statement.
std::optional<Refusal> check(const proof::Proof& proof);

}  // namespace reckon::verify
