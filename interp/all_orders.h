// Questions about all orders of a circuit's reduction. The leaves are evaluated once, under `float`; numerics/orders
// computes the results that the orders give.
#pragma once

#include "interp/evaluate.h"
#include "numerics/orders/orders.h"

namespace reckon::interp {

struct OrdersAnswer {
  ir::Scalar scalar{};
  std::vector<std::int64_t> shape;  ///< of the circuit's result; one answer for each element, row-major
  numerics::OrderSet orders{};
  std::int64_t leaves = 0;                  ///< of each reduction
  std::vector<numerics::Spread> spreads;    ///< without a target
  std::vector<numerics::Attains> attained;  ///< with a target; those of several runs follow each other
  std::optional<std::int64_t> runs;         ///< how many results of each element were asked about, if several were
  std::vector<std::uint64_t> targets;       ///< the values asked about, in the order of `attained`
  bool ended_early = false;                 ///< EvaluateOptions::interrupted: the remaining `attained` are unknown
};

/// `function` has no parameters and no dimensions. Its result is one reduction (sum, prod, min, max) by `any`,
/// `any_tree` or `any_seq`, or a tensor of such reductions of one length. `target`, if given, is a function of the same
/// scalar type: a scalar, of the same shape, or with one more dimension in front for several runs. For anything else
/// it returns a diagnostic: E0520 for a single order, E0501 for a user's operation, E0521 for another circuit. `asked`
/// is the place of the question and `name` its function, for messages.
Expected<OrdersAnswer> all_orders(ir::Module& module, const ir::Function& function, const ir::Function* target,
                                  Semantics& semantics, const EvaluateOptions& options, SourceSpan asked,
                                  std::string_view name);

}  // namespace reckon::interp
