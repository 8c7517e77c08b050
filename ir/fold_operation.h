// The operation of a reduction: one of + * min max, or a function that the program defines.
#pragma once

#include <optional>

#include "diagnostics/diagnostic.h"
#include "ir/module.h"

namespace reckon::ir {

/// If the function of a reduction, `body` over the operands `left` and `right`, is exactly one of + * min max of the
/// two: that operation. All four commute, so either operand may come first.
std::optional<Op> plain_operation(const Module& module, NodeId body, VariableId left, VariableId right);

/// A reduction or scan by another function within a circuit, if there is one.
std::optional<NodeId> reduction_by_function(const Module& module, NodeId root);

/// The error that answers every question about all orders of such a reduction: nothing is known about its other orders.
Diagnostic orders_of_function(const Module& module, NodeId reduction);

}  // namespace reckon::ir
