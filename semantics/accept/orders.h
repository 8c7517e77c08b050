// Reductions by `any_seq`, `any_tree` and `any`: all answers in all the orders of the set.
#pragma once

#include "ir/schedule/schedule.h"
#include "semantics/accept/engine.h"

namespace reckon::interp::accept {

class Rewriter;

/// The hull of the results of all folds of the leaves, over all orders of the set (any_seq: left folds of every
/// permutation). All orders are tried for up to 10 leaves (any: 7, any_tree: 64). For longer sums, if additions are
/// rounded, the result is a proven outer bound, Sum |x| times (1 + u)^(n-1) - 1 around the exact sum; otherwise the
/// partial results are those of arbitrary leaves. `rewriter`: what contracts additions of products; null: nothing does.
std::optional<Fault> fold_all_orders(const Engine& engine, ir::Op op, ir::ScheduleOp orders, ir::Scalar scalar,
                                     const std::vector<Answers>& leaves, Rewriter* rewriter, Answers& out);

/// The answers of all trees over each subset of the leaves, by the bits of its number; the last one is that of all.
std::optional<Fault> fold_subsets(const Engine& engine, ir::Op op, ir::Scalar scalar, const std::vector<Answers>& leaves,
                                  Rewriter* rewriter, std::vector<Answers>& out);
/// An outer bound of all trees, whatever the accuracy of the operation: partial results are those of arbitrary leaves.
std::optional<Fault> fold_any_leaves(const Engine& engine, ir::Op op, ir::Scalar scalar,
                                     const std::vector<Answers>& leaves, Rewriter* rewriter, Answers& out);
/// An outer bound of the sums in any order, if each addition rounds once: `sum` encloses the real sums of the terms,
/// and `size` is at least the sum of their magnitudes. `contracts`: additions may be fma.
Answers sum_in_any_order(const Setting& setting, const Interval& sum, double size, std::size_t terms, bool contracts);
/// At least (1 + unit)^roundings.
double growth_of_errors(double unit, std::size_t roundings);
/// What is said of a result that may overflow.
Answers beyond_numbers(const Setting& setting);
/// Whether the operation is one rounding for all arguments.
bool rounds_once(const Engine& engine, ir::Op op, ir::Scalar scalar);
/// The same of all that a chain of additions may consist of.
bool adds_by_rounding(const Engine& engine, ir::Scalar scalar);

}  // namespace reckon::interp::accept
