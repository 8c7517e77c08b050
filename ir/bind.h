// What happens before a circuit runs: dimensions are bound to the sizes of the arguments, and everything that depends
// on sizes alone is checked (computed dimensions, subscripts, empty reductions, schedules), so that evaluators and
// compiled code need not check it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "ir/laws.h"
#include "ir/module.h"

namespace reckon::ir {

using Dimensions = std::map<SymbolId, std::int64_t>;

/// The only dimension of an extent that is not known, where the extent is a constant times the dimension plus what is
/// known: `n`, `2*n + m - 3`.
struct UnknownDimension {
  SymbolId symbol;
  std::int64_t factor = 1;  ///< not 0
};
std::optional<UnknownDimension> only_unknown(const IndexStore& indices, IndexId extent,
                                             const std::function<bool(SymbolId)>& is_known);

/// The only unknown dimension of an extent, and what it is if the extent is `size`: a quotient, rounded down if the size is
/// not one that the extent can have. `known`: what the other dimensions are.
struct SolvedDimension {
  SymbolId symbol;
  IndexId value;
};
std::optional<SolvedDimension> solve_dimension(IndexStore& indices, IndexId extent, IndexId size,
                                               const IndexSubstitution& known,
                                               const std::function<bool(SymbolId)>& is_known);

/// Finds the values of the function's dimensions in the arguments' shapes; `given` values come first, then those that
/// stand alone, then those that `only_unknown` finds. It then checks
/// the other extents, the requirements and the storage of tensors. There is one shape for each parameter; that of a
/// scalar is empty. A tuple parameter has no shape (E0603).
Expected<Dimensions> bind_dimensions(const Module& module, const Function& function,
                                     const std::vector<std::vector<std::int64_t>>& shapes, Dimensions given = {});

/// The requirement's message, with the values of its two sides; of a condition, with those of its sizes.
Diagnostic refusal(const Module& module, const Requirement& requirement, const Dimensions& dimensions);
/// The first condition on sizes that these do not meet: of a requirement of the function, or of the layout in which a
/// parameter or result is stored (stored_layout). Every dimension of the function has a size.
std::optional<Diagnostic> size_problem(const Module& module, const Function& function,
                                       const Dimensions& dimensions);

/// The function for these sizes: every dimension in `dimensions` becomes a constant, in types, extents, subscripts and
/// schedules. The other dimensions remain symbols of the result.
Function instantiate(Module& module, const Function& function, const Dimensions& dimensions);

/// Replaces a set of orders by `tree` in every reduction for which the laws say that all orders of the set give the
/// same result, or an enclosure of the one real result. `keep_limited`: reductions by `any(depth: h)` and
/// `any(lanes: k)` stay, because their limits matter to the semantics.
Function resolve_orders(Module& module, const Function& function, Laws laws, bool keep_limited = false);

/// Checks an instantiated function, which has no dimensions left: extents are not negative, subscripts are in range,
/// reductions have leaves or an `else`, and schedules have a tree for every length that occurs. Ranges are first
/// bounded symbolically. Where that does not decide, all index values are tried, up to 10^8; beyond, E0308 says that
/// the question cannot be decided. `sets_of_orders`: sets of orders have a meaning under the semantics
/// (driver::Traits::knows_sets_of_orders) and are no error.
std::vector<Diagnostic> check_bounds(Module& module, const Function& function, bool sets_of_orders = false);

/// The diagnostic for a schedule that has no tree.
Diagnostic schedule_diagnostic(const Module& module, ScheduleId schedule, const ScheduleProblem& problem,
                               SourceSpan place);

}  // namespace reckon::ir
