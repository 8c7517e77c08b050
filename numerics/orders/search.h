// Searches for good orders if there are too many to find the best one. It gives witnesses, never bounds.
#pragma once

#include "numerics/orders/orders.h"

namespace reckon::numerics {

/// Sets `lowest` and `highest` (and `nan_tree`, if one is found) to the best of: sorted orders, folded from the left
/// and in pairs; blocks of few nodes, each in its own extreme order; and hill climbing from the best of these by
/// swapped parts, rotations or swapped leaves, as the set of orders allows. Deterministic. It makes at most
/// `limits.search` joins, but always tries a few orders. False if it was interrupted.
bool search_extremes(const OrderQuestion& question, const OrderLimits& limits, Spread& found);

/// An order that gives exactly `target`, if one is found among random orders (`limits.search` joins).
std::optional<OrderTree> search_target(const OrderQuestion& question, std::uint64_t target, const OrderLimits& limits);

}  // namespace reckon::numerics
