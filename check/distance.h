// What a check asks of two results but equality: that they are near, in a range, or in order.
#pragma once

#include "check/check.h"

namespace reckon::check {

/// The error for a check that asks for a distance in a ring.
Diagnostic no_distance(const frontend::ElaboratedItem& item, const interp::Semantics& semantics);

/// Whether two values are as near as the check's tolerance asks, for every pair of reals that they stand for.
Expected<interp::Truth> near(const frontend::ElaboratedItem& item, const interp::Semantics& semantics, ir::Scalar scalar,
                             const std::byte* a, const std::byte* b);

/// Whether `left` < or <= or > or >= `right`, as an inequality of circuits asks of every pair of reals that the two
/// values stand for. NaN on both sides is no counterexample; on one side it is one.
interp::Truth in_order(const frontend::ElaboratedItem& item, interp::Semantics& semantics, ir::Scalar scalar,
                       const std::byte* left, const std::byte* right);

/// Whether every real that the value stands for lies in the check's range; unknown if some may. `of_ranges`: the inputs
/// were whole ranges, so a value that reaches beyond may merely be wider than the set that it encloses.
Expected<interp::Truth> inside(const frontend::ElaboratedItem& item, const interp::Semantics& semantics,
                               ir::Scalar scalar, const std::byte* value, bool of_ranges);

/// `3 ulp`; or, for reals whose shown digits may agree, the distance; or empty.
std::string distance_text(const interp::Semantics& semantics, ir::Scalar scalar, const std::byte* a, const std::byte* b);

/// How many steps of the format lie between two floats; nothing for NaNs and under other semantics.
std::optional<std::uint64_t> ulps_between(const interp::Semantics& semantics, ir::Scalar scalar, const std::byte* a,
                                          const std::byte* b);

}  // namespace reckon::check
