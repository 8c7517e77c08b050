// What every circuit obeys. The front end and the passes make only circuits that do; a diagnostic of the verifier is a
// mistake of theirs, or of a text that was read as IR.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/module.h"

namespace reckon::ir {

/// Every broken rule, E0711, at the source places of its nodes:
///   operand counts and types by ops.def and by module.h's table; variables bound, and used for what they are bound to
///   be; no temporary variables; a binder's extents outside of its own scope; binders numbered canonically (ids.h);
///   stages and schedules where they belong, and references defined; dimensions and parameters those of the function;
///   the result's type.
std::vector<Diagnostic> verify(const Module& module, const Function& function);

/// Why a scalar operation does not take operands of these types (result: what `convert` makes), if it does not.
std::optional<std::string> operand_problem(const Module& module, Op op, const std::vector<TypeId>& operands,
                                           TypeId result);

}  // namespace reckon::ir
