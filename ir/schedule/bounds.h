// A-priori bounds on the error of a sum, by the tree of its additions. All are rounded upward.
//
// With u the unit roundoff (half that of truncation), for leaves x_i that are floats, and no overflow:
//   any order      |computed - exact| <= (n - 1) u sum |x_i|                Jeannerod and Rump, SIMAX 34(2), 2013
//   classical      ((1 + u)^(n-1) - 1) sum |x_i|                            Higham, Accuracy and Stability, 4.2
//   this tree      sum ((1 + u)^d_i - 1) |x_i|, d_i the depth of leaf i; so with the tree's height in front of sum |x_i|
//   range          every leaf in [low, high]: rounded addition is monotone in both operands, so the computed partials lie
//                  between those of all-low and all-high leaves, and a node errs by half an ulp of the largest of them
// Accumulators that are no plain additions have factors of their own (accumulator_factor).
// Rounded to nearest, an addition whose result is subnormal is exact; a product may lose half the least subnormal more.
#pragma once

#include <gmpxx.h>

#include <optional>

#include "ir/schedule/schedule.h"
#include "ir/type.h"
#include "numerics/format.h"

namespace reckon::ir {

struct Accumulation {
  Format format = Format::f64;
  bool truncating = false;     ///< additions round toward zero: 2u, and the any-order bound is the classical one
  bool flush_outputs = false;  ///< a subnormal result becomes 0: less than 2^emin more for each addition
  bool flush_inputs = false;   ///< a subnormal operand counts as 0: less than 2^emin more for each operand
  bool products = false;       ///< leaves are products of two floats, rounded
};

/// (1 + u)^rounds - 1.
mpq_class growth_factor(std::int64_t rounds, const Accumulation& how);
/// The factor in front of sum |leaf| for every order of n leaves, and for a tree of that height. Products add one rounding.
mpq_class any_order_factor(std::int64_t n, const Accumulation& how);
mpq_class tree_factor(std::int64_t height, const Accumulation& how);
/// The error that underflow and flushing add to either factor, whatever the leaves' size: lost bits of products,
/// flushed results and operands. The flushing of a product's factors is not included: it scales with the other factor.
mpq_class absolute_term(std::int64_t n, const Accumulation& how);

/// The factor in front of sum |leaf| for an accumulator, rounding to nearest; `height` is that of its tree, `folds`
/// binned's. Nothing for kahan beyond 1/(4 u^2) leaves. With n leaves, S the real sum, M = sum |leaf|:
///   rounded_once  u: one rounding of S
///   binned(k)     every leaf loses at most 2^(-w (k - 1) - 1) max |leaf|, w the bins' width; then one rounding
///   neumaier(T)   TwoSum is exact, so s + (sum of the errors e) = S. Each e is added at most twice at each of the h levels:
///                 |c - sum e| <= ((1+u)^(2h) - 1) sum |e|, and sum |e| <= ((1+u)^h - 1) M; s + c is rounded once. This is
///                 Ogita, Rump and Oishi's argument ("Accurate sum and dot product", SISC 26(6), 2005) for any tree.
///   kahan         2u + O(n u^2) (Goldberg, "What every computer scientist should know ...", theorem 8) where no addend
///                 exceeds the sum before it, else one more u. All terms are here: bounds.cpp derives them.
///   fused(T)      a leaf at depth d takes part in at most d roundings, one more if no node absorbed it
/// Products as leaves are rounded first, once each, but for fused(rounded_once), whose products are exact.
std::optional<mpq_class> accumulator_factor(const ScheduleNode& accumulator, std::int64_t n, std::int64_t height,
                                            std::int64_t folds, const Accumulation& how);

/// The factor in front of sum |product| for a chain of n products by these tensor cores, if no factor is subnormal, and
/// no result is subnormal or overflows.
mpq_class tensor_core_factor(const numerics::MmaUnit& unit, std::int64_t n);

/// The range form for a tree's shape (shared_shape.h): every leaf is a float in [low, high], or the rounded product of one
/// factor in [low, high] and one in [other_low, other_high]. Nothing if a partial sum can overflow, or no float is there.
struct LeafRange {
  mpq_class low, high;
  mpq_class other_low, other_high;  ///< products only
};
/// The range form from a factor: factor n max |leaf|, and the absolute term; nothing if a sum can overflow.
std::optional<mpq_class> range_bound_by_factor(const mpq_class& factor, std::int64_t n, const LeafRange& leaves,
                                               const Accumulation& how);
/// `fused`: a product that meets an addition is absorbed by it (ScheduleOp::fused), so its own rounding is not made. No
/// node errs by more than it would with that rounding, and so this is never above the bound of the same tree unfused.
std::optional<mpq_class> range_bound(const TreeStore& trees, TreeId shape, const LeafRange& leaves,
                                     const Accumulation& how, bool fused = false);

/// How leaves are summed, as far as it matters to bounds.
struct SumOrder {
  ScheduleOp op = ScheduleOp::tree;  ///< an accumulator, a set of orders, or else a plain tree
  std::int64_t leaves = 1;
  std::int64_t height = 0;           ///< of the tree, if there is one
  std::int64_t parameter = 0;        ///< binned: how many bins; any_depth: the height; any_lanes: how many lanes
  std::optional<TreeId> shape = std::nullopt;
  bool exact_products = false;       ///< fused(rounded_once), whose op is rounded_once here
};
/// The least factor in front of sum |leaf| that is known, and the least bound of the range form. For trees that is the
/// least of the tree's own and that of any order; the latter holds for fused products, too (bounds.cpp). neumaier's errors
/// are a sum in some order, and so is their sum: its factor takes the least at both places.
/// any_depth(h): ((1 + u)^h - 1), the height's. any_lanes(k): the longest lane has m leaves, and any order of these and of
/// the k lanes gives (m - 1) u + (k - 1) u + (m - 1)(k - 1) u^2.
/// Nothing: as for accumulator_factor, range_bound_by_factor and range_bound.
std::optional<mpq_class> tightest_factor(const SumOrder& order, const Accumulation& how);
std::optional<mpq_class> tightest_range_bound(const TreeStore& trees, const SumOrder& order, const LeafRange& leaves,
                                              const Accumulation& how);

}  // namespace reckon::ir
