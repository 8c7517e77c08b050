// Proofs of bits: two circuits that carry out the same operations on the same operands give the same results.
#pragma once

#include "ir/module.h"

namespace reckon::ir {

/// Whether both circuits, which have no calls, are proved to carry out the same operations in the same order, for all
/// sizes that both accept and all inputs. Then they give the same bits under any semantics whose operations depend on
/// their operands alone, however they round. Operands of +, *, minimum and maximum, and the factors of fma, may change places, which changes no
/// result of IEEE 754 (a NaN that an operation gives is always the same one here). Otherwise nothing is known. Takes
/// some milliseconds. The module gains nodes and keeps its own.
bool same_operations(Module& module, const Function& left, const Function& right);

}  // namespace reckon::ir
