// Reductions by `any_seq`, `any_tree` and `any`: all answers in all the orders of the set.
#pragma once

#include "ir/schedule/schedule.h"
#include "semantics/accept/engine.h"

namespace reckon::interp::accept {

/// The hull of what the operation's folds of the leaves give, over all orders of the set (any_seq: left folds of every
/// permutation). All orders are looked at up to 10 leaves (any: 7, any_tree: 64); of longer sums an outer bound is
/// proven, Sum |x| times (1 + u)^(n-1) - 1 around the exact sum, where the profile rounds additions, and otherwise the
/// partial results are those of any leaves.
std::optional<Fault> fold_all_orders(const Engine& engine, ir::Op op, ir::ScheduleOp orders, ir::Scalar scalar,
                                     const std::vector<Answers>& leaves, Answers& out);

}  // namespace reckon::interp::accept
