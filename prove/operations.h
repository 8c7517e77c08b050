// Proofs of bits: two circuits that carry out the same operations on the same operands give the same results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/module.h"

namespace reckon::ir {

/// Whether both circuits, which have no calls, are proved to carry out the same operations in the same order, for all
/// sizes that both accept and all inputs. Then they give the same bits under any semantics whose operations depend on
/// their operands alone, however they round. Operands of +, *, minimum and maximum, and the factors of fma, may change places, which changes no
/// result of IEEE 754 (a NaN that an operation gives is always the same one here). Otherwise nothing is known. Takes
/// some milliseconds. The module gains nodes and keeps its own.
bool same_operations(Module& module, const Function& left, const Function& right);

/// The operations that a scalar of a circuit of known sizes is made of, in their order: `((x[0] + x[1]) + x[2])`, with
/// operands that may change places in one order. Two such texts differ exactly if the operations do. `parameters`:
/// their names. Nothing if there are too many operations, or one without a meaning here (a loop, a scan).
std::optional<std::string> operations_text(Module& module, NodeId scalar, const std::vector<std::string>& parameters);

/// Whether the operations and their order of each element of a circuit's result are known to be the same for all values
/// of a dimension: in the form in which circuits are compared, nothing but shapes mentions it.
bool operations_without(Module& module, const Function& function, SymbolId dimension);

}  // namespace reckon::ir
