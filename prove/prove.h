// Proofs by normal form: two circuits that have one form agree for all sizes and all inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "ir/module.h"

namespace reckon::ir {

struct Proof {
  bool cleared = false;      ///< the forms agreed only after both sides were multiplied by what is divided by
  bool written_out = false;  ///< sums over constant ranges were written out
  bool by_induction = false;  ///< loops were proved equal by induction over their rounds
  bool by_cases = false;     ///< the forms agreed in every case of the order of some of their parts
};

/// A proof that both circuits give the same reals wherever both are defined, for all sizes and all inputs. It is over
/// the reals: literals are exact, conversions change nothing, and the order of sums, products, maxima and minima does
/// not matter. Without a proof nothing is known: the two may still be equal. Takes some milliseconds; a proof that
/// would take longer is not found. The module gains nodes and keeps its own. `positive`: parameters, by position, all
/// of whose elements are above 0; the proof is for such inputs alone.
std::optional<Proof> prove_equal(Module& module, const Function& left, const Function& right,
                                 const std::set<std::uint32_t>& positive = {});

}  // namespace reckon::ir
