// Statements about orders: `check same_order(f, g)` and `check independent_order(f, m)` (docs/schedules.md).
#pragma once

#include "check/check.h"

namespace reckon::check {

/// The name of the question that both are, in the place of a semantics (ElaboratedItem::semantics); its argument is the
/// dimension, if the question is about one.
inline constexpr std::string_view order_question = "order";

/// Whether two circuits carry out the same operations in the same order, for all sizes; or whether each element of one
/// circuit is made of the same operations in the same order, whatever a dimension's value is. Proved
/// (prove/operations.h), refuted with sizes and both trees, or undecided. E0603 if there is no such dimension.
Expected<Outcome> run_order(ir::Module& module, const frontend::ElaboratedItem& item);

}  // namespace reckon::check
