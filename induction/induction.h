// Proofs with steps: that two circuits give the same reals, or that one is never above the other, for all sizes.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "ir/module.h"
#include "proof/proof.h"

namespace reckon::ir {

/// Where all elements of an input lie.
struct InputRange {
  std::optional<mpq_class> low, high;
};

/// Proofs that verify::check accepts: the results of both circuits, element by element, are equal (or the left one is
/// at most the right one) over the reals, for all sizes that the proofs name and all inputs for which no divisor of the
/// circuits is 0. There is one for each part of a tuple, and for each element along dimensions that are numbers, where
/// one for all of them is not found. Without proofs nothing is known. `ranges`: of parameters, by position; the proofs
/// are for such inputs alone.
std::vector<proof::Proof> prove_by_steps(Module& module, const Function& left, const Function& right,
                                         proof::Relation relation,
                                         const std::map<std::uint32_t, InputRange>& ranges = {});

}  // namespace reckon::ir
