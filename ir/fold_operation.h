// What a reduction is by: one of the operations + * min max, or a function of the program's own.
#pragma once

#include <optional>

#include "diagnostics/diagnostic.h"
#include "ir/module.h"

namespace reckon::ir {

/// The operation of a reduction's function, `body` over the operands `left` and `right`, where it is exactly one of
/// + * min max of the two. All of these commute, so the operands may stand in either order.
std::optional<Op> plain_operation(const Module& module, NodeId body, VariableId left, VariableId right);

/// A reduction or scan by another function within a circuit, if there is one.
std::optional<NodeId> reduction_by_function(const Module& module, NodeId root);

/// That nothing is known of the other orders of such a reduction: the answer of every question about all orders.
Diagnostic orders_of_function(const Module& module, NodeId reduction);

}  // namespace reckon::ir
