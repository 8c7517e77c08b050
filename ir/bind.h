// Before a circuit runs: sizes are bound from the arguments, and everything that depends on sizes alone is checked
// (computed dimensions, subscripts, empty reductions, schedules), so that evaluators and compiled code need not.
#pragma once

#include <map>
#include <vector>

#include "ir/laws.h"
#include "ir/module.h"

namespace reckon::ir {

using Dimensions = std::map<SymbolId, std::int64_t>;

/// Finds the function's dimensions from the arguments' shapes (given ones first); checks the rest, the requirements and
/// how tensors are stored. Shapes are per parameter; a scalar's is empty; a tuple parameter has none (E0603).
Expected<Dimensions> bind_dimensions(const Module& module, const Function& function,
                                     const std::vector<std::vector<std::int64_t>>& shapes, Dimensions given = {});

/// The function for these sizes: every dimension that is given becomes a constant, in types, extents, subscripts and
/// schedules. The result has the other dimensions left.
Function instantiate(Module& module, const Function& function, const Dimensions& dimensions);

/// Reductions by sets of orders by `tree` instead, where the laws make every order of the set one, or an enclosure of one
/// real result. `keep_limited`: but not those by `any(depth: h)` and `any(lanes: k)`, whose limits matter.
Function settle_orders(Module& module, const Function& function, Laws laws, bool keep_limited = false);

/// Checks an instantiated function (no dimensions left): extents not negative, subscripts in range, reductions with
/// leaves or an `else`, schedules that have a tree for every length they meet. Ranges are bounded symbolically first;
/// where that does not decide, all index values are visited (up to 10^8, else E0308 says that it cannot be decided).
/// `sets_of_orders`: `any` and its kin have a meaning (driver::Traits::knows_sets_of_orders), and are no mistake.
std::vector<Diagnostic> check_bounds(Module& module, const Function& function, bool sets_of_orders = false);

/// The diagnostic for a schedule that has no tree.
Diagnostic schedule_diagnostic(const Module& module, ScheduleId schedule, const ScheduleProblem& problem,
                               SourceSpan place);

}  // namespace reckon::ir
