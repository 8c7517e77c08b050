// Reductions by `any_seq`, `any_tree` and `any`: all answers in all the orders of the set.
#pragma once

#include "ir/schedule/schedule.h"
#include "semantics/accept/engine.h"

namespace reckon::interp::accept {

/// The hull of the results of all folds of the leaves, over all orders of the set (any_seq: left folds of every
/// permutation). All orders are tried for up to 10 leaves (any: 7, any_tree: 64). For longer sums, if additions are
/// rounded, the result is a proven outer bound, Sum |x| times (1 + u)^(n-1) - 1 around the exact sum; otherwise the
/// partial results are those of arbitrary leaves.
std::optional<Fault> fold_all_orders(const Engine& engine, ir::Op op, ir::ScheduleOp orders, ir::Scalar scalar,
                                     const std::vector<Answers>& leaves, Answers& out);

}  // namespace reckon::interp::accept
