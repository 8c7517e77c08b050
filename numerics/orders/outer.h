// Proven bounds on the results of all orders, for any number of leaves.
#pragma once

#include "numerics/orders/orders.h"

namespace reckon::numerics {

/// Bounds alone: `low`, `high`, `nan`, `only_nan`; no witnesses. The leaves are at least two and hold no NaN; the
/// operation is add or mul. `low` equal to `high`, with `nan` decided, is exact.
///
/// Sums, u = 2^-p, n leaves:
/// - Without overflow every order is within (n - 1) u sum|x| of the exact sum (C.-P. Jeannerod, S. M. Rump, "Improved
///   error bounds for inner products in floating-point arithmetic", SIAM J. Matrix Anal. Appl. 34(2), 2013, for sums in
///   any order; no condition on n, none on underflow). No partial sum exceeds sum|x| (1 + (n - 1) u), which decides
///   overflow.
/// - By monotonicity no result exceeds the largest possible result of the positive leaves alone. If all leaves have one
///   sign, no result has a smaller magnitude than the largest of them.
/// - All partial results are multiples of the largest power of two q that divides all leaves. If sum|x| <= 2^p q, every
///   addition is exact, and all orders are one.
/// Products: without overflow or underflow the magnitude is the exact one times (1 + d)^(n - 1) with |d| <= u.
Spread outer_bounds(const OrderQuestion& question);

/// Whether a sum can be the finite `target` at all: the target is a multiple of whatever divides all leaves, and a zero
/// has the right sign. The leaves are finite.
bool sum_may_be(const OrderQuestion& question, std::uint64_t target);

}  // namespace reckon::numerics
